--- Doctor: placeholders for protected names, and the folder that tells whose they are.

return {
  name = 'placeholders',
  needs_proc = 'any',
  guards = 'protected names that are absent get placeholders; what a crash left is found by it',
  proof = 'the folder is made and swept, as each run does it',
  missing = 'no run starts: a placeholder that nobody knows would stay on the host for good',
  judge = function(seen)
    local records = seen.records
    if records.unknown then return 'missing', records.unknown end
    if records.volatile then
      return 'spare', records.path .. ': not on a disk, as no folder in the home can be written; '
        .. 'after a crash of the machine its placeholders stay', nil, 'bounds are the same'
    end
    return 'ok', records.path
  end,
  remedies = {
    { does = 'name a folder of your own on a disk that can be written',
      commands = { 'export XDG_STATE_HOME=FOLDER' }, tried = 'Debian 12' },
  },
  examples = {
    { seen = { records = { path = '/home/u/.local/state/confine-lua/placeholders' } },
      status = 'ok', says = '/home/u/.local/state' },
    { seen = { records = { path = '/run/user/1/confine-lua/placeholders', volatile = true } },
      status = 'spare', says = 'not on a disk' },
    { seen = { records = { path = '/x', unknown = 'mkdir /x: Permission denied' } },
      status = 'missing', says = 'mkdir /x' },
  },
}

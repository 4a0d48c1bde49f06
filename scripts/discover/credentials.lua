--- Credential files that no record lists: where tools keep their settings, the files in which a
--- login stands, and those that only their owner reads and that are named so.
local found = require 'scripts.found'
local login = require 'confine.values.login'
local path = require 'confine.values.path'

local AUTHORITY = 'site_files'

--- Bytes of a file that is looked through, files, and names of one folder.
local MAX_FILE, MAX_FILES, MAX_NAMES = 64 * 1024, 2000, 256

--- Folders of the home that hold no settings.
local PASSED = { ['.cache'] = true, ['.git'] = true, ['.nvm'] = true, ['.pyenv'] = true,
  ['.rbenv'] = true, ['.rustup'] = true, ['.sdkman'] = true, ['.vscode-server'] = true,
  Trash = true, extensions = true, node_modules = true, registry = true }

local function discover(host)
  local out, read = found.new(host), 0
  local function judge(where, name)
    local text = host.read(where, MAX_FILE)
    local source
    if text and login.find(text) then
      source = 'a login stands in it'
    elseif text and text ~= '' and login.is_name(name) and host.is_private(where) then
      source = 'named as a secret, and only its owner reads it'
    end
    if source then out:add { authority = AUTHORITY, secret = where, source = source } end
  end
  local function walk(folder, depth, is_home)
    local names = host.list(folder) or {}
    for i = 1, math.min(#names, MAX_NAMES) do
      local name, where = names[i], path.join(folder, names[i])
      local kind = host.type(where)
      if kind == 'file' and read < MAX_FILES then
        read = read + 1
        judge(where, name)
      elseif kind == 'dir' and depth > 1 and not PASSED[name]
        and (not is_home or name:sub(1, 1) == '.') then
        walk(where, depth - 1)
      end
    end
  end
  walk(host.home, 3, true)
  local config = found.config_home(host)
  if not path.within(config, host.home) then walk(config, 2) end
  walk(host.home .. '/.local/share', 2)
  walk(host.home .. '/.local/state', 2)
  return out:results()
end

return {
  doc = 'Files of the home, its settings and data folders in which a login stands (a password in a '
    .. 'URL, a token, a value that is named a secret), and private ones that are named so.',
  discover = discover,
}

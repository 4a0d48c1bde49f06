--- Credential files that no record lists: where tools keep their settings, the files in which a
--- login stands, and those that only their owner reads and that are named so.
local found = require 'scripts.found'
local login = require 'confine.values.login'
local path = require 'confine.values.path'
local secret_name = require 'confine.values.secret_name'

local AUTHORITY = 'site_files'

--- Bytes of a file that is looked through, files, and names of one folder.
local MAX_FILE, MAX_FILES, MAX_NAMES = 64 * 1024, 4000, 512

--- Folders of the home that hold no settings.
local PASSED = { ['.cache'] = true, ['.git'] = true, ['.nvm'] = true, ['.pyenv'] = true,
  ['.rbenv'] = true, ['.rustup'] = true, ['.sdkman'] = true, ['.vscode-server'] = true,
  Trash = true, bin = true, extensions = true, node_modules = true, registry = true }

local function discover(host)
  local out, read, is_seen = found.new(host), 0, {}
  local function judge(where, name)
    local text = host.read(where, MAX_FILE)
    local source
    -- A script may speak of passwords, and is no settings file.
    if text and text:sub(1, 2) ~= '#!' and login.find(text) then
      source = 'a login stands in it'
    elseif text and text ~= '' and secret_name.is_one(name) and host.is_private(where) then
      source = 'named as a secret, and only its owner reads it'
    end
    if source then out:add { authority = AUTHORITY, secret = where, source = source } end
  end
  local function walk(folder, depth, is_home)
    if is_seen[folder] then return end
    is_seen[folder] = true
    local names = host.list(folder) or {}
    if #names > MAX_NAMES then
      out:problem(('%s: only the first %d of %d names are looked at'):format(folder, MAX_NAMES,
        #names))
    end
    for i = 1, math.min(#names, MAX_NAMES) do
      local name, where = names[i], path.join(folder, names[i])
      -- A link may lead anywhere; what it leads to in these folders is found there.
      local kind = not host.is_link(where) and host.type(where)
      if kind == 'file' then
        read = read + 1
        if read <= MAX_FILES then judge(where, name) end
      elseif kind == 'dir' and depth > 1 and not PASSED[name]
        and (not is_home or name:sub(1, 1) == '.') then
        walk(where, depth - 1)
      end
    end
  end
  local config = found.config_home(host)
  -- The deeper ones first: each folder is looked at once.
  walk(host.home .. '/.local/share', 2)
  walk(host.home .. '/.local/state', 2)
  walk(config, 2)
  walk(host.home, 3, true)
  if read > MAX_FILES then
    out:problem(('%s: only the first %d of %d files are looked at'):format(host.home, MAX_FILES,
      read))
  end
  return out:results()
end

return {
  doc = 'Files of the home, its settings and data folders in which a login stands (a password in a '
    .. 'URL, a token, a value that is named a secret), and private ones that are named so.',
  discover = discover,
}

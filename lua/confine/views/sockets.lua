-- The listening sockets of the host with owner, writability, authority and verdict, as rows.

local path = require 'confine.values.path'
local resolve = require 'confine.pipeline.resolve'
local seen = require 'confine.pipeline.seen'
local text = require 'confine.values.text'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- Where a socket lies that was bound by a relative name: in the folder in which its process
-- stands, or where it was found for being refused.
-- @return look of it, or nil
local function found_at(resolved, socket, owner, host)
  local identity = resolve.identity(socket)
  if not identity then return nil end
  local function is_it(look)
    return look and look.type == 'socket' and resolve.identity(look) == identity
  end
  local near = owner and host.look(('/proc/%d/cwd/%s'):format(owner.pid, socket.path))
  if is_it(near) then return host.look(near.path) end
  for _, name in ipairs(resolved.names) do
    if is_it(name.look) then return host.look(name.path) end
  end
end

--- Fills in what holds for a socket with a path: by what is there now, else by its name.
local function judge_path(row, resolved, socket, owner, host)
  local name = socket.path
  local is_relative = name:byte(1) ~= 47
  local look = is_relative and found_at(resolved, socket, owner, host)
    or not is_relative and host.look(name) or nil
  if is_relative and not look then
    row.writable = { unknown = 'bound by a relative name, in a folder that is not known' }
    return { verdict = 'unknown', from = resolved.policy['socket.default'].from,
      reason = 'bound by a relative name, and not found: it may be reachable' }
  end
  if look and look.type == 'socket' then
    row.writable = host.is_writable(look.path)
    row.only_root = look.uid == 0 and look.mode & 18 == 0 or nil
    return seen.answer(resolved, look, true)
  end
  if look and look.type == 'unknown' then
    row.writable = { unknown = look.unknown }
    local judged = seen.answer(resolved, { path = look.path, type = 'unknown', dev = socket.dev,
      ino = socket.ino, links = look.links }, true)
    if judged.verdict == 'reachable' and not judged.granted then judged.verdict = 'unknown' end
    return judged
  end
  -- Unlinked, hidden by a mount, or bound in another mount namespace.
  row.writable, row.gone = false, true
  return verdict.socket(resolved, path.normal(name), socket)
end

--- Rows for every named socket that can be connected or sent to.
-- @param resolved resolved policy
-- @param sockets list as core.sockets.list gives it
-- @param host { owner = function(inode) -> { pid, comm, exe, uid } or nil, user = function(uid) ->
--   name or nil, look = function(path), is_writable = function(path) -> true | false |
--   { unknown = reason } }
-- @return list of { name, type, inode, owner = { pid, comm, exe, uid, user }, writable, authority,
--   verdict = 'refused'|'reachable'|'unknown', reason, from, why, granted, off_list, gone,
--   only_root }, sorted by name
function M.rows(resolved, sockets, host)
  local out = {}
  for _, socket in ipairs(sockets) do
    local name = socket.path or (socket.abstract and '@' .. socket.abstract)
    if name then
      local row = { name = name, type = socket.type, inode = socket.inode }
      -- Whose descriptors cannot be seen is known by the command line, if at all.
      local owner = host.owner(socket.inode) or resolved.holder_of[socket.inode]
      if owner then
        row.owner = { pid = owner.pid, comm = owner.comm, exe = owner.exe, uid = owner.uid,
          user = host.user(owner.uid) }
      end
      local judged
      if socket.abstract then
        judged, row.writable = verdict.abstract(resolved, socket.abstract), true
      else
        judged = judge_path(row, resolved, socket, owner, host)
      end
      row.verdict, row.reason, row.from, row.authority =
        judged.verdict, judged.reason, judged.from, judged.authority
      row.why, row.granted = judged.why, judged.granted
      row.off_list = row.verdict == 'reachable' and not judged.granted and row.writable ~= false
      out[#out + 1] = row
    end
  end
  table.sort(out, function(a, b)
    if a.name ~= b.name then return a.name < b.name end
    return a.inode < b.inode
  end)
  return out
end

--- The verdict in one word of the table; `closed` is what no list names and nobody here may open.
function M.word(row)
  if row.gone then return 'gone' end
  if row.verdict ~= 'reachable' then return row.verdict end
  return row.granted and 'granted' or row.off_list and 'off-list' or 'closed'
end

--- Does a row hold this text in its name, owner, authority, verdict or deciding line?
function M.matches(row, filter)
  local owner = row.owner or {}
  for _, value in ipairs { row.name, row.verdict, M.word(row), row.authority or '', row.from or '',
    owner.comm or '', owner.exe or '', owner.user or '' } do
    if value:find(filter, 1, true) then return true end
  end
  return false
end

local function writable_text(row)
  if row.gone then return '-' end
  if type(row.writable) == 'table' then return 'unknown' end
  return row.writable and 'yes' or row.only_root and 'by root' or 'no'
end

--- Of a text that is too long the end is kept: a file's name and line are there.
local function cut_front(value, width)
  value = text.visible(value)
  return #value <= width and value or '...' .. value:sub(-(width - 3))
end

local FIRST, SECOND = '%-10s%-9s%-17s%s', (' '):rep(10) .. '%-28s%s'

--- The rows as a table: two lines a socket, and a third for a name that does not fit.
-- @param options { all = boolean: also those nobody here may open }
-- @param width columns, at least 60
function M.text(rows, options, width)
  local lines = { FIRST:format('VERDICT', 'WRITABLE', 'AUTHORITY', 'SOCKET'),
    SECOND:format('OWNER', 'LINE') }
  local hidden = 0
  for _, row in ipairs(rows) do
    if row.writable == false and not options.all then
      hidden = hidden + 1
    else
      local name, owner = text.visible(row.name), row.owner
      local who = owner and ('%s %d %s'):format(owner.comm:sub(1, 15), owner.pid,
        owner.user or owner.uid) or 'unknown'
      local is_long = #name > width - 36
      lines[#lines + 1] = FIRST:format(M.word(row), writable_text(row),
        text.cut(row.authority or '-', 16), is_long and '' or name):gsub(' +$', '')
      if is_long then lines[#lines + 1] = '  ' .. text.cut(name, width - 2) end
      lines[#lines + 1] = SECOND:format(text.cut(who, 27), cut_front(row.from or '-', width - 38))
    end
  end
  if hidden > 0 then
    lines[#lines + 1] = ('%d more that you may not open: --all shows them'):format(hidden)
  end
  return table.concat(lines, '\n')
end

return M

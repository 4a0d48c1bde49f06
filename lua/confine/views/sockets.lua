-- The listening sockets of the host with owner, writability, authority and verdict, as rows.

local text = require 'confine.values.text'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- Rows for every named socket that can be connected or sent to.
-- @param resolved resolved policy
-- @param sockets list as core.sockets.list gives it
-- @param host { owner = function(inode) -> { pid, comm, exe, uid } or nil, look = function(path),
--   is_writable = function(path) -> true | false | { unknown = reason } }
-- @return list of { name, type, owner, writable, authority, verdict, reason, from }, sorted by name
function M.rows(resolved, sockets, host)
  local out = {}
  for _, socket in ipairs(sockets) do
    local name = socket.path or (socket.abstract and '@' .. socket.abstract)
    if name then
      local row = { name = name, type = socket.type, inode = socket.inode,
        owner = host.owner(socket.inode) }
      local judged
      if socket.abstract then
        judged, row.writable = verdict.abstract(resolved, socket.abstract), true
      else
        local look = name:sub(1, 1) == '/' and host.look(name) or nil
        if look and look.type == 'socket' then
          judged, row.writable = verdict.socket(resolved, look.path, look), host.is_writable(name)
        else
          -- Unlinked, hidden by a mount, or bound in another mount namespace: judged by its name.
          judged = verdict.socket(resolved, name, socket)
          row.writable = look and look.unknown and { unknown = look.unknown } or false
          row.gone = true
        end
      end
      row.verdict, row.reason = judged.verdict, judged.reason
      row.from, row.authority = judged.from, judged.authority
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

local function writable_text(value)
  if type(value) == 'table' then return 'unknown' end
  return value and 'yes' or 'no'
end

--- The rows as a table of at most `width` columns; a name that does not fit has a line of its own.
-- @param options { all = boolean: also those nobody here may open }
function M.text(rows, options, width)
  local lines = { ('%-34s %-18s %-8s %-13s %s')
    :format('SOCKET', 'OWNER', 'WRITABLE', 'AUTHORITY', 'VERDICT') }
  local hidden = 0
  for _, row in ipairs(rows) do
    if row.writable == false and not options.all then
      hidden = hidden + 1
    else
      local owner = row.owner
        and ('%s %d'):format(text.cut(row.owner.comm, 10), row.owner.pid) or '?'
      local says = row.verdict == 'reachable' and (row.off_list and 'off-list' or 'granted')
        or row.verdict
      if row.gone then says = says .. ' (gone)' end
      if row.writable == false then says = says .. ' (only root may open it)' end
      local name = text.visible(row.name)
      local rest = ('%-18s %-8s %-13s %s')
        :format(owner, writable_text(row.writable), row.authority or '-', says)
      if #name <= 34 then
        lines[#lines + 1] = ('%-34s %s'):format(name, rest)
      else
        lines[#lines + 1] = text.cut(name, width)
        lines[#lines + 1] = (' '):rep(34) .. ' ' .. rest
      end
    end
  end
  if hidden > 0 then
    lines[#lines + 1] = ('%d more that you may not open: --all shows them'):format(hidden)
  end
  return table.concat(lines, '\n')
end

return M

-- A plan as operations of the stage (core/stage/stage.h): the executor that refuses for as long as
-- the run lasts.

local M = {}

--- The operations that the stage carries out; bwrap arguments do the others.
local STAGED = { root = true, shadow = true, bind = true, hide = true, protect = true,
  skeleton = true, private = true, processes = true, dev = true, device = true }

--- Is the operation the stage's?
function M.is_staged(op)
  return STAGED[op.op] == true
end

--- Entries that say something: what has none is kept, unless a star would refuse it.
local function entries(op)
  local out, has_stars = {}, false
  for _, entry in ipairs(op.entries) do has_stars = has_stars or entry.glob end
  for _, entry in ipairs(op.entries) do
    local is_plain = entry.as == 'keep' or entry.as == 'link'
    local is_put = op.others == 'none' or (op.others == 'files' and entry.type == 'socket')
    if not is_plain or has_stars or is_put then
      out[#out + 1] = { name = entry.name, as = entry.as, glob = entry.glob }
    end
  end
  return out
end

local RENDER = {}

function RENDER.root() return { op = 'root', path = '/' } end

function RENDER.shadow(op)
  return { op = 'shadow', path = op.path, by = op.by, others = op.others,
    entries = entries(op), absent = op.missing,
    mode = op.others == 'none' and tonumber(op.mode, 8) or nil, writable = op.writable }
end

function RENDER.bind(op, plan)
  local out = { op = 'bind', path = op.path, writable = op.access == 'rw', pin = op.pin }
  for _, item in ipairs(plan.expect) do
    if item.path == op.path then out.dev, out.ino = item.dev, item.ino end
  end
  return out
end

function RENDER.hide(op) return { op = 'hide', path = op.path } end

function RENDER.protect(op)
  return { op = 'protect', path = op.path, folder = op.folder, socket = op.socket,
    content = op.content }
end

function RENDER.skeleton(op) return { op = 'skeleton', path = op.path } end

function RENDER.private(op) return { op = 'private', path = op.path, keep = op.layer } end

--- bwrap would bind the terminal of the command as console too: ttyname(3) finds it there.
function RENDER.dev(op, plan, facts)
  local terminal = plan.tty ~= 'none' and facts.terminal or nil
  if terminal and not terminal:find '^/dev/' then terminal = nil end
  return { op = 'dev', path = op.path, console = terminal }
end

function RENDER.device(op) return { op = 'device', path = op.path, source = op.source } end

--- The stage looks for itself which there are: some of those seen before may have ended.
function RENDER.processes(op) return { op = 'processes', path = op.path } end

--- Renders the staged operations of a plan, in its order.
-- @param facts { terminal = path of the terminal that the command's output goes to, or nil }
-- @return list for core.stage.prepare, and the list of the plan's operations they stand for
function M.render(plan, facts)
  local ops, of = {}, {}
  for _, op in ipairs(plan.ops) do
    if STAGED[op.op] then
      ops[#ops + 1] = RENDER[op.op](op, plan, facts)
      of[#of + 1] = op
    end
  end
  return ops, of
end

return M

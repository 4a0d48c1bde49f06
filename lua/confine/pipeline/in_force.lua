-- What of a run is in force: all of it, except in the build that shows what each guard is worth.
-- core/guard/switch.c says which; only a build with CF_TEST_GUARDS lets it say no.

local M = {}

--- The view operations that each guard of the view stands for.
local OPS = {
  shadows = { shadow = true, hide = true }, protect = { protect = true, skeleton = true },
  private = { private = true }, proc = { proc = true, processes = true, cover = true },
}

--- The bwrap options that each guard stands for, with the number of their values.
local OPTIONS = {
  network = { ['--unshare-net'] = 0 }, ipc = { ['--unshare-ipc'] = 0 },
  processes = { ['--unshare-pid'] = 0, ['--proc'] = 1 }, session = { ['--new-session'] = 0 },
  capabilities = { ['--cap-drop'] = 1 },
}

--- A plan without what is switched off.
-- @param plan from pipeline.plan; not changed
-- @param is_on function(name of a guard) -> boolean
function M.plan(plan, is_on)
  local off = {}
  for name, kinds in pairs(OPS) do
    if not is_on(name) then off[#off + 1] = kinds end
  end
  if #off == 0 then return plan end
  local out, ops = {}, {}
  for key, value in pairs(plan) do out[key] = value end
  for _, op in ipairs(plan.ops) do
    local is_left = true
    for _, kinds in ipairs(off) do is_left = is_left and not kinds[op.op] and not op.pin end
    if is_left then ops[#ops + 1] = op end
  end
  out.ops = ops
  return out
end

--- bwrap arguments without what is switched off.
-- @param args list of strings; not changed
function M.args(args, is_on)
  local off, any = {}, false
  for name, options in pairs(OPTIONS) do
    if not is_on(name) then
      any = true
      for option, values in pairs(options) do off[option] = values end
    end
  end
  if not any then return args end
  local out, at = {}, 1
  while at <= #args do
    local values = off[args[at]]
    if not values then out[#out + 1] = args[at] end
    at = at + 1 + (values or 0)
  end
  if not is_on 'capabilities' then
    out[#out + 1] = '--cap-add'
    out[#out + 1] = 'ALL'
  end
  return out
end

return M

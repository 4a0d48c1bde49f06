-- confine-lua plan: the plan of a run as a value.

local json = require 'confine.values.json'
local say = require 'confine.forms.cli.say'
local session = require 'confine.forms.cli.session'
local text = require 'confine.values.text'

local M = { name = 'plan', summary = 'Show the plan of a run: operations, environment, guards.',
  words = '[--] CMD...' }

function M.options(parser, option)
  session.policy_options(parser, option)
  session.layer_options(parser, option)
  parser:flag '--json':description 'Print JSON.'
end

local LEGEND = [[

shadow    a folder of the run's own, in which the host's other names are put back; in it `inert`
          answers connections with a refusal, `absent` is not there, nor is it when it appears
hide      /dev/null or an empty folder stands there      bind      the host's own
private   writes go to a layer of the run                protect   read-only, kept while absent
skeleton  an empty repository stands for a .git          cover     what stays hidden of /proc
(policies/...) is the built-in line that says so; `confine-lua explain PATH` tells why
]]

local function line(op)
  local said = ('%-8s %s'):format(op.op, text.visible(op.path))
  for _, key in ipairs { 'access', 'by', 'mode', 'type' } do
    if op[key] then said = said .. (' %s=%s'):format(key, op[key]) end
  end
  if op.from then said = said .. ('  (%s)'):format(op.from) end
  local out = { said }
  for _, entry in ipairs(op.entries or {}) do
    if entry.as ~= 'keep' then
      out[#out + 1] = ('           %-7s %s%s'):format(entry.as, text.visible(entry.name),
        entry.from and ('  (%s)'):format(entry.from) or '')
    end
  end
  if op.missing then
    out[#out + 1] = ('           absent  %d names of built-in records that are not there')
      :format(#op.missing)
  end
  return table.concat(out, '\n')
end

function M.main(options)
  if #options.words == 0 then
    say.error('no command is named\n    confine-lua plan [options] [--] CMD...')
    return 2
  end
  local prepared, problems = session.plan(options, options.words)
  if not prepared then return say.problems(problems) end
  local plan = prepared.plan
  if options.json then
    io.stdout:write(json.encode(plan), '\n')
    return 0
  end
  for _, op in ipairs(plan.ops) do io.stdout:write(line(op), '\n') end
  for _, item in ipairs(plan.env) do
    io.stdout:write(('env      %s=%s  (%s)\n')
      :format(item.name, text.visible(item.value), item.from))
  end
  for _, guard in ipairs(plan.guards) do
    io.stdout:write(('guard    %s  (%s)\n'):format(guard.guard, guard.from))
  end
  io.stdout:write(('net %s, proc %s, ipc %s, tty %s, userns %s\n')
    :format(plan.net, plan.proc, plan.ipc, plan.tty, plan.userns))
  io.stdout:write(LEGEND)
  return 0
end

return M

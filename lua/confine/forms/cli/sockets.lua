-- confine-lua sockets: every listening socket with owner, writability, authority and verdict.

local core = require 'confine.core'
local json = require 'confine.values.json'
local say = require 'confine.forms.cli.say'
local session = require 'confine.forms.cli.session'
local views = require 'confine.views.sockets'

local M = { name = 'sockets',
  summary = 'List the listening Unix sockets with owner, verdict and policy line.',
  words = '[FILTER]' }

function M.options(parser, option)
  session.policy_options(parser, option)
  parser:flag '--all -a':description 'Also those that you may not open.'
  parser:flag '--json':description 'Print JSON.'
  parser:epilog 'FILTER is a part of a name, an owner, an authority, a verdict or a line.'
end

--- @return function(uid) -> the user's name, or nil
local function user_names()
  local names = {}
  return function(uid)
    if names[uid] == nil then
      local entry = core.host.passwd(uid)
      names[uid] = entry and entry.name or false
    end
    return names[uid] or nil
  end
end

function M.main(options)
  if #options.words > 1 then
    say.error('one FILTER at most')
    return 2
  end
  local prepared, problems = session.resolve(options, true)
  if not prepared then return say.problems(problems) end
  local sockets = prepared.facts.sockets
  local inodes = {}
  for i, socket in ipairs(sockets) do inodes[i] = socket.inode end
  local owners = core.sockets.owners(inodes) or {}
  local rows = views.rows(prepared.resolved, sockets, {
    owner = function(inode) return owners[inode] end, user = user_names(),
    look = core.paths.look, is_writable = core.paths.is_writable })
  local shown = {}
  for _, row in ipairs(rows) do
    if not options.words[1] or views.matches(row, options.words[1]) then shown[#shown + 1] = row end
  end
  if options.json then
    io.stdout:write(json.encode(shown), '\n')
  else
    io.stdout:write(views.text(shown, { all = options.all }, 80), '\n')
  end
  return 0
end

return M

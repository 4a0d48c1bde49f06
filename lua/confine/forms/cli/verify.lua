-- confine-lua verify: holds what a policy claims on this host against real attempts.

local core = require 'confine.core'
local json = require 'confine.values.json'
local judge = require 'confine.battery.judge'
local path = require 'confine.values.path'
local rows = require 'confine.battery.rows'
local say = require 'confine.forms.cli.say'
local session = require 'confine.forms.cli.session'
local text = require 'confine.values.text'
local views = require 'confine.views.verify'

local M = { name = 'verify', needs_posix = true,
  summary = 'Try what must be refused, outside and inside, and compare with explain.' }

function M.options(parser, option)
  session.policy_option(option)
  session.layer_options(parser, option)
  option('--only', 'name', 'One class, row or probe by name. May be repeated.'):count '*'
  option('--html', 'file', 'Write the results as a page to look at.')
  parser:flag '--json':description 'Print JSON.'
  local names = {}
  for _, class in ipairs(rows) do
    local list = {}
    for i, row in ipairs(class.rows) do list[i] = row.name end
    names[#names + 1] = ('%s: %s.'):format(class.name, table.concat(list, ', '))
  end
  parser:epilog('Exit status: 0, or 1 when something is open, broken or not as explain says.\n'
    .. 'Classes and rows: ' .. table.concat(names, '\n'))
end

--- The options that are passed on to runs of their own, with absolute names of files.
-- @return options, and the same as words
local function absolute(options)
  local cwd, out, words = core.host.cwd(), {}, {}
  for key, value in pairs(options) do out[key] = value end
  local function each(name, change)
    local given = options[name]
    if given == nil then return end
    out[name] = {}
    for i, item in ipairs(type(given) == 'table' and given or { given }) do
      local value = type(item) == 'table' and item[1] or item
      out[name][i] = change(value)
      words[#words + 1] = '--' .. name
      words[#words + 1] = out[name][i]
    end
  end
  local function file(value)
    return value:find '^[/~$]' and value or cwd and path.join(cwd, value) or value
  end
  each('policy', function(value)
    return (value:find('/', 1, true) or value:find '%.lua$') and file(value) or value
  end)
  for _, name in ipairs { 'write', 'read', 'hide', 'private' } do each(name, file) end
  for _, name in ipairs { 'env', 'grant', 'socket', 'net' } do
    each(name, function(value) return value end)
  end
  return out, words
end

local function names_of(list)
  local out = {}
  for i, item in ipairs(list or {}) do out[i] = type(item) == 'table' and item[1] or item end
  return out
end

function M.main(options)
  local page
  if options.html then
    local complaint
    page, complaint = core.report.create(options.html)
    if not page then
      say.error(('--html: %s'):format(complaint))
      return 125
    end
  end
  local full, words = absolute(options)
  local done, problems = require('confine.forms.proof').run(full, words, names_of(options.only))
  if not done then return say.problems(problems) end
  if #done.results == 0 then
    say.error(('no probe is named %s\n    confine-lua verify --help names them')
      :format(text.cut(table.concat(names_of(options.only), ', '), 80)))
    return 2
  end
  if page then
    local html = require('confine.views.verify_page').html(done, os.date '%Y-%m-%d %H:%M')
    local ok, complaint = page:write(html)
    if ok then ok, complaint = page:close() end
    if not ok then
      say.error('the page could not be written: ' .. tostring(complaint))
      return 125
    end
  end
  if options.json then
    io.stdout:write(json.encode(done), '\n')
  else
    local is_terminal = core.host.isatty(1) and not os.getenv 'NO_COLOR'
    io.stdout:write(views.text(done, { terminal = is_terminal }), '\n')
  end
  return judge.fails(done.results) and 1 or 0
end

return M

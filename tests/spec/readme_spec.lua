-- The README and the manual page say what is so: each command is accepted, each policy loads, each
-- word, option, profile and file that they name is there, and none is left out.

package.path = './?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local cli = require 'confine.forms.cli'
local core = require 'confine.core'
local layer = require 'confine.pipeline.layer'
local problem = require 'confine.values.problem'
local record = require 'confine.pipeline.record'
local words = require 'confine.words'

local function read(path)
  local handle = assert(io.open(path))
  local text = handle:read('a')
  handle:close()
  return text
end

local README, MANUAL = read 'README.md', read 'doc/confine-lua.1'

--- The blocks of a kind ('console', 'lua', 'sh').
local function blocks(kind)
  local list = {}
  for text in ('\n' .. README):gmatch('\n```' .. kind .. '\n(.-)\n```') do
    list[#list + 1] = text
  end
  return list
end

--- The README without its blocks, and what stands between single backquotes in it.
local PROSE = ('\n' .. README):gsub('\n```.-\n```', '\n')
local SAID = {}
for said in PROSE:gmatch('`([^`\n]+)`') do SAID[#SAID + 1] = said end

--- A command line as words, up to the first pipe; quotes as a shell reads them.
local function split(line)
  local out, word, quote = {}, nil, nil
  for c in line:gmatch('.') do
    if quote then
      if c == quote then quote = nil else word = word .. c end
    elseif c == "'" or c == '"' then
      quote, word = c, word or ''
    elseif c == '|' then
      break
    elseif c == ' ' then
      if word then out[#out + 1] = word end
      word = nil
    else
      word = (word or '') .. c
    end
  end
  assert(not quote, 'an open quote in: ' .. line)
  if word then out[#out + 1] = word end
  return out
end

--- What commands that read their own options accept, as their texts say it.
local RAW = { site = read 'scripts/site.lua', test = read 'lua/lunit.lua' }

--- Why the program would not take a command line, or nil.
local function refusal(line)
  local args = split(line)
  local name = table.remove(args, 1) == 'confine-lua' and table.remove(args, 1)
  if name == '--help' or name == '--version' or name == 'COMMAND' then return nil end
  local is_known = false
  for _, command in ipairs(cli.COMMANDS) do is_known = is_known or command == name end
  if not is_known then return 'no such command' end
  local command = require('confine.forms.cli.' .. name)
  if not command.raw then
    return not cli.parse(command, args) and 'its options are not accepted' or nil
  end
  for _, arg in ipairs(args) do
    local option = arg:match '^%-%-[%w-]+'
    local is_word = name == 'site' and not arg:find '/' and not option
    if option and not RAW[name]:find(option, 1, true)
      or is_word and not RAW[name]:find('WORDS.' .. arg, 1, true) then
      return arg .. ' is not accepted'
    end
  end
end

--- What each command takes, by its parser, as a set of options; and the order they stand in.
local function options_of(name)
  local command, list = require('confine.forms.cli.' .. name), {}
  if command.raw then
    for option in RAW[name]:match('USAGE = %[%[(.-)%]%]'):gmatch '\n  (%-%-[%w-]+)' do
      list[#list + 1] = option
    end
    return list
  end
  local function add(names)
    for option in names:gmatch '%S+' do list[#list + 1] = option end
    return setmetatable({}, { __index = function(self) return function() return self end end })
  end
  local parser = { flag = function(_, names) return add(names) end, epilog = function() end }
  command.options(parser, add)
  return list
end

local function file_exists(path)
  return core.paths.look(core.host.cwd() .. '/' .. path).type ~= 'absent'
end

--- Loads a policy block; its first line names the file that it would be.
local function load_policy(text)
  local file = text:match '^%-%- (%S+)\n'
  if not file then return nil, { 'the first line names no file' } end
  if file:find '_spec%.lua$' then
    local chunk, complaint = load(text, '=' .. file, 't')
    return chunk ~= nil, { complaint }
  end
  local result, message = core.vm.run { name = file, text = text, words = words.globals(),
    facts = {}, seconds = 2, bytes = 16 * 1024 * 1024, instructions = 1000000 }
  if not result then return nil, { message } end
  local kind, base = file:match '/(%l+)/([%w_]+)%.lua$'
  if kind == 'authorities' or kind == 'secrets' or kind == 'protected' then
    local loaded, wrong = record.load(kind, { name = file, base = base, trust = 'builtin' },
      result.returned)
    return loaded, { wrong and problem.text(wrong) }
  end
  local trust = file:find '%.confine%.lua$' and 'project' or 'site'
  local _, problems = layer.load({ name = file, trust = trust }, result.statements)
  local texts = {}
  for i, item in ipairs(problems) do texts[i] = problem.text(item) end
  return #texts == 0, texts
end

--- The rows of the table below a heading: the code in the first column.
local function first_column(heading)
  local section = README:match('\n## ' .. heading .. '\n(.-)\n## ')
  local list = {}
  for row in section:gmatch '\n| `([^`]+)`' do list[#list + 1] = row end
  return list
end

describe('the README', function()
  it('begins with a title, a sentence and the two commands', function()
    assert.is_not_nil(README:find
      '^# confine%-lua\n\n[^#]-%.\n\n```sh\n%./build%.sh demo\n%./build%.sh test\n```\n')
  end)

  it('shows only commands that the program accepts', function()
    local wrong, count = {}, 0
    for _, block in ipairs(blocks 'console') do
      for line in ('\n' .. block):gmatch '\n%$ ([^\n]+)' do
        count = count + 1
        local why = refusal(line)
        if why then wrong[#wrong + 1] = line .. ': ' .. why end
      end
    end
    for _, said in ipairs(SAID) do
      if said:find '^confine%-lua %l' then
        local why = refusal(said)
        if why then wrong[#wrong + 1] = said .. ': ' .. why end
      end
    end
    assert.are.same({}, wrong)
    assert.is_true(count > 10)
  end)

  it('shows only words of build.sh that are there', function()
    local script = read 'build.sh'
    for word in README:gmatch '%./build%.sh (%l+)' do
      assert.is_not_nil(script:find('\n  ' .. word .. '[) ]'), word)
    end
  end)

  it('shows only policies that load', function()
    local list = blocks 'lua'
    assert.is_true(#list >= 6)
    for _, block in ipairs(list) do
      local loaded, problems = load_policy(block)
      assert.are.same({}, problems)
      assert.is_true(loaded ~= nil and loaded ~= false, block)
    end
  end)

  it('has each word of the language in its table, and no other', function()
    local wanted, got = words.names(), first_column 'The policy language'
    table.sort(wanted)
    table.sort(got)
    assert.are.same(wanted, got)
  end)

  it('has each profile in its table, and no other', function()
    local got, wanted = first_column 'Profiles', {}
    for _, item in ipairs(assert(core.paths.list(core.host.cwd() .. '/policies'))) do
      wanted[#wanted + 1] = item.name:match '^(.*)%.lua$'
    end
    table.sort(got)
    assert.are.same(wanted, got)
  end)

  it('has each command in its table, and no other', function()
    local got = {}
    for i, row in ipairs(first_column 'Commands') do got[i] = row:match '^%S+' end
    local seen, wrong = {}, {}
    for _, name in ipairs(got) do seen[name] = true end
    for _, name in ipairs(cli.COMMANDS) do
      if not seen[name] then wrong[#wrong + 1] = 'left out: ' .. name end
      seen[name] = nil
    end
    for _, name in ipairs(got) do
      if seen[name] and name:sub(1, 1) ~= '-' then wrong[#wrong + 1] = 'unknown: ' .. name end
    end
    assert.are.same({}, wrong)
  end)

  it('names each option of run and only options that are there', function()
    local known, wrong = {}, {}
    for _, name in ipairs(cli.COMMANDS) do
      for _, option in ipairs(options_of(name)) do known[option] = true end
    end
    for _, said in ipairs(SAID) do
      for option in (' ' .. said):gmatch ' (%-%-%l[%w-]*)' do
        local is_other = said:find '^%./build' or option == '--help' or option == '--version'
        if not known[option] and not is_other then wrong[#wrong + 1] = 'unknown: ' .. option end
      end
    end
    for _, option in ipairs(options_of 'run') do
      if option ~= '--policy' and not README:find('`[^`\n]*%f[-]' .. option:gsub('%-', '%%-')) then
        wrong[#wrong + 1] = 'left out: ' .. option
      end
    end
    assert.are.same({}, wrong)
  end)

  it('names only files of the tree that are there', function()
    local wrong, count = {}, 0
    for _, said in ipairs(SAID) do
      local room = said:match '^(%l+)/'
      local ours = { policies = 1, scripts = 1, tests = 1, lua = 1, core = 1, doc = 1, tools = 1 }
      if ours[room] and not said:find '[.][.][.]' and not said:find '[A-Z]' then
        count = count + 1
        if not file_exists((said:gsub('/$', ''))) then wrong[#wrong + 1] = said end
      end
    end
    assert.are.same({}, wrong)
    assert.is_true(count > 10)
  end)

  it('names only weaknesses that can be accepted', function()
    for name in README:gmatch "accept '([%w_]+)'" do
      assert.is_not_nil(words.find 'accept'.weaknesses[name], name)
    end
  end)

  it('names only authorities and builtin lines that are there', function()
    for name in README:gmatch "authority%.grant '([%w_]+)'" do
      assert.is_true(file_exists('policies/authorities/' .. name .. '.lua'), name)
    end
    for line in README:gmatch '\n  line     (policies/[%w_/]+%.lua)' do
      assert.is_true(file_exists(line), line)
    end
  end)

  it('says nothing of what must not stand in it', function()
    assert.is_nil(README:find '!%s')
    assert.is_nil(README:find '[^%w]/root/%l')
    assert.is_not_nil(README:find('<!-- bench -->', 1, true))
  end)
end)

describe('the manual page', function()
  local plain = MANUAL:gsub('\\%-', '-')

  it('names each command and each of its options', function()
    local wrong = {}
    for _, name in ipairs(cli.COMMANDS) do
      if not plain:find('\n%.Ic ' .. name .. '%f[%s]') then wrong[#wrong + 1] = name end
      for _, option in ipairs(options_of(name)) do
        local flag = option:gsub('^%-', ''):gsub('%-', '%%-')
        if not plain:find('Fl ' .. flag .. '%f[^%w-]') then
          wrong[#wrong + 1] = name .. ' ' .. option
        end
      end
    end
    assert.are.same({}, wrong)
  end)

  it('names only options that are there', function()
    local known, wrong = { ['-'] = true, ['-help'] = true, ['-version'] = true }, {}
    for _, name in ipairs(cli.COMMANDS) do
      for _, option in ipairs(options_of(name)) do known[option:sub(2)] = true end
    end
    for flag in plain:gmatch 'Fl (%-?[%w-]*)' do
      if not known[flag] then wrong[#wrong + 1] = flag end
    end
    assert.are.same({}, wrong)
  end)

  it('names each word of the language and each profile', function()
    local wrong = {}
    for _, name in ipairs(words.names()) do
      if not plain:find('Ic ' .. name:gsub('%.', '%%.') .. '%f[^%w.]') then
        wrong[#wrong + 1] = name
      end
    end
    for _, name in ipairs(first_column 'Profiles') do
      if not plain:find('Cm ' .. name .. '%f[^%w]') then wrong[#wrong + 1] = name end
    end
    assert.are.same({}, wrong)
  end)
end)

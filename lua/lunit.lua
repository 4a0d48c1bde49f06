--- Runs busted-style specs with nothing but Lua's own libraries, on production machines too.
--
-- Specs may use describe, context, insulate, expose, it, spec, test, pending, before_each,
-- after_each, setup and teardown (strict_ and lazy_ too), finally, and the assertions of
-- `lunit.assert`. Blocks run in busted's order under busted's rules, so that the same files give
-- the same passes, failures and pendings under `lua5.4 /usr/bin/busted`.
local asserts = require 'lunit.assert'
local block = require 'lunit.block'
local report = require 'lunit.report'

local M = {}

asserts.own(debug.getinfo(1, 'S').source)

M.assert = asserts.assert

local USAGE = [[
usage: confine-lua test [OPTION...] FILE|FOLDER...

Runs spec files; of a folder, those named *_spec*.lua in it and below.

  --filter=PATTERN      only tests whose full name matches the Lua pattern (may be repeated)
  --filter-out=PATTERN  not the tests and blocks that match
  --tags=A,B            only tests with #A or #B in their full name
  --exclude-tags=A,B    not the blocks and tests with #A or #B in their name
  --output=KIND         plain (the default), json or tap
  --list                name the tests that would run, and where they stand
  --verbose             name each test as it passes
  --help                this text

Ends with `N passed, N failed, N skipped`. Exit status 1 when a test failed, when a filter
matched nothing or no test was found; 2 when the command line is wrong.
]]

local OUTPUTS = { plain = report.plain, json = report.json, tap = report.tap }

local function any_match(text, patterns)
  for _, pattern in ipairs(patterns or {}) do
    if text:find(pattern) then return true end
  end
  return false
end

local function has_tag(text, tags)
  for _, tag in ipairs(tags or {}) do
    if text:find('#' .. tag) then return true end
  end
  return false
end

--- Decides which blocks are registered, and remembers which filters found something.
local function chooser(opts, seen)
  return function(kind, name)
    if has_tag(name, opts.exclude_tags) or any_match(name, opts.filter_out) then return false end
    if kind == 'describe' then return true end
    local tags, filter = opts.tags or {}, opts.filter or {}
    for _, pattern in ipairs(filter) do
      if name:find(pattern) then seen['--filter ' .. pattern] = true end
    end
    for _, tag in ipairs(tags) do
      if has_tag(name, { tag }) then seen['--tags ' .. tag] = true end
    end
    return (#tags == 0 or has_tag(name, tags)) and (#filter == 0 or any_match(name, filter))
  end
end

--- The spec files that a path stands for.
-- @param path a file, taken as it is, or a folder, searched for *_spec*.lua (hidden folders apart)
-- @return a sorted list of paths, or nil and a message
function M.files(path)
  local handle, problem = io.open(path)
  if not handle then return nil, problem end
  local _, _, errno = handle:read(0)
  handle:close()
  if not errno then return { path } end
  local quoted = "'" .. path:gsub('^%-', './-'):gsub('/+$', ''):gsub("'", "'\\''") .. "/'"
  local files = {}
  local find = io.popen('LC_ALL=C find ' .. quoted ..
    " -name '.?*' -prune -o -type f -name '*_spec*.lua' -print")
  for line in find:lines() do files[#files + 1] = (line:gsub('//', '/')) end
  find:close()
  table.sort(files)
  if #files == 0 then return nil, path .. ': no *_spec*.lua in this folder' end
  return files
end

--- Runs spec files.
-- @param paths a list of files and folders
-- @param opts nil or a table: filter, filter_out (lists of Lua patterns on full names), tags,
--   exclude_tags (lists of words), list (only collect the names), reporter (see lunit.report)
-- @return { passed, failed, errors, pending = counts, entries = list in the order of the run }; an
--   entry is { status = 'passed'|'failed'|'error'|'pending'|'listed', name, file, line, at, text,
--   trace }. A path that cannot be read, a filter that matches nothing and a run without any test
--   are entries with status 'error'.
function M.run(paths, opts)
  opts = opts or {}
  local reporter = opts.reporter or {}
  local result = { passed = 0, failed = 0, errors = 0, pending = 0, entries = {} }
  local seen = {}

  local function add(entry)
    local key = entry.status == 'error' and 'errors' or entry.status
    if result[key] then result[key] = result[key] + 1 end
    table.insert(result.entries, entry)
    if reporter.result then reporter.result(entry) end
  end

  local function complain(text)
    add { status = 'error', name = 'lunit', file = 'lunit', line = 0, at = 'lunit', text = text }
  end

  local function record(status, b, details)
    add { status = status, name = block.full_name(b), file = b.file, line = b.line,
      text = details.text, at = details.at, trace = details.trace }
  end

  local session = block.session(chooser(opts, seen), record, opts.list)
  for _, path in ipairs(paths) do
    local files, problem = M.files(path)
    if not files then complain(problem) end
    for _, file in ipairs(files or {}) do
      if reporter.start then reporter.start(file) end
      session:file(file)
    end
  end

  for _, pattern in ipairs(opts.filter or {}) do
    if not seen['--filter ' .. pattern] then
      complain(("--filter '%s' matches no test"):format(pattern))
    end
  end
  for _, tag in ipairs(opts.tags or {}) do
    if not seen['--tags ' .. tag] then
      complain(("--tags '%s' matches no test"):format(tag))
    end
  end
  if #result.entries == 0 then complain('no test was found') end
  if reporter.finish then reporter.finish(result) end
  return result
end

local function split(text)
  local words = {}
  for word in text:gmatch('[^,]+') do words[#words + 1] = word end
  return words
end

--- Reads the command line.
-- @return paths, opts; or nil and a message
local function parse(args)
  local paths, opts = {}, { output = 'plain', filter = {}, filter_out = {} }
  local i, only_paths = 1, false
  while i <= #args do
    local arg = args[i]
    local name, value = arg:match('^(%-%-[%w-]+)=(.*)$')
    name = name or arg
    local function take()
      if not value then
        i = i + 1
        value = args[i]
      end
      return value
    end
    if only_paths or arg:sub(1, 1) ~= '-' or arg == '-' then
      paths[#paths + 1] = arg
    elseif arg == '--' then
      only_paths = true
    elseif name == '--filter' or name == '--filter-out' then
      if not take() then return nil, name .. ' needs a pattern' end
      if not pcall(string.find, '', value) then
        return nil, ('%s: not a Lua pattern: %s'):format(name, value)
      end
      table.insert(opts[name == '--filter' and 'filter' or 'filter_out'], value)
    elseif name == '--tags' or name == '--exclude-tags' then
      if not take() then return nil, name .. ' needs words' end
      opts[name == '--tags' and 'tags' or 'exclude_tags'] = split(value)
    elseif name == '--output' then
      if not OUTPUTS[take() or ''] then return nil, '--output is plain, json or tap' end
      opts.output = value
    elseif arg == '--list' or arg == '--verbose' or arg == '--help' then
      opts[arg:sub(3)] = true
    else
      return nil, 'unknown option ' .. arg
    end
    i = i + 1
  end
  if #paths == 0 and not opts.help then return nil, 'no spec file or folder given' end
  return paths, opts
end

local function wants_colour()
  return not os.getenv('NO_COLOR') and os.execute('[ -t 1 ]') == true
end

--- The command `confine-lua test`.
-- @param args the words after `test`
-- @param write where output goes: function(text), standard output by default
-- @return the exit status: 0, 1 (something failed) or 2 (a wrong command line)
function M.main(args, write)
  local function to_stdout(text)
    io.stdout:write(text)
    io.stdout:flush()
  end
  local paths, opts = parse(args)
  if not paths then
    io.stderr:write('confine-lua test: ', opts, '\n', USAGE)
    return 2
  end
  if opts.help then
    (write or to_stdout)(USAGE)
    return 0
  end
  -- As under stock Lua, specs may require what lies where they are run.
  if not package.path:find('./?.lua', 1, true) then
    package.path = package.path .. ';./?.lua'
  end
  local colour = not write and opts.output == 'plain' and wants_colour()
  if opts.list then
    opts.reporter = report.list(write or to_stdout)
  else
    opts.reporter = OUTPUTS[opts.output](write or to_stdout,
      { colour = colour, verbose = opts.verbose })
  end
  local result = M.run(paths, opts)
  return result.failed + result.errors > 0 and 1 or 0
end

return M

--- Runs every test, part by part, and counts them: `./build.sh test` calls it after the build.
--
-- Usage, in the checkout: lua5.4 tests/run.lua [--long]
--
-- Each part is a command with a log in build/test. A part is counted by its TAP or its closing line
-- (`N passed, N failed[, N skipped]`), else as one test by its exit status. The log of a part that
-- failed is shown whole (of TAP, all but what passed). A skipped test must be listed in
-- tests/may-skip, else it counts as failed.
local IS_LONG = arg[1] == '--long'
local LOGS = 'build/test/'
local AS = { 'user', 'root' }
-- Versions differ in what they do to some lines; this one decides.
local CLANG_FORMAT = '14'
--- Of random cases. The gate repeats itself; new ones are for --long, where somebody reads them.
local SEED = tonumber(os.getenv 'CONFINE_SEED') or (IS_LONG and os.time() or 7)
local FUZZ_SECONDS = tonumber(os.getenv 'CONFINE_FUZZ_SECONDS') or (IS_LONG and 120 or 3)

local total = { passed = 0, failed = 0, skipped = 0 }
local troubles = {}

local function say(format, ...)
  io.stdout:write(format:format(...))
  io.stdout:flush()
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- What a shell command prints, line by line.
local function lines_of(command)
  local lines = {}
  local pipe = io.popen(command)
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

local function read(path)
  local handle = assert(io.open(path))
  local text = handle:read('a')
  handle:close()
  return text
end

--- Seconds since the machine started.
local function now()
  local handle = assert(io.open('/proc/uptime'))
  local seconds = handle:read('n')
  handle:close()
  return seconds
end

--- The patterns of tests/may-skip.
local function allowed_skips()
  local patterns = {}
  for line in io.lines('tests/may-skip') do
    local name = not line:find('^#') and line:match('^(.-)%s+%-%-%s')
    if name then
      patterns[#patterns + 1] = '^' .. name:gsub('[^%w%s*]', '%%%0'):gsub('%*', '.*') .. '$'
    end
  end
  return patterns
end

local MAY_SKIP = allowed_skips()

local function may_skip(name)
  for _, pattern in ipairs(MAY_SKIP) do
    if name:find(pattern) then return true end
  end
  return false
end

--- Reads TAP.
-- @return { passed, failed, skipped = counts, skips = list of {name, reason}, results = sorted
--   list of 'ok name' lines }, or nil when the text has no plan line
local function read_tap(text)
  if not text:find('\n1%.%.%d+') and not text:find('^1%.%.%d+') then return nil end
  local tap = { passed = 0, failed = 0, skipped = 0, skips = {}, results = {} }
  for line in text:gmatch('[^\n]+') do
    local word, name = line:match('^(o?n?o?t? ?ok) %d+ %- (.*)$')
    if word then
      local skipped, reason = name:match('^(.-) # SKIP ?(.*)$')
      local kind = word ~= 'ok' and 'failed' or skipped and 'skipped' or 'passed'
      tap[kind] = tap[kind] + 1
      if skipped then table.insert(tap.skips, { name = skipped, reason = reason }) end
      table.insert(tap.results, kind .. ' ' .. (skipped or name))
    end
  end
  table.sort(tap.results)
  return tap
end

--- Counts by the last closing line of a log; `skipped NAME: REASON` lines name the skips.
local function read_closing_line(text)
  local counts
  local skips = {}
  for line in text:gmatch('[^\n]+') do
    local passed, failed = line:match('^(%d+) passed, (%d+) failed')
    if passed then
      counts = { passed = tonumber(passed), failed = tonumber(failed), skips = skips,
        skipped = tonumber(line:match('(%d+) skipped')) or 0 }
    end
    local name, reason = line:match('^skipped (.-): (.*)$')
    if name then table.insert(skips, { name = name, reason = reason }) end
  end
  return counts
end

local function note_trouble(name)
  troubles[#troubles + 1] = name
end

--- Adds what a part counted to the totals; skips that are not allowed become failures.
local function account(name, counts)
  for _, skip in ipairs(counts.skips) do
    local is_allowed = may_skip(skip.name)
    say('    %s: %s: %s\n', is_allowed and 'skipped' or 'skipped but must run', skip.name,
      skip.reason ~= '' and skip.reason or 'no reason given')
    if not is_allowed then
      counts.skipped, counts.failed = counts.skipped - 1, counts.failed + 1
      note_trouble(name .. ': skipped: ' .. skip.name)
    end
  end
  for key in pairs(total) do total[key] = total[key] + counts[key] end
end

--- Runs one part.
-- @param name what it is called, also its log
-- @param command a shell command
-- @param opts { counts = 'tap' | 'line' | nil, minutes = limit, default 5 }
-- @return what it counted, or nil when it failed as a whole
local function part(name, command, opts)
  opts = opts or {}
  local log = LOGS .. name:gsub('[^%w_.-]+', '-') .. '.log'
  say('%-44s ', name)
  local start = now()
  local _, how, code = os.execute(('timeout --foreground --kill-after=10 %d sh -c %s > %s 2>&1 ' ..
    '< /dev/null'):format((opts.minutes or 5) * 60, quoted(command), quoted(log)))
  if how == 'signal' and code == 2 then os.exit(130) end
  local text = read(log)
  local counts = opts.counts == 'tap' and read_tap(text) or
    opts.counts == 'line' and read_closing_line(text)
  local problem
  if opts.counts and not counts then
    problem = 'no closing line'
  elseif code ~= 0 and (not counts or counts.failed == 0) then
    problem = code == 124 and 'stopped: it took too long' or how .. ' ' .. code
  end
  counts = counts or { passed = problem and 0 or 1, failed = 0, skipped = 0, skips = {} }
  if problem then counts.failed = counts.failed + 1 end
  say('%s%d passed, %d failed, %d skipped  %.1f s\n', problem and problem .. ', ' or '',
    counts.passed, counts.failed, counts.skipped, now() - start)
  if counts.failed > 0 then
    note_trouble(name)
    say('%s\n', (('\n' .. text):gsub('\nok %d+ %- [^\n]*', '')))
  end
  account(name, counts)
  return counts
end

--- Notes a part that could not be run at all here.
local function leave_out(name, reason)
  say('%s\n', name)
  account(name, { passed = 0, failed = 0, skipped = 1,
    skips = { { name = name, reason = reason } } })
end

local function fail(name, reason)
  say('%-44s FAILED: %s\n', name, reason)
  note_trouble(name .. ': ' .. reason)
  total.failed = total.failed + 1
end

local function check_style()
  part('luacheck', 'luacheck -q --no-color .')
  local version = lines_of('clang-format --version')[1]:match('version (%d+)')
  if version == CLANG_FORMAT then
    part('clang-format', "find core tests -name '*.[ch]' | xargs clang-format --dry-run -Werror")
  else
    leave_out('clang-format', ('version %s, not %s'):format(version, CLANG_FORMAT))
  end
  part('cppcheck', 'cppcheck -q -j2 --enable=warning,performance,portability --inline-suppr ' ..
    '--error-exitcode=1 --suppress=missingIncludeSystem ' ..
    '--suppress=normalCheckLevelMaxBranches -Icore core')
  -- Its standard error only counts what .clang-tidy leaves out.
  part('clang-tidy', "find core -name '*.c' | xargs -P2 -n4 sh -c " ..
    [['clang-tidy --quiet "$@" -- -D_GNU_SOURCE -std=c11 -Icore $(pkg-config --cflags lua5.4)]] ..
    " 2>/dev/null' x")
end

--- What goes before a command that must run as root: nothing, sudo, or nil when neither will do.
local function root_prefix()
  if lines_of('id -u')[1] == '0' then return '' end
  if not os.execute('sudo -n true 2>/dev/null') then return nil end
  -- sudo sets the hard limit on core dumps to 0, and some tests are about another.
  return "sudo -n --preserve-env=CI sh -c 'ulimit -c unlimited 2>/dev/null; exec \"$@\"' sh "
end

--- As root where that can be had: the C tests become an ordinary user themselves.
local function run_c_tests()
  part('building the C tests', 'make -j"$(nproc)" c-tests', { minutes = 20 })
  local tests = lines_of('ls build/c-tests/*_test 2>/dev/null')
  if #tests == 0 then fail('C tests', 'there is none') end
  local root = root_prefix() or ''
  for _, path in ipairs(tests) do
    part('C: ' .. path:match('([^/]+)_test$'), root .. path, { counts = 'line' })
  end
end

local function run_fuzzers()
  part('building the fuzz targets', 'make -j"$(nproc)" fuzz', { minutes = 20 })
  local targets = lines_of("find build/fuzz -type f -perm -100 2>/dev/null | sort")
  if #targets == 0 then fail('fuzzing', 'there is no target') end
  for _, path in ipairs(targets) do
    local name = path:match('[^/]+$')
    local corpus, seeds = LOGS .. 'corpus/' .. name, 'tests/fuzz/seeds/' .. name
    os.execute('mkdir -p ' .. quoted(corpus))
    if not os.execute('[ -d ' .. quoted(seeds) .. ' ]') then seeds = '' end
    part('fuzz: ' .. name, ('%s -max_total_time=%d -timeout=10 -print_final_stats=1 ' ..
      '-artifact_prefix=%s %s %s'):format(path, FUZZ_SECONDS, LOGS, corpus, seeds),
      { minutes = FUZZ_SECONDS // 60 + 2 })
  end
end

local function run_specs()
  -- Random cases are the same ones in both runs; the logs say the seed.
  local seed = ('CONFINE_SEED=%d '):format(SEED)
  local by_lunit = part('specs by lunit', seed .. 'build/confine-lua test --output=tap tests/spec',
    { counts = 'tap', minutes = 10 })
  local by_busted = part('specs by busted',
    seed .. 'lua5.4 /usr/bin/busted -o tests/tools/busted_tap.lua tests/spec',
    { counts = 'tap', minutes = 10 })
  if not (by_lunit.results and by_busted.results) then
    return fail('lunit and busted agree', 'one of them did not finish')
  end
  local in_lunit, differences = {}, {}
  for _, line in ipairs(by_lunit.results) do in_lunit[line] = (in_lunit[line] or 0) + 1 end
  for _, line in ipairs(by_busted.results) do in_lunit[line] = (in_lunit[line] or 0) - 1 end
  for line, count in pairs(in_lunit) do
    if count ~= 0 then
      differences[#differences + 1] = (count > 0 and 'lunit only: ' or 'busted only: ') .. line
    end
  end
  table.sort(differences)
  if #differences > 0 then
    return fail('lunit and busted agree', '\n' .. table.concat(differences, '\n'))
  end
  say('%-44s yes\n', 'lunit and busted agree')
  total.passed = total.passed + 1
end

--- Each system spec runs twice in a private place with real daemons: as the ordinary user and as
--- root. Files named *_long_spec.lua and tests with #long in their name belong to --long.
local function run_system_specs()
  local specs = lines_of('ls tests/system/*_spec.lua 2>/dev/null')
  if #specs == 0 then return fail('system specs', 'there is none') end
  part('building the program with switches', 'make -j"$(nproc)" switched', { minutes = 10 })
  local root = root_prefix()
  for _, path in ipairs(specs) do
    for _, as in ipairs(path:find('_long_spec%.lua$') and not IS_LONG and {} or AS) do
      local name = ('system: %s as %s'):format(path:match('([^/]+)_spec%.lua$'), as)
      if root then
        part(name, ('%senv CONFINE_SEED=%d RIG_AS=%s CONFINE_LONG=%s tests/rig/enter ' ..
          'build/confine-lua test --output=tap %s %s'):format(root, SEED, as, IS_LONG and '1' or '',
          IS_LONG and '' or '--exclude-tags=long', path),
          { counts = 'tap', minutes = IS_LONG and 60 or 10 })
      else
        leave_out(name, 'needs root, and sudo asks for a password or is not here')
      end
    end
  end
end

os.execute('rm -rf ' .. LOGS .. ' && mkdir -p ' .. LOGS)
check_style()
run_c_tests()
run_fuzzers()
run_specs()
part('demo', 'scripts/demo.sh')
run_system_specs()

if #troubles > 0 then say('\nfailed:\n  %s\n', table.concat(troubles, '\n  ')) end
say('\n%d passed, %d failed, %d skipped\n', total.passed, total.failed, total.skipped)
os.exit(total.failed == 0)

-- Where attempts are made: outside, inside by a plan, and inside by the command line, also under a
-- terminal of their own and in namespaces in which something is mounted later.

local child = require 'confine.doors.child'
local fcntl = require 'posix.fcntl'
local json = require 'confine.values.json'
local place = require 'confine.doors.private_place'
local problem = require 'confine.values.problem'
local run = require 'confine.doors.run'
local series = require 'confine.doors.series'
local signal = require 'posix.signal'
local stat = require 'posix.sys.stat'
local stdlib = require 'posix.stdlib'
local unistd = require 'posix.unistd'

local M = {}

local LONGEST_SECONDS = 60

local function slurp(path)
  local file = io.open(path, 'rb')
  if not file then return nil end
  local text = file:read 'a'
  file:close()
  return text
end

--- Makes attempts outside, all by one process.
-- @param proof { probe, place, fds }: what the command would inherit too
-- @param orders see doors/series.lua
-- @param options { cwd, fds }, optional
-- @return map key -> finding
function M.outside(proof, orders, options)
  options = options or {}
  if #orders == 0 then return {} end
  proof.serial = (proof.serial or 0) + 1
  local list = ('%s/outside-%d'):format(proof.place.base, proof.serial)
  place.file(list, series.text(orders))
  local outcome = child.run({ proof.probe, 'series', list, '-' },
    { cwd = options.cwd or proof.place.work, fds = options.fds, env = proof.env,
      seconds = LONGEST_SECONDS })
  return series.findings(outcome.out)
end

--- One attempt outside.
function M.outside_once(proof, attempt, options)
  return M.outside(proof, { { key = '1', attempt = attempt } }, options)['1']
    or series.unavailable 'confine-probe did not answer'
end

--- One attempt outside, with what this process itself would pass on.
-- @param probe path of confine-probe
-- @return finding
function M.outside_try(probe, attempt)
  local outcome = child.run({ probe, 'try', table.unpack(attempt) })
  return series.findings(outcome.out)[''] or series.unavailable 'confine-probe did not answer'
end

--- Executes a plan in a child and attends to it meanwhile.
-- @param prepared session with plan and facts
-- @param options { fds, env, cwd = of the launcher; attend = function() called again and again
--   while the command runs; started = function(child) }, all optional
-- @return { findings, bounds, seconds, errors }, or nil and a message
function M.by_plan(prepared, options)
  local answer = assert(io.tmpfile())
  local process = child.fork(function()
    local outcome, problems = run.execute(prepared.plan, prepared.facts,
      { capture = true, timeout = LONGEST_SECONDS })
    if not outcome then
      local texts = {}
      for i, item in ipairs(problems) do texts[i] = problem.text(item) end
      outcome = { kind = 'not_started', message = table.concat(texts, '\n') }
    end
    answer:write(json.encode(outcome))
    answer:close()
    return 0
  end, options)
  if options.started then options.started(process) end
  while not child.ended(process) do
    if options.attend then options.attend() end
    child.pause(1)
  end
  answer:seek 'set'
  local outcome = json.decode(answer:read 'a')
  answer:close()
  if type(outcome) ~= 'table' then return nil, 'the run gave no answer' end
  if outcome.kind ~= 'exited' then
    return nil, ('%s: %s'):format(outcome.kind, outcome.message or outcome.stderr or '')
  end
  return { findings = series.findings(outcome.stdout), bounds = outcome.bounds,
    seconds = outcome.seconds, errors = outcome.stderr }
end

--- The words of a run by the command line.
local function run_words(proof, flags, argv)
  local words = { proof.program, 'run', '--quiet' }
  table.move(proof.policy_words, 1, #proof.policy_words, #words + 1, words)
  table.move(flags, 1, #flags, #words + 1, words)
  words[#words + 1] = '--'
  return table.move(argv, 1, #argv, #words + 1, words)
end

--- The environment of a run by the command line: what it remembers stays in the private place.
local function run_env(proof, more)
  local env = { XDG_STATE_HOME = proof.place.state }
  for name, value in pairs(more or {}) do env[name] = value end
  return env
end

--- Says what came of a run by the command line.
local function conclude(outcome)
  local finding = series.findings(outcome.out)['']
  if finding then return finding end
  local said = outcome.err:match '^confine%-lua: ([^\n]*)' or outcome.err:match '^[^\n]*' or ''
  if outcome.code == 0 then return { result = 'reached', errno = '', detail = 'it started' } end
  if not outcome.code then return series.unavailable 'it did not end in time' end
  return { result = 'refused', errno = '', detail = said, said = outcome.err,
    code = outcome.code }
end

--- Starts one run by the command line, in a folder of its own.
-- @param folder the writable root
-- @param start { argv, policy = { text, mode } or nil, project = text or nil, env, stdin }
-- @return run for M.ended
function M.start(proof, folder, start)
  local flags, fds = {}, {}
  if start.policy then
    local file = ('%s/policies/%s.lua'):format(proof.place.base, folder:match '[^/]*$')
    place.file(file, start.policy[1], tonumber(start.policy[2] or '600', 8))
    flags = { '-p', file }
  end
  if start.project then place.file(folder .. '/.confine.lua', start.project) end
  if start.stdin then fds[0] = fcntl.open(start.stdin, fcntl.O_RDONLY | fcntl.O_CLOEXEC) end
  local run_of = child.begin(run_words(proof, flags, start.argv),
    { cwd = folder, env = run_env(proof, start.env), fds = fds, session = true })
  proof.place.janitor:note('kill', run_of.pid)
  if fds[0] then unistd.close(fds[0]) end
  return run_of
end

--- Waits for a run that M.start started.
-- @return finding
function M.ended(proof, run_of)
  local outcome = child.complete(run_of, LONGEST_SECONDS)
  proof.place.janitor:note('over', run_of.pid)
  return conclude(outcome)
end

--- A terminal of its own, and a program with it as 0, 1, 2 and as its controlling terminal.
-- @param words function(name of the terminal) -> words of the program
-- @return true, or nil and a message
local function under_terminal(words, options)
  local master, message = stdlib.openpt(fcntl.O_RDWR | fcntl.O_NOCTTY)
  if not master then return nil, 'no terminal: ' .. tostring(message) end
  fcntl.fcntl(master, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
  stdlib.grantpt(master)
  stdlib.unlockpt(master)
  local name = stdlib.ptsname(master)
  local argv = words(name)
  local process = child.fork(function()
    unistd.setpid 's'
    -- The first terminal that a session's leader opens is its controlling one.
    local fd = assert(fcntl.open(name, fcntl.O_RDWR))
    for number = 0, 2 do unistd.dup2(fd, number) end
    if fd > 2 then unistd.close(fd) end
    return child.become(argv)
  end, options)
  fcntl.fcntl(master, fcntl.F_SETFL, fcntl.O_NONBLOCK)
  local status = child.poll(LONGEST_SECONDS, function()
    unistd.read(master, 4096)
    return child.ended(process)
  end)
  if not status then child.kill(process) end
  unistd.close(master)
  return status ~= nil, 'it did not end in time'
end

--- Attempts under a terminal, outside and inside.
-- @param orders function(name of the terminal) -> orders
-- @return map key -> finding outside, and the same inside; or nil and a message
function M.terminal(proof, folder, orders)
  local function make(where, before)
    local report = ('%s/%s-report'):format(folder, where)
    local ok, message = under_terminal(function(name)
      local list = ('%s/%s-list'):format(folder, where)
      place.file(list, series.text(orders(name)))
      return before { proof.probe, 'series', list, report }
    end, { cwd = folder, env = run_env(proof) })
    if not ok then return nil, message end
    return series.findings(slurp(report))
  end
  local outside, message = make('outside', function(argv) return argv end)
  if not outside then return nil, message end
  return outside, make('inside', function(argv) return run_words(proof, {}, argv) end)
end

--- Attempts in namespaces where `apart`/later is mounted while the command runs.
-- @param orders the controls, made there without confinement
-- @param inside the attempts
-- @param env variables to add, such as an endpoint
-- @return findings of both, or nil and a message
function M.apart(proof, folder, controls, inside, env)
  local apart = proof.place.apart
  for _, name in ipairs { 'first', 'second', 'own', 'later', 'meet' } do
    place.folder(apart .. '/' .. name)
  end
  place.file(apart .. '/controls', series.text(controls))
  local list = { { key = 'await', attempt = { 'await', apart .. '/meet/go',
    apart .. '/meet/done' } } }
  table.move(inside, 1, #inside, 2, list)
  place.file(folder .. '/list', series.text(list))
  local words = { proof.probe, 'apart', apart }
  local command = run_words(proof, { '--write', apart .. '/meet' },
    { proof.probe, 'series', folder .. '/list', '-' })
  table.move(command, 1, #command, #words + 1, words)
  local outcome = child.run(words, { cwd = folder, env = run_env(proof, env) })
  if outcome.code ~= 0 then
    return nil, (outcome.err:gsub('^confine%-%a+: ', ''):match '^[^\n]*')
  end
  return series.findings(slurp(apart .. '/found')), series.findings(outcome.out)
end

--- Starts a process that no SIGTERM ends and that forks away, by the command line or (confined =
-- false) plainly, and waits until it stands.
-- @return child, or nil and a message
local function start_stubborn(proof, folder, word, flags, confined)
  local mark = folder .. '/mark'
  os.remove(mark)
  local argv = { proof.probe, 'try', 'stubborn', word, mark }
  if confined then argv = run_words(proof, flags, argv) end
  local process = child.start(argv, { cwd = folder, env = run_env(proof), session = true,
    fds = { [0] = -1, [1] = -1, [2] = -1 } })
  proof.place.janitor:note('kill', process.pid)
  local stands = child.poll(5, function() return stat.stat(mark) end)
  if stands then return process end
  child.kill(process)
  return nil, 'the command did not start'
end

--- Is a process with this word in its command line left? Asked for a few seconds while it is.
local function search(proof, word, seconds)
  local attempt, finding = { 'search-cmdline', word }, nil
  child.poll(seconds, function()
    finding = M.outside_once(proof, attempt)
    return finding.result == 'refused'
  end)
  return finding
end

--- The control of the next two: without confinement such a process outlives who started it.
-- @return finding
function M.outlives(proof, folder, word, hex)
  local plain, message = start_stubborn(proof, folder, word, {}, false)
  if not plain then return series.unavailable(message) end
  child.kill(plain)
  child.finish(plain, 2)
  local finding = M.outside_once(proof, { 'search-cmdline', hex(word) })
  signal.killpg(plain.pid, signal.SIGKILL)
  signal.kill(tonumber(slurp(folder .. '/mark')), signal.SIGKILL)
  proof.place.janitor:note('over', plain.pid)
  return finding
end

--- Starts a run of such a process, to be ended by its deadline or by the end of its launcher.
-- @param how 'deadline' or 'killed'
-- @return run for M.survivors, or nil and a message
function M.start_stubborn(proof, folder, how, word)
  return start_stubborn(proof, folder, word, how == 'deadline' and { '--timeout', '1' } or {}, true)
end

--- What is left of such a run after its end.
-- @return finding: refused when nothing is
function M.survivors(proof, run_of, how, word, hex)
  if how == 'killed' then child.kill(run_of) end
  child.finish(run_of, 10)
  proof.place.janitor:note('over', run_of.pid)
  return search(proof, hex(word), 5)
end

return M

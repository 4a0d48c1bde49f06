--- The tree of blocks that spec files register, and how it is run: busted's order and its rules.
--
-- A block is `{kind, name, label, run, parent, file, line, env, children, hooks}`. While its
-- function runs it is the current block: what the function registers hangs below it, globals that
-- it sets live in its `env` (for hooks and exposed blocks: in `target`'s), and globals that it
-- reads are looked for in the `env` of each block above, then in _G.
local asserts = require 'lunit.assert'

local M = {}

asserts.own(debug.getinfo(1, 'S').source)

-- What a spec may call: each name's kind of block, and whether globals and modules are put back
-- after it (insulate) or its globals go two levels up (expose).
local WORDS = {
  describe = 'describe', context = 'describe', insulate = 'describe', expose = 'describe',
  it = 'it', spec = 'it', test = 'it', pending = 'pending',
  setup = 'strict_setup', teardown = 'strict_teardown',
  strict_setup = 'strict_setup', strict_teardown = 'strict_teardown',
  lazy_setup = 'lazy_setup', lazy_teardown = 'lazy_teardown',
  before_each = 'before_each', after_each = 'after_each',
}
local IS_CHILD = { describe = true, it = true, pending = true }

local Pending = {}

--- Globals and loaded modules as they are now, to be put back later.
local function save()
  local state = { globals = {}, loaded = {}, meta = getmetatable(_G) }
  for k, v in next, _G do state.globals[k] = v end
  for k, v in next, package.loaded do state.loaded[k] = v end
  return state
end

local function restore_table(t, saved)
  local names = {}
  for k in next, t do names[#names + 1] = k end
  for _, k in ipairs(names) do rawset(t, k, saved[k]) end
  for k, v in next, saved do rawset(t, k, v) end
end

local function restore(state)
  setmetatable(_G, state.meta)
  restore_table(_G, state.globals)
  restore_table(package.loaded, state.loaded)
end

--- The name of a block with those of the blocks around it, as filters and reports use it.
-- @return a string, for a file its path
function M.full_name(block)
  local names = {}
  while block and block.kind ~= 'file' do
    table.insert(names, 1, tostring(block.name or block.label))
    block = block.parent
  end
  return #names > 0 and table.concat(names, ' ') or block.name
end

--- A new run.
-- @param wanted function(kind, full name) -> whether a block is to be registered
-- @param record function(status, block, details): called for each result; status is 'passed',
--   'failed', 'pending' or 'error'; details has `text` and `at` (file:line), and for errors `trace`
-- @param only_list true to run no test and no hook: each test is recorded as 'listed'
-- @return a session: `session:file(path)` runs one file, `session.assert` is what it gave to specs
function M.session(wanted, record, only_list)
  local session = { wanted = wanted, record = record, only_list = only_list, states = {} }
  session.env = setmetatable({}, {
    __index = function(_, key)
      local block = session.current
      while block do
        local v = block.env[key]
        if v ~= nil then return v end
        block = block.parent
      end
      return _G[key]
    end,
    __newindex = function(_, key, value) session.current.target.env[key] = value end,
  })
  return setmetatable(session, { __index = M })
end

--- Makes `block` the current one; call the result to go back.
local function enter(session, block)
  local previous = session.current
  if previous == block then return function() end end
  local states = session.states
  states[#states + 1] = block.is_insulated and save() or false
  session.current = block
  return function()
    session.current = previous
    local state = table.remove(states)
    -- What an exposed block changed stays, also when the block around it is insulated.
    if block.label == 'expose' and states[#states] then states[#states] = save() end
    if state then restore(state) end
  end
end

local function new_block(fields)
  fields.env, fields.children, fields.hooks = {}, {}, {}
  fields.target = fields
  return fields
end

--- The part of the stack that tells of the spec and of what it called, innermost first.
local function trace(level)
  local lines = {}
  local info = debug.getinfo(level, 'Slnf')
  while info and info.func ~= xpcall do
    if info.what ~= 'C' and not asserts.is_own(info.source) then
      lines[#lines + 1] = ('%s:%d: in %s'):format(info.short_src, info.currentline,
        info.name and ("'%s'"):format(info.name) or 'a function')
    end
    level = level + 1
    info = debug.getinfo(level, 'Slnf')
  end
  return lines
end

--- Sorts what was raised into failure, pending or error.
local function judged(raised)
  if asserts.is_failure(raised) then return 'failed', { text = raised.text, at = raised.at } end
  if getmetatable(raised) == Pending then
    return 'pending', { text = raised.text, at = raised.at }
  end
  local text = type(raised) == 'string' and raised or
    (getmetatable(raised) or {}).__tostring and tostring(raised) or
    raised ~= nil and require('lunit.show').text(raised) or 'nil was raised'
  local at, rest = text:match('^([^\n]-:%d+): (.*)')
  return 'error', { text = rest or text, at = at or asserts.place(4), trace = trace(4) }
end

--- Runs a function as `block`; what it raises is recorded, except a pending.
-- @return 'passed', or how it ended, and the details
local function safe(session, kind, block, f)
  local leave = enter(session, block)
  local status, details = 'passed', nil
  xpcall(f, function(raised)
    local ok, problem = pcall(function() status, details = judged(raised) end)
    if not ok then status, details = 'error', { text = tostring(problem), at = '?:0' } end
  end)
  -- Only a test can fail; anything else that goes wrong is an error outside the tests.
  if status == 'failed' and kind ~= 'it' then status = 'error' end
  leave()
  if status == 'failed' or status == 'error' then session.record(status, block, details) end
  return status, details
end

local function reject(word)
  return function()
    error(("'%s' not supported inside current context block"):format(word), 2)
  end
end

local REJECTED = {}
for word in pairs(WORDS) do REJECTED[word] = reject(word) end

local function raise_pending(text)
  error(setmetatable({ text = text, at = asserts.place(3) }, Pending), 0)
end

--- Registers a block below the current one.
local function register(session, word, name, run, line)
  local kind, parent = WORDS[word], session.current
  local block = new_block {
    kind = kind, label = word, name = name, run = run, parent = parent, file = parent.file,
    line = line, is_insulated = word == 'insulate',
  }
  if IS_CHILD[kind] then
    if not session.wanted(kind, M.full_name(block)) then return end
    if word == 'expose' then block.target = parent.parent or parent end
    table.insert(parent.children, block)
  else
    block.target = parent
    parent.hooks[kind] = parent.hooks[kind] or {}
    table.insert(parent.hooks[kind], block)
  end
end

--- The functions that a spec file sees, for this session.
local function words(session)
  local env = { assert = asserts.assert }
  for word in pairs(WORDS) do
    env[word] = function(name, run)
      local line = debug.getinfo(2, 'l').currentline
      if not run and type(name) == 'function' then
        name, run = nil, name
      elseif not run and word == 'pending' then
        run = function() end
      end
      if run then return register(session, word, name, run, line) end
      return function(f) register(session, word, name, f, line) end
    end
  end
  return env
end

--- Runs one hook; leaf blocks may not register anything.
local function run_leaf(session, block)
  for word, f in pairs(REJECTED) do block.env[word] = f end
  return safe(session, block.kind, block, block.run)
end

--- Runs all hooks of one kind of one block, also after one of them went wrong.
local function run_hooks(session, block, kind)
  local ok = true
  if session.only_list then return ok end
  for _, hook in ipairs(block.hooks[kind] or {}) do
    if run_leaf(session, hook) ~= 'passed' then ok = false end
  end
  return ok
end

--- before_each from the outermost block inwards, until a block's hooks went wrong.
-- @return whether all passed, and the innermost block whose hooks ran
local function before_each(session, block)
  if block.parent then
    local ok, reached = before_each(session, block.parent)
    if not ok then return false, reached end
  end
  return run_hooks(session, block, 'before_each'), block
end

local function after_each(session, block)
  while block do
    run_hooks(session, block, 'after_each')
    block = block.parent
  end
end

--- lazy_setup of a block and those around it, each once, when its first test is about to run.
local function lazy_setup(session, block)
  if block.parent and not lazy_setup(session, block.parent) then return false end
  if block.lazy_done == nil then block.lazy_done = run_hooks(session, block, 'lazy_setup') end
  return block.lazy_done
end

--- The first thing that went wrong stays; a pending that is followed by an error is an error.
local function worse(status, next_status)
  if status == 'passed' or status == 'pending' and next_status ~= 'passed' then
    return next_status
  end
  return status
end

local function run_test(session, block)
  if not lazy_setup(session, block.parent) then return end
  local finally
  local ok, reached = before_each(session, block.parent)
  if ok then
    for word, f in pairs(REJECTED) do block.env[word] = f end
    block.env.finally = function(f) finally = f end
    block.env.pending = raise_pending
    local status, details = safe(session, 'it', block, block.run)
    if finally then
      block.env.pending = REJECTED.pending
      status = worse(status, (safe(session, 'finally', block, finally)))
    end
    if status == 'passed' or status == 'pending' then
      session.record(status, block, details or {})
    end
  end
  after_each(session, reached)
end

local run_block

local function run_child(session, block)
  if session.only_list and block.kind ~= 'describe' then
    session.record('listed', block, {})
  elseif block.kind == 'it' then
    run_test(session, block)
  elseif block.kind == 'pending' then
    session.record('pending', block, {})
  else
    run_block(session, block)
  end
end

--- Runs a file or describe block: registers what it holds, then runs that.
function run_block(session, block)
  local leave = enter(session, block)
  if safe(session, block.kind, block, block.run) == 'passed' then
    if run_hooks(session, block, 'strict_setup') then
      for _, child in ipairs(block.children) do
        local leave_child = enter(session, child)
        run_child(session, child)
        leave_child()
      end
    end
    if block.lazy_done ~= nil then run_hooks(session, block, 'lazy_teardown') end
    run_hooks(session, block, 'strict_teardown')
  end
  leave()
end

--- Runs one spec file. Globals and loaded modules are put back afterwards.
-- @param path a file path; it is also how messages name the file
function M.file(session, path)
  local block = new_block { kind = 'file', label = 'file', name = path, file = path, line = 0,
    is_insulated = true }
  block.env = words(session)
  local chunk, problem = loadfile(path, 't', session.env)
  if chunk then
    block.run = chunk
    run_block(session, block)
  else
    local at, text = problem:match('^(.-:%d+): (.*)')
    session.record('error', block, { text = text or problem, at = at or path, trace = {} })
  end
end

return M

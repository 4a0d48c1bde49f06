-- What a proof stands on: a private place, something to aim at, what the launcher has open.

local battery = require 'confine.battery'
local child = require 'confine.doors.child'
local core = require 'confine.core'
local fcntl = require 'posix.fcntl'
local private_place = require 'confine.doors.private_place'
local socket = require 'posix.sys.socket'
local targets_door = require 'confine.doors.targets'
local unistd = require 'posix.unistd'

local M = {}

--- Descriptors that the launcher has open when it starts the command.
local FD_FOLDER, FD_SOCKET, FD_HIGH = 103, 107, 512

--- Variables that name an engine; the first that is not set outside leads to a target.
local VARIABLES = { 'DOCKER_HOST', 'CONTAINER_HOST', 'BUILDKIT_HOST' }

--- confine-probe beside the program: as make builds it, and as it is installed.
-- @return path, or nil
function M.find_probe(program)
  local folder = program:match '^(.*/)'
  for _, place in ipairs { 'confine-probe', '../lib/confine-lua/confine-probe' } do
    local look = core.paths.look(folder .. place)
    if look and look.type == 'file' then return look.path end
  end
end

--- Sixteen characters that nothing else holds.
function M.random_word()
  local bytes = core.paths.read('/proc/sys/kernel/random/uuid', 64, {})
  local text = bytes or tostring(os.time()) .. unistd.getpid()
  return (text:gsub('[^%x]', ''):sub(1, 16))
end

--- What a line of `make KIND` said, as tokens.
local function made(proof, kind, ...)
  local said, message = proof.targets:order('make', kind, proof.tokens.label)
  local at = 0
  local words = {}
  for word in (said or ''):gmatch '%S+' do words[#words + 1] = word end
  for _, name in ipairs { ... } do
    at = at + 1
    proof.tokens[name] = words[at] or { unknown = tostring(message) }
  end
end

--- The texts that stand for places, numbers and secrets in the records.
-- @return map name -> text
function M.tokens(proof)
  local place, word = proof.place, M.random_word()
  local out = { base = place.base, probe = proof.probe, uid = tostring(unistd.geteuid()),
    label = 'confine-verify-' .. word, secret = 'secret-' .. word, word = 'word-' .. word,
    passed = place.base .. '/passed-' .. word, abstract = '@confine-verify-' .. word,
    key = 'confine-verify-' .. word, plain_below = place.plain:sub(2),
    variable_socket = place.plain .. '/engine.sock', owner_socket = place.plain .. '/keys.sock',
    fd_folder = tostring(FD_FOLDER), fd_socket = tostring(FD_SOCKET), fd_high = tostring(FD_HIGH) }
  for _, name in ipairs { 'home', 'run', 'work', 'plain', 'outside', 'apart' } do
    out[name] = place[name]
  end
  for _, name in ipairs { 'secret', 'word', 'passed' } do
    out[name .. '_hex'] = battery.hex(out[name])
  end
  return out
end

--- Copies confine-probe.
-- @return true, or nil
function M.copy_probe(proof, to)
  local text = core.paths.read(proof.probe, 64 << 20, {})
  return text and private_place.file(to, text, 448) and true
end

--- What confine-probe says that its attempts mean.
-- @return map name of the attempt -> sentence
function M.meanings(proof)
  local out = {}
  for line in child.run({ proof.probe, 'list' }).out:gmatch '[^\n]+' do
    local name, means = line:match '^([^\t]*)\t[^\t]*\t[^\t]*\t(.*)$'
    if name then out[name] = means end
  end
  return out
end

--- A target under the name of a daemon that records know as an owner.
local function start_owner(proof)
  local file = proof.place.bin .. '/ssh-agent'
  if not M.copy_probe(proof, file) then return { unknown = 'confine-probe cannot be copied' } end
  local owner, message = targets_door.start(file, { word = proof.tokens.label })
  if not owner then return { unknown = message } end
  proof.owner = owner
  local ok
  ok, message = owner:arrange { { 'listen', 'agent', 'stream', proof.tokens.owner_socket } }
  return ok and proof.tokens.owner_socket or { unknown = message }
end

--- Starts what attempts aim at and fills the tokens that come of it.
-- @return true, or nil and a message
function M.targets(proof)
  local tokens = proof.tokens
  local targets, message = targets_door.start(proof.probe,
    { word = tokens.word, env = { CONFINE_VERIFY_HELD = tokens.secret } })
  if not targets then return nil, message end
  proof.targets = targets
  tokens.pid, tokens.pid_fd = targets.pid, targets.fd
  local port, why = targets:order 'tcp'
  tokens.port = port or { unknown = why }
  made(proof, 'shm', 'shm', 'shm_id')
  made(proof, 'queue', 'queue')
  made(proof, 'semaphore', 'semaphore')
  made(proof, 'posix-shm', 'posix_shm')
  made(proof, 'posix-queue', 'posix_queue')
  made(proof, 'key', 'session_key', 'user_key')
  tokens.owner_socket = start_owner(proof)
  local ok
  ok, why = targets:arrange { { 'listen', 'http', 'stream', tokens.variable_socket },
    { 'listen', 'connect', 'stream', tokens.plain .. '/inherited.sock' },
    { 'listen', 'http', 'stream', tokens.apart .. '/first/engine.sock' } }
  if not ok then tokens.variable_socket = { unknown = why } end
  return true
end

--- What the launcher has open: standard input on a file, folders, a connected socket.
-- @return map number -> descriptor
function M.descriptors(proof)
  local input = private_place.file(proof.place.base .. '/input', 'text\n')
  local fds = { [0] = fcntl.open(input, fcntl.O_RDONLY | fcntl.O_CLOEXEC) }
  fds[FD_FOLDER] = fcntl.open('/', fcntl.O_RDONLY | fcntl.O_CLOEXEC)
  fds[FD_HIGH] = fds[FD_FOLDER]
  local fd = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0)
  fcntl.fcntl(fd, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
  if socket.connect(fd, { family = socket.AF_UNIX, path = proof.place.plain .. '/inherited.sock' })
  then
    fds[FD_SOCKET] = fd
  end
  return fds
end

--- What the proof adds to what was read of the caller: a further home and runtime folder, in which
-- the names of the records count, and what the environment says.
-- @return function(facts)
function M.amend(proof)
  return function(facts)
    local place, tokens = proof.place, proof.tokens
    table.insert(facts.homes, place.home)
    table.insert(facts.home_folders, place.home)
    table.insert(facts.runtime_dirs, place.run)
    table.insert(facts.volatile, place.run)
    facts.is_volatile[place.run] = true
    facts.state, facts.records = place.state, place.state .. '/placeholders'
    facts.env.CONFINE_VERIFY_SECRET = tokens.secret
    facts.env.PATH = (facts.env.PATH or '/usr/local/bin:/usr/bin:/bin') .. ':' .. tokens.passed
    for _, name in ipairs(VARIABLES) do
      if not facts.env[name] and type(tokens.variable_socket) == 'string' then
        facts.env[name] = 'unix://' .. tokens.variable_socket
        proof.variable = name
        break
      end
    end
  end
end

return M

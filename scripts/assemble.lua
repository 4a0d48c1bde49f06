--- Asks every discovery source and sorts what they find: to be written, known already, or passing.
local found = require 'scripts.found'
local glob = require 'confine.values.glob'
local layer = require 'scripts.layer'
local records = require 'scripts.records'

local M = {}

--- Names that a daemon makes up anew each time: written down, they are wrong at the next login.
local PASSING = {
  '/tmp/ssh-*/agent.*', '/home/*/.ssh/agent/s.*', '/root/.ssh/agent/s.*', '/tmp/dbus-*',
  '/tmp/.org.chromium.*/*', '/tmp/vscode-*', '/run/user/*/vscode-*', '/run/user/*/nvim.*',
  '/tmp/nvim.*/*/*', '/tmp/tmux-*/*', '/run/screen/S-*/*', '/tmp/kitty-*', '/tmp/mykitty-*',
  '/run/user/*/wezterm/gui-sock-*', '/run/user/*/sway-ipc.*',
}

--- Is a finding gone with the process or login that is behind it?
local function is_passing(finding)
  local name = finding.path or finding.abstract
  if not name then return false end
  for _, pattern in ipairs(PASSING) do
    if glob.match(pattern, name) then return true end
  end
  local number = finding.pid and tostring(finding.pid)
  return number ~= nil and name:find('%f[%d]' .. number .. '%f[%D]') ~= nil
end

--- What records stand for on this host whoever logs in: of the environment only where a user keeps
-- things. A name that a record has from DOCKER_CONFIG or its like must be written down, since the
-- variable may not be set at the next launch.
local function lasting(facts)
  local env = {}
  for name, value in pairs(facts.env) do
    if name:find('^XDG_[A-Z]+_HOME$') or name == 'XDG_RUNTIME_DIR' then env[name] = value end
  end
  facts.env = env
  return facts
end

--- Runs the sources.
-- @param host the narrow interface of a host, with `records` (scripts/records.lua)
-- @param sources list of { name, discover = function(host) -> findings, problems }
-- @return { written, known, passing = lists as layer.statements gives them, problems = lines }
function M.run(host, sources)
  local is_covered = records.coverage(host.records, lasting(found.new(host):policy_facts()))
  local written, known, passing, problems = {}, {}, {}, {}
  for _, source in ipairs(sources) do
    local findings, said = source.discover(host)
    for _, problem in ipairs(said) do problems[#problems + 1] = problem end
    for _, finding in ipairs(findings) do
      local list = is_covered(finding) and known or is_passing(finding) and passing or written
      list[#list + 1] = finding
    end
  end
  return { written = layer.statements(written), known = layer.statements(known),
    passing = layer.statements(passing), problems = problems }
end

return M

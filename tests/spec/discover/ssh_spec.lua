--- ssh-agents and masters are found in ssh_config, of which nothing is ever run.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

local AGENT, MASTER = ' (IdentityAgent of ssh_config)', ' (ControlPath of ssh_config)'

--- Discovers with a ~/.ssh/config of this text.
local function with(text, more)
  local given = more or {}
  given.files = given.files or {}
  given.files['/home/u/.ssh/config'] = text
  local host, ran = tree.host(given)
  local list, problems = tree.discover('ssh', host)
  return list, problems, ran
end

describe('ssh discovery', function()
  it('reads every block with its tokens, and all that is included', function()
    local host = tree.host { tree = 'ssh', env = { SSH_AUTH_SOCK = '/srv/sock',
      LAB_AGENT = '/srv/lab', LAB_DIR = '/srv/dir' } }
    local list, problems = tree.discover('ssh', host)
    assert.are.same({
      'ssh_agent glob /home/u/lab/box.example.box/*.sock' .. AGENT,
      'ssh_agent path /home/u/agents/work-work.example.sock' .. AGENT,
      'ssh_agent path /home/u/agents/work-work.sock' .. AGENT,
      'ssh_agent path /run/user/1000/odd agent' .. AGENT,
      'ssh_agent path /srv/dir/agent' .. AGENT,
      'ssh_agent path /srv/lab (variable LAB_AGENT)',
      'ssh_agent path /srv/site/agent.sock' .. AGENT,
      'ssh_agent path /srv/sock (variable SSH_AUTH_SOCK)',
      'ssh_agent path /srv/sock (variable SSH_AUTH_SOCK)',
      'ssh_master glob /home/u/.ssh/cm-*' .. MASTER,
      'ssh_master glob /tmp/u-*@*:*' .. MASTER,
    }, list)
    assert.are.same({
      'IdentityAgent of ssh_config: a home that is not the caller\'s: "~other/agent"' }, problems)
  end)

  it('asks ssh about localhost and each named host, and takes what it says', function()
    local list, _, ran = with('Host near far *.star\n  User u\n', { answers = {
      ['ssh -G -- localhost'] = 'user u\nidentityagent none\n',
      ['ssh -G -- near'] = 'user u\nidentityagent /srv/100%/a.sock\ncontrolpath /srv/cp\n' } })
    assert.are.same({ 'ssh -G -- localhost', 'ssh -G -- near', 'ssh -G -- far' }, ran)
    assert.are.same({ 'ssh_agent path /srv/100%/a.sock' .. AGENT,
      'ssh_master path /srv/cp' .. MASTER }, list)
  end)

  for name, text in pairs {
    ['a Match exec'] = 'Match exec "touch /tmp/x"\n  IdentityAgent /srv/a\n',
    ['one after other conditions'] = 'Match host a !exec true\n  IdentityAgent /srv/a\n',
    ['one in capitals'] = 'mAtCh EXEC=true\n  IdentityAgent /srv/a\n',
    ['one with quotes in the word'] = 'Match e"x"ec true\n  IdentityAgent /srv/a\n',
    ['one with a backslash in the word'] = 'Match ex\\ec true\n  IdentityAgent /srv/a\n',
    ['names to be looked up'] = 'CanonicalizeHostname yes\nIdentityAgent /srv/a\n',
    ['an Include that cannot be followed'] = 'Include ${NO_SUCH}/x\nIdentityAgent /srv/a\n',
  } do
    it('never asks ssh when the settings hold ' .. name, function()
      local list, _, ran = with(text)
      assert.are.same({}, ran)
      assert.are.same({ 'ssh_agent path /srv/a' .. AGENT }, list)
    end)
  end

  it('never asks ssh when an included file holds a Match exec or cannot be read', function()
    local _, _, ran = with('Include inc\n', { files = { ['/home/u/.ssh/inc'] = 'Match exec x\n' } })
    assert.are.same({}, ran)
    local problems
    _, problems, ran = with('Include inc\n',
      { files = { ['/home/u/.ssh/inc'] = { reason = 'Permission denied' } } })
    assert.are.same({}, ran)
    assert.are.same({ '"/home/u/.ssh/inc": Permission denied' }, problems)
  end)

  it('gives up on Includes that never end', function()
    local files = {}
    for i = 1, 40 do files['/home/u/.ssh/i' .. i] = 'Include i' .. i + 1 .. '\n' end
    local _, problems, ran = with('Include i1\n', { files = files })
    assert.are.same({ 'ssh: too many or too deep Includes: "/home/u/.ssh/i17"' }, problems)
    assert.are.same({}, ran)
  end)

  it('reads a file of 1 MB of blanks, quotes and tokens without delay', function()
    local start = os.clock()
    for _, part in ipairs { ' ', '"', '%h', '# ', '\t"', '=' } do
      with('Host a b c d\nIdentityAgent ' .. part:rep(500000 // #part) .. 'x\n')
    end
    assert.is_true(os.clock() - start < 3)
  end)

  it('finds the agents of OpenSSH, desktops, password managers and logins', function()
    local list = tree.discover('ssh', tree.host { sockets = {
      '/home/u/.ssh/agent/s.abc.agent.def', '/home/u/.1password/agent.sock',
      '/home/u/.var/app/com.bitwarden.desktop/data/.bitwarden-ssh-agent.sock',
      '/run/user/1000/gcr/ssh', '/run/user/1000/keyring/ssh', '/tmp/ssh-XXXXab/agent.77',
      '/home/u/.lima/vm/ssh.sock',
    } })
    assert.are.same({
      'ssh_agent path /home/u/.1password/agent.sock (known agent)',
      'ssh_agent path /home/u/.ssh/agent/s.abc.agent.def (known agent)',
      'ssh_agent path /home/u/.var/app/com.bitwarden.desktop/data/.bitwarden-ssh-agent.sock '
        .. '(known agent)',
      'ssh_agent path /run/user/1000/gcr/ssh (known agent)',
      'ssh_agent path /run/user/1000/keyring/ssh (known agent)',
      'ssh_agent path /tmp/ssh-XXXXab/agent.77 (agent in /tmp)',
      'ssh_master path /home/u/.lima/vm/ssh.sock (Lima machine)',
    }, list)
  end)
end)

-- Logins in settings files: what is taken for one, and what everyday settings hold that is none.

package.path = 'lua/?.lua;lua/?/init.lua;' .. package.path
local login = require 'confine.values.login'

-- Made up, and put together here, so that no scanner takes this file for a leak.
local function long(prefix, size) return prefix .. ('x7Q'):rep(size) end

describe('a login is found', function()
  local LOGINS = {
    ['export OPENAI_API_KEY=' .. long('k', 8)] = 'OPENAI_API_KEY',
    ["export GITHUB_TOKEN='abcd1234'"] = 'GITHUB_TOKEN',
    ['set -gx ANTHROPIC_API_KEY abcd1234'] = 'ANTHROPIC_API_KEY',
    ['export PGPASSWORD=hunter2'] = 'PGPASSWORD',
    ['MYSQL_PWD=hunter2'] = 'MYSQL_PWD',
    ['"//registry.example/:_authToken" "abcd1234"'] = '_authToken',
    ['setenv DB_PASSWORD hunter2'] = 'DB_PASSWORD',
    ['SETUVAR --export HF_TOKEN:abcd1234'] = 'HF_TOKEN',
    ['TOKEN_STAGING = "abcd1234"'] = 'TOKEN_STAGING',
    ['aws_secret_access_key = abcd/1234+x'] = 'aws_secret_access_key',
    ['//registry.example/:_authToken=abcd1234'] = '_authToken',
    ['  "apiKey": "abcd1234",'] = 'apiKey',
    ['password: hunter2'] = 'password', ['password: 12345678'] = 'password',
    ['http_password=hunter2'] = 'http_password',
    ['user = "me:hunter2"'] = 'user',
    ['proxy-user = me:hunter2'] = 'proxy-user',
    ['  extraheader = AUTHORIZATION: basic abcd1234'] = 'AUTHORIZATION',
    ['header = "Authorization: Bearer abcd1234"'] = 'Authorization',
    ['index-url = https://me:hunter2@pypi.example/simple'] = 'a password in a URL',
    ['deb https://' .. long('t', 8) .. '@apt.example/ stable main'] = 'a password in a URL',
    ['channel_alias: https://conda.example/t/tk-123'] = 'a password in a URL',
    ['# http_proxy = http://me:hunter2@proxy.example:3128'] = 'a password in a URL',
    ['http_proxy=http://me:%40hunter2@proxy.example'] = 'a password in a URL',
    ['x http://me:h@nter!2@proxy.example/'] = 'a password in a URL',
    ["DB_PASSWORD='!hunter2'"] = 'DB_PASSWORD', ["DB_PASSWORD='$hunter2'"] = 'DB_PASSWORD',
    ['aws_secret_access_key = /' .. long('', 13)] = 'aws_secret_access_key',
    ['smtppass = hunter2'] = 'smtppass', ['export SSHPASS=hunter2'] = 'SSHPASS',
    ['openai_key = "' .. long('k', 6) .. '"'] = 'openai_key',
    ['$env.X_TOKEN = "abcd1234"'] = 'env.X_TOKEN', ["let $X_TOKEN = 'abcd1234'"] = 'X_TOKEN',
    ['(setq openai-api-key "abcd1234")'] = 'openai-api-key',
    ['(setenv "X_TOKEN" "abcd1234")'] = 'X_TOKEN', ['token <- "abcd1234"'] = 'token',
    ['set-environment -g X_TOKEN abcd1234'] = 'X_TOKEN', ['X_TOKEN DEFAULT=abcd1234'] = 'X_TOKEN',
    ['API_TOKEN+=abcd1234'] = 'API_TOKEN', ['user me:hunter2'] = 'a password of a command',
    ['-u me:hunter2'] = 'a password of a command', ['open -u me,hunter2 x'] =
      'a password of a command', ['--password hunter2'] = 'a password of a command',
    ['oauth2-bearer abcd1234'] = 'a password of a command',
    ["alias up='curl -u me:hunter2 https://x.example'"] = 'a password of a command',
    ["alias in='sshpass -p hunter2 ssh x'"] = 'a password of a command',
    ['key: ' .. long('sk' .. '_live_', 8)] = 'a token',
    ['git clone ' .. long('gh' .. 'p_', 12)] = 'a token',
    ['x ' .. long('sk' .. '-ant-', 12)] = 'a token',
    ['-----BEGIN RSA PRIVATE' .. ' KEY-----'] = 'a token',
    ['GITHUB_PAT=abcd1234'] = 'GITHUB_PAT',
    ['STRIPE_KEY=abcd1234abcd1234'] = 'STRIPE_KEY',
  }
  for line, what in pairs(LOGINS) do
    it('in ' .. line, function()
      assert.are.same({ line = 2, what = what }, login.find('first\n' .. line .. '\nlast\n'))
      assert.are.same({ line = 1, what = what }, login.find(line))
    end)
  end

  it('in the first line that holds one', function()
    assert.are.same({ line = 2, what = 'B_TOKEN' },
      login.find 'a=1\nB_TOKEN=abcd1234\nC_PASSWORD=hunter2\nx http://a:hunter2@b/\n')
  end)
end)

describe('no login is', function()
  for _, line in ipairs {
    'export GITHUB_TOKEN=$(pass show github)', 'export A_TOKEN="$B_TOKEN"', 'A_TOKEN=`cat x`',
    'if [ "$TOKEN" = "abcd1234" ]; then', 'echo ${TOKEN:-abcd1234}', 'unset GITHUB_TOKEN',
    'export TOKENIZERS_PARALLELISM=false', 'KEYTIMEOUT=100', 'PASSWORD_STORE_DIR=private',
    'export VAULT_TOKEN_FILE=secrets', 'token = /run/secrets/x', '-- password:',
    '# password = x1y2z3',
    '; token = abcd1234', '// "token": "abcd1234"', 'password =', 'askpass = true',
    'bindkey "^R" history-search', '"editor.semanticTokenColorCustomizations": {',
    '"maxTokens": 40960', '"tokenType": "jwt0"', 'credential.helper = store',
    '[credential "https://x.example"]', 'signingkey = ABCDEF0123456789', 'user: "1000:1000"',
    'url = ssh://git@host.example/x', 'url = git@host.example:me/x.git',
    'url = https://me@host.example/x', 'http_proxy = http://proxy.example:3128/',
    'index-url = https://${USER}:${PASS}@host.example/', 'https://user:<password>@host.example',
    'name = A. User', 'user = me', 'alias kp="kubectl get pods"', 'pass() { :; }',
    'OLDPWD=/home/me', 'PWD=src/x',
    '# see https://discourse.example/t/how-to-set-path/1234',
    '#export http_proxy=http://user:password@proxy.example:3128',
    'api_key = os.getenv("OPENAI_API_KEY")', "c.ServerApp.token = os.environ['X_TOKEN']",
    'password = System.getenv("X")', 'token <- gitcreds_get()$password',
    'api_key = vim.env.OPENAI_API_KEY', 'token: op://vault/item/field', "alias pass='gopass'",
    "alias pw='pwgen -s 20 1'", 'pw = push --force-with-lease', 'read -rsp "Password: " pw',
    'echo "Password: please enter"', 'GPG_KEY=0123456789ABCDEF0123', 'SSH_KEY=id_ed25519',
    'FZF_TMUX_KEY=ctrl-t', 'PASSWORD_STORE_X_SELECTION=primary', 'passwd: files systemd',
    'set shortmess+=c  " do not pass messages on', 'export SSH_ASKPASS=ksshaskpass',
    'export API_TOKEN="xxxxxxxx"', "alias n='docker run --user=node:node x'",
    'git log -u origin:main', 'docker run -u 1000:1000 x', 'primary_key: identifier0123456789',
    'bypass: yesplease', 'compat = true', 'password-store = gnome', 'auth_method: token',
    "export SSH_AUTH_SOCK=/run/user/1000/x", 'export GPG_TTY=$(tty)', 'PASSWORD=%(here)s',
    'secret: !vault |', 'authenticator: oauth', 'PATH="$HOME/bin:$PATH"', 'monkey: banana1',
  } do
    it(line, function() assert.is_nil(login.find(line .. '\n')) end)
  end

  it('in a text without one; and no long one takes for ever', function()
    assert.is_nil(login.find(''))
    assert.is_nil(login.find(('alias key=value # token\n'):rep(1000)))
    for _, part in ipairs { 'token=$', '-eyJ', 'a://', 'a://a/t', 'token = "', '-----BEGIN A ',
      'token ', 'user=a', 'key', '"', 'sk-', 'pass: ' } do
      login.find(part:rep(64 * 1024))
    end
  end)
end)

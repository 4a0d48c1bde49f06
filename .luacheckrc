-- What luacheck holds the Lua code to: Lua 5.4, 100 columns, no globals; each dialect gets its words.
std = 'lua54'
max_line_length = 100
exclude_files = { 'build', 'tests/fixtures/lunit/broken_spec.lua' }

files['tests/spec'] = { std = '+busted' }
files['tests/system'] = { std = '+busted' }
files['tests/fixtures/lunit'] = { std = '+busted' }

-- Policies are written in the words of the policy language, records in `record`.
local policy_words = {
  'authority', 'socket', 'env', 'file', 'device', 'net', 'proc', 'ipc', 'tty', 'userns', 'limit',
  'include', 'accept', 'facts', 'record',
}
files['policies'] = { read_globals = policy_words }
files['tests/fixtures/policies'] = { read_globals = policy_words }

-- `env`: the variables that the command sees; nothing passes by default.

return {
  {
    name = 'env.refuse', side = 'refuse', takes = 'variable_globs', options = { 'why' },
    doc = 'Never passes these variables, whoever allows or sets them.',
    examples = { { text = "env.refuse { 'AWS_*', why = 'cloud keys stay outside' }" } },
  },
  {
    name = 'env.allow', side = 'grant', takes = 'variables', options = { 'why' },
    doc = 'Passes a variable of the launcher on, when it is set there.',
    examples = { { text = "env.allow { 'TERM', 'TZ' }" } },
  },
  {
    name = 'env.set', side = 'grant', takes = 'assignments', options = { 'why' },
    doc = 'Gives the command a variable with this value.',
    examples = {
      { text = "env.set('CI', 'true')" },
      { text = "env.set { CI = 'true', NO_COLOR = '1' }" },
    },
  },
}

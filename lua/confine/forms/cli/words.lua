-- confine-lua words: the policy language, from the records of the words themselves.

local problem = require 'confine.values.problem'
local say = require 'confine.forms.cli.say'
local text = require 'confine.values.text'
local words = require 'confine.words'

local M = { name = 'words', summary = 'Explain the words of the policy language, with examples.',
  words = '[WORD]' }

function M.options() end

local SIDES = {
  refuse = 'refuses', grant = 'grants (trusted layers only)', scalar = 'the strictest value holds',
}

local function describe(word)
  local lines = { ('%-18s %s'):format(word.name, SIDES[word.side]),
    '    ' .. text.wrap(word.doc, 86, '    ') }
  if word.values then
    lines[#lines + 1] = '    values, strictest first: ' .. table.concat(word.values, ', ')
  end
  if word.options then lines[#lines + 1] = '    options: ' .. table.concat(word.options, ', ') end
  local weaknesses = {}
  for name, doc in pairs(word.weaknesses or {}) do
    weaknesses[#weaknesses + 1] = ('    %s: %s'):format(name, doc)
  end
  table.sort(weaknesses)
  for _, item in ipairs(weaknesses) do
    lines[#lines + 1] = '    ' .. text.wrap(item, 86, '        ')
  end
  for _, example in ipairs(word.examples) do lines[#lines + 1] = '        ' .. example.text end
  return table.concat(lines, '\n')
end

function M.main(options)
  local wanted = options.words[1]
  if options.words[2] then
    say.error('one word at a time\n    confine-lua words [WORD]')
    return 2
  end
  local shown = 0
  for _, name in ipairs(words.names()) do
    if not wanted or name == wanted or name:match '^[^.]+' == wanted then
      io.stdout:write(describe(words.find(name)), '\n')
      shown = shown + 1
    end
  end
  if shown > 0 then return 0 end
  local near = problem.nearest(wanted, words.names()) or problem.nearest(wanted, words.globals())
  say.error(("unknown word '%s'"):format(text.cut(wanted, 60))
    .. (near and ("\n    did you mean '%s'?"):format(near) or ''))
  return 2
end

return M

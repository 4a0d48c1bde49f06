-- The policy language: every noun with its words, found by name; what a statement may look like.

local problem = require 'confine.values.problem'
local shapes = require 'confine.words.shapes'

local M = {}

--- The nouns, in the order in which the manual names them. One file each.
M.NOUNS = {
  'authority', 'socket', 'env', 'file', 'device', 'scalars', 'limit', 'include', 'accept',
}

local index

--- Every word by its full name ('file.hide', 'net'), and their names in manual order.
local function all()
  if index then return index.by_name, index.names end
  local by_name, names = {}, {}
  for _, noun in ipairs(M.NOUNS) do
    for _, word in ipairs(require('confine.words.' .. noun)) do
      word.noun, word.verb = word.name:match '^(%w+)%.?(%w*)$'
      by_name[word.name] = word
      names[#names + 1] = word.name
    end
  end
  index = { by_name = by_name, names = names }
  return by_name, names
end

--- The record of a word, or nil.
function M.find(name)
  return (all())[name]
end

--- The names of all words, in manual order.
function M.names()
  local _, names = all()
  return names
end

--- The global names that are words or their nouns: the first part of each word.
function M.globals()
  local out, seen = {}, {}
  for _, name in ipairs(M.names()) do
    local noun = name:match('^[^.]+')
    if not seen[noun] then
      seen[noun] = true
      out[#out + 1] = noun
    end
  end
  return out
end

local HOST_LIBRARIES = { io = true, os = true, require = true, load = true, loadstring = true,
  dofile = true, loadfile = true, pcall = true, xpcall = true, coroutine = true, debug = true,
  package = true, collectgarbage = true, setmetatable = true, getmetatable = true, rawset = true,
  rawget = true, print = true, _G = true, _ENV = true }

--- The problem of a word that does not exist.
local function unknown(statement)
  local name = statement.word
  local noun = name:match('^[^.]+')
  if HOST_LIBRARIES[noun] then
    return problem.new { kind = 'unknown_word', word = name, from = statement.from,
      message = ("`%s` is not available in a policy"):format(noun),
      hint = 'a policy states what is refused and granted; '
        .. 'it has pure builtins and `facts`, nothing else' }
  end
  local of_noun = {}
  for _, known in ipairs(M.names()) do
    if known:match '^[^.]+' == noun and known ~= noun then of_noun[#of_noun + 1] = known end
  end
  local known_words = table.concat(#of_noun > 0 and of_noun or M.names(), ', ')
  local near = problem.nearest(name, M.names()) or problem.nearest(noun, M.globals())
  local hint = near and ("did you mean `%s`?"):format(near) or 'the words are: ' .. known_words
  -- `file.deny` is near to a word that grants.
  if near and #of_noun > 0 and (M.find(near) or {}).side ~= 'refuse' then
    hint = hint .. ' the words are: ' .. known_words
  end
  return problem.new { kind = 'unknown_word', word = name, from = statement.from,
    message = ("unknown word `%s`"):format(name),
    hint = hint }
end

--- Checks one raw statement against its word.
-- @param statement { word, args, from, known? } as the policy evaluator recorded it
-- @return { word, args, from, things = list, options = table }, or nil and a problem
function M.check(statement)
  local word = M.find(statement.word)
  if not word or statement.known == false then return nil, unknown(statement) end
  local things, options, complaint, hint = shapes[word.takes](statement.args, word)
  if not things then
    return nil, problem.new { kind = 'bad_argument', word = word.name, from = statement.from,
      message = ('%s: %s'):format(word.name, complaint), hint = hint }
  end
  return { word = word.name, args = statement.args, from = statement.from,
    things = things, options = options }
end

return M

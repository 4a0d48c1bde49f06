-- The results of a proof as lines for a person: grouped by class and row, what is wrong in full.

local judge = require 'confine.battery.judge'
local rows = require 'confine.battery.rows'
local text = require 'confine.values.text'

local M = {}

local WIDTH = 80
local INDENT = 17

--- How each status is said, and shown on a terminal: a sign and a colour of SGR.
local WORDS = {
  open = { 'OPEN', '✗', '1;31' }, broken = { 'BROKEN', '✗', '1;31' },
  differs = { 'DIFFERS', '≠', '1;31' }, unproved = { 'not provable', '·', '33' },
  granted = { 'granted', '○', '36' }, works = { 'works', '✓', '32' },
  refused = { 'refused', '✓', '32' },
}

local PAD = (' '):rep(INDENT)

--- A text that stands behind the column of the statuses.
local function aside(value)
  return (text.wrap(text.visible(value), WIDTH - INDENT, ''):gsub('\n', '\n' .. PAD))
end

--- Statuses whose probes share lines: nothing more is to be said of them.
local IS_BRIEF = { refused = true, works = true }

--- The words of a status.
function M.word(status) return WORDS[status][1] end

--- The sign of a status.
function M.sign(status) return WORDS[status][2] end

--- An attempt as one would make it by hand.
function M.command(try)
  if try.start then
    local words = {}
    for i, word in ipairs(try.attempt) do words[i] = text.shell(word) end
    return 'confine-lua run -- ' .. table.concat(words, ' ')
  end
  local words = { 'confine-probe try' }
  for _, word in ipairs(try.attempt) do words[#words + 1] = text.shell(word) end
  return table.concat(words, ' ')
end

--- A finding in few words.
function M.finding(finding)
  if not finding then return 'not tried' end
  local errno = finding.errno ~= '' and ' ' .. text.cut(finding.errno, 20) or ''
  local detail = finding.detail ~= '' and (' (%s)'):format(text.cut(finding.detail, 300)) or ''
  return finding.result .. errno .. detail
end

--- What explain says of a try, with its line; nil where it says nothing.
function M.claim(try)
  if try.answer then
    local line = try.answer.from and (' [%s]'):format(text.visible(try.answer.from)) or ''
    return try.answer.verdict .. ', ' .. text.visible(try.answer.reason or '') .. line
  end
  return try.opened and ('opened by ' .. text.visible(try.opened)) or nil
end

--- Results by class and row, in the order of the battery.
-- @return list of { name, title, rows = list of { name, title, results } }, empty rows left out
function M.grouped(results)
  local out = {}
  for _, class in ipairs(rows) do
    local group = { name = class.name, title = class.title, rows = {} }
    for _, row in ipairs(class.rows) do
      local mine = {}
      for _, result in ipairs(results) do
        if result.class == class.name and result.row == row.name then mine[#mine + 1] = result end
      end
      if #mine > 0 then
        group.rows[#group.rows + 1] = { name = row.name, title = row.title, results = mine }
      end
    end
    if #group.rows > 0 then out[#out + 1] = group end
  end
  return out
end

--- A status as it is printed, padded.
local function label(status, options)
  local word, sign, colour = table.unpack(WORDS[status])
  local padded = ('%-12s'):format(word)
  if not options.terminal then return padded end
  return ('\27[%sm%s %s\27[0m'):format(colour, sign, padded)
end

--- The tries that tell why a result is what it is.
local function telling(result)
  local out = {}
  for _, try in ipairs(result.tries) do
    if try.status == result.status and #out < 3 then out[#out + 1] = try end
  end
  return out
end

local function add_full(lines, result, options)
  local function say(line) lines[#lines + 1] = PAD .. line end
  lines[#lines + 1] = ('    %s %s'):format(label(result.status, options),
    text.cut(result.title, WIDTH - INDENT))
  if result.why then say(aside(result.why)) end
  if result.status == 'unproved' then return end
  if result.means then say(aside('success means: ' .. result.means)) end
  for _, try in ipairs(telling(result)) do
    say(M.command(try))
    if try.when then say('tried outside, ' .. try.when) end
    say('outside: ' .. M.finding(try.outside))
    say('inside:  ' .. M.finding(try.inside))
    local claim = M.claim(try)
    if claim then say('explain: ' .. claim) end
  end
end

local function add_row(lines, row, options)
  lines[#lines + 1] = '  ' .. row.title
  local brief = {}
  for _, result in ipairs(row.results) do
    if IS_BRIEF[result.status] then
      brief[result.status] = brief[result.status] or {}
      table.insert(brief[result.status], result.title)
    end
  end
  for _, status in ipairs { 'refused', 'works' } do
    if brief[status] then
      lines[#lines + 1] = ('    %s %s'):format(label(status, options),
        aside(table.concat(brief[status], '; ')))
    end
  end
  for _, result in ipairs(row.results) do
    if not IS_BRIEF[result.status] then add_full(lines, result, options) end
  end
end

--- What was proved, in one line.
function M.summary(done)
  local counts, parts = judge.counts(done.results), {}
  for _, item in ipairs { { 'refused', 'refused' }, { 'works', 'work' }, { 'granted', 'granted' },
    { 'unproved', 'not provable here' }, { 'open', 'OPEN' }, { 'broken', 'BROKEN' },
    { 'differs', 'DIFFER' } } do
    local count = counts[item[1]]
    if count > 0 or item[1] == 'open' then parts[#parts + 1] = ('%d %s'):format(count, item[2]) end
  end
  return ('%s; %.1f s'):format(table.concat(parts, ', '), done.seconds)
end

--- The whole table.
-- @param done from forms.proof
-- @param options { terminal = boolean: colour and signs }
function M.text(done, options)
  local lines = {}
  for _, class in ipairs(M.grouped(done.results)) do
    lines[#lines + 1] = class.title
    for _, row in ipairs(class.rows) do add_row(lines, row, options) end
    lines[#lines + 1] = ''
  end
  lines[#lines + 1] = M.summary(done)
  return table.concat(lines, '\n')
end

return M

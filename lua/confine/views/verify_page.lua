-- The results of a proof as one page: a cell for each probe, which opens to what was tried, what
-- came of it and the policy line. The page loads nothing from anywhere.

local judge = require 'confine.battery.judge'
local text = require 'confine.values.text'
local views = require 'confine.views.verify'

local M = {}

local STYLE = [[
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #59636e; --paper: #fbfbfa;
  --line: #d8dcdf; --card: #ffffff; --good: #1a7f4b; --good-bg: #e3f4ea; --bad: #b42318;
  --bad-bg: #fde7e4; --odd: #8a6100; --odd-bg: #fbf0d6; --told: #1f5fa8; --told-bg: #e2eefb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --dim: #9aa4ae; --paper: #14171a;
  --line: #31373d; --card: #1c2024; --good: #6fd39b; --good-bg: #16301f; --bad: #ff9a8f;
  --bad-bg: #431b17; --odd: #e5bd62; --odd-bg: #35290f; --told: #8fc0f7; --told-bg: #152a42; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .4rem; }
p { margin: .25rem 0; } .dim { color: var(--dim); }
.counts { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; padding: 0;
  list-style: none; }
.counts li { padding: .3rem .7rem; border-radius: .4rem; font-weight: 600; }
.glance { display: flex; flex-wrap: wrap; gap: 3px; margin: .8rem 0; }
.glance a { width: .8rem; height: .8rem; border-radius: .15rem; }
.glance .refused, .glance .works { background: var(--good); }
.glance .open, .glance .broken, .glance .differs { background: var(--bad); }
.glance .unproved { background: var(--odd); } .glance .granted { background: var(--told); }
details:target { outline: 2px solid var(--told); }
.row { display: grid; grid-template-columns: 15rem 1fr; gap: .25rem 1rem; padding: .5rem 0;
  border-top: 1px solid var(--line); }
.row h3 { margin: .2rem 0; font-size: .9rem; font-weight: 500; color: var(--dim); }
.cells { display: grid; grid-template-columns: repeat(auto-fill, minmax(11.5rem, 1fr)); gap: .3rem;
  min-width: 0; }
details { border-radius: .4rem; min-width: 0; }
summary { padding: .25rem .6rem; cursor: pointer; list-style: none; border-radius: .4rem;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: .86rem; }
summary::-webkit-details-marker { display: none; }
summary:focus-visible { outline: 2px solid var(--told); }
details[open] { grid-column: 1 / -1; background: var(--card); border: 1px solid var(--line); }
details[open] > summary { white-space: normal; font-weight: 600; }
.body { padding: .5rem .75rem .75rem; overflow-x: auto; }
.try { border-top: 1px solid var(--line); padding: .45rem 0; }
dl { display: grid; grid-template-columns: 5.5rem 1fr; gap: .1rem .6rem; margin: .3rem 0 0;
  font-size: .86rem; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
code { font: .84rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.refused, .works { background: var(--good-bg); color: var(--good); }
.open, .broken, .differs { background: var(--bad-bg); color: var(--bad); }
.unproved { background: var(--odd-bg); color: var(--odd); }
.granted { background: var(--told-bg); color: var(--told); }
@media (max-width: 44rem) { .row { grid-template-columns: 1fr; } }
]]

local ENTITIES = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;',
  ["'"] = '&#39;' }

--- Text of a page from any bytes: nothing in it is markup, nothing reorders what is around it.
local function escaped(value)
  return (text.visible(tostring(value)):gsub('[&<>"\']', ENTITIES))
end

local function term(name, value)
  if not value then return '' end
  return ('<dt>%s</dt><dd>%s</dd>'):format(name, escaped(value))
end

local function line_of(try)
  return try.answer and try.answer.from or try.opened
end

local function try_html(try)
  return ('<div class="try"><code>%s</code><dl>%s%s%s%s%s%s%s</dl></div>'):format(
    escaped(views.command(try)), term('tried', try.when and 'outside, ' .. try.when),
    term('outside', views.finding(try.outside)), term('inside', views.finding(try.inside)),
    term('explain', views.claim(try)), term('policy', line_of(try)),
    term('change', try.answer and try.answer.remedy), term('note', try.why))
end

local FAILED = { open = true, broken = true, differs = true }

local function name_of(result)
  return views.word(result.status) .. ': ' .. result.title
end

local function cell(result)
  local tries = {}
  for i, try in ipairs(result.tries) do tries[i] = try_html(try) end
  local why = result.why and ('<p>%s</p>'):format(escaped(result.why)) or ''
  local means = result.means
    and ('<p class="dim">Success would mean: %s.</p>'):format(escaped(result.means)) or ''
  return ('<details class="cell" id="p%d"%s><summary class="%s" title="%s">%s %s</summary>'
    .. '<div class="body"><p><b>%s</b></p>%s%s%s</div></details>'):format(result.number,
    FAILED[result.status] and ' open' or '', result.status, escaped(name_of(result)),
    views.sign(result.status), escaped(result.title), escaped(views.word(result.status)), means,
    why, table.concat(tries))
end

local function row_html(row)
  local cells = {}
  for i, result in ipairs(row.results) do cells[i] = cell(result) end
  return ('<div class="row"><h3>%s</h3><div class="cells">%s</div></div>')
    :format(escaped(row.title), table.concat(cells))
end

--- Every probe as a square that leads to its cell, in the order of the cells.
local function glance(groups)
  local out = {}
  for _, class in ipairs(groups) do
    for _, row in ipairs(class.rows) do
      for _, result in ipairs(row.results) do
        out[#out + 1] = ('<a class="%s" href="#p%d" title="%s"></a>'):format(result.status,
          result.number, escaped(name_of(result)))
      end
    end
  end
  return '<nav class="glance">' .. table.concat(out) .. '</nav>'
end

--- What failed, by name, with the way there.
local function failures(results)
  local out = {}
  for _, result in ipairs(results) do
    if FAILED[result.status] then
      out[#out + 1] = ('<li><a href="#p%d">%s</a></li>'):format(result.number,
        escaped(name_of(result)))
    end
  end
  return #out > 0 and '<ul class="failed">' .. table.concat(out) .. '</ul>\n' or ''
end

--- The results with a number each, which is their name in the page.
local function numbered(results)
  local out = {}
  for i, result in ipairs(results) do
    out[i] = { number = i }
    for key, value in pairs(result) do out[i][key] = value end
  end
  return out
end

local function counts_html(results)
  local counts, out = judge.counts(results), {}
  for i = #judge.STATUSES, 1, -1 do
    local status = judge.STATUSES[i]
    if counts[status] > 0 or status == 'open' then
      out[#out + 1] = ('<li class="%s">%d %s</li>'):format(counts[status] > 0 and status
        or 'refused', counts[status], escaped(views.word(status)))
    end
  end
  return '<ul class="counts">' .. table.concat(out) .. '</ul>'
end

--- The page.
-- @param done from forms.proof
-- @param date text to show as when it was made
-- @return HTML text
function M.html(done, date)
  local out = { '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; ',
    'style-src \'unsafe-inline\'"><meta name="viewport" content="width=device-width">',
    '<title>confine-lua verify</title><style>', STYLE, '</style></head><body>\n' }
  local results = numbered(done.results)
  local groups, failed = views.grouped(results), judge.fails(results)
  out[#out + 1] = ('<h1>%s</h1><p class="dim">%s</p>\n'):format(
    failed and 'Something is not as the policy says' or 'Every attempt ended as the policy says',
    escaped(('user %s (%d), profiles %s, kernel %s; %s; %.1f s'):format(done.user, done.uid,
      table.concat(done.profiles, ', '), done.kernel.release, date, done.seconds)))
  out[#out + 1] = counts_html(results) .. failures(results) .. glance(groups)
  out[#out + 1] = '<p class="dim">Each cell is one probe: it was made outside, where it must '
    .. 'succeed, and inside. Open it for the attempt and the policy line.</p>\n'
  for _, class in ipairs(groups) do
    out[#out + 1] = ('<section><h2>%s</h2>'):format(escaped(class.title))
    for _, row in ipairs(class.rows) do out[#out + 1] = row_html(row) end
    out[#out + 1] = '</section>\n'
  end
  out[#out + 1] = '</body></html>\n'
  return table.concat(out)
end

return M

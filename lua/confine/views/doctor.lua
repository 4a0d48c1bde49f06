-- The doctor's report as a table for a person: with symbols and colour on a terminal, plain else.

local text = require 'confine.values.text'

local M = {}

--- Words of one width for each status, and what stands for them on a terminal.
local STYLES = {
  plain = { ok = 'ok', spare = 'without', unknown = 'unknown', weaker = 'WEAKER',
    missing = 'MISSING' },
  symbols = { ok = '✓', spare = '·', unknown = '?', weaker = '!', missing = '✗' },
}
local COLOURS = { ok = '32', spare = '2', unknown = '2', weaker = '33', missing = '31' }

local PLACES = { docker = 'Docker', podman = 'Podman', kubernetes = 'Kubernetes', lxc = 'LXC',
  nspawn = 'systemd-nspawn', bwrap = 'an outer bwrap', debian = 'Debian', ubuntu = 'Ubuntu',
  fedora = 'Fedora', rhel = 'RHEL and its kin', arch = 'Arch', alpine = 'Alpine', suse = 'SUSE',
  nixos = 'NixOS' }

local VERDICTS = {
  full = '`confine-lua run` starts here with all the guards of the default profile.',
  weaker = '`confine-lua run` starts here, with weaker guards: ',
  refused = '`confine-lua run` does not start here: ',
}

local function painted(style, colour, words)
  return style.colour and ('\27[%sm%s\27[0m'):format(colour, words) or words
end

--- Words from a column on, wrapped at the width; the first line begins with a label that reaches
-- to that column, those after it are indented by `more`.
local function add_words(lines, column, label, words, style, more)
  local rest = text.wrap(text.visible(words), style.width - column, (' '):rep(more or 0))
  lines[#lines + 1] = label .. rest:gsub('\n', '\n' .. (' '):rep(column))
end

local function add_block(lines, indent, mark, words)
  for line in (words .. '\n'):gmatch('(.-)\n') do
    lines[#lines + 1] = (' '):rep(indent) .. mark .. text.visible(line)
    mark = (' '):rep(#mark)
  end
end

local function add_remedy(lines, indent, remedy, style)
  local pad = (' '):rep(indent)
  if remedy.see then
    lines[#lines + 1] = pad .. 'remedy: see ' .. remedy.see:gsub('_', ' ')
    return
  end
  local label = ('remedy%s: '):format(remedy.at and ' (' .. (PLACES[remedy.at] or remedy.at) .. ')'
    or '')
  add_words(lines, indent, pad, label .. remedy.does, style, 4)
  if remedy.file then
    lines[#lines + 1] = pad .. '    write to ' .. text.visible(remedy.file.path) .. ':'
    add_block(lines, indent + 8, '', remedy.file.text)
  end
  for _, command in ipairs(remedy.commands or {}) do add_block(lines, indent + 4, '$ ', command) end
  add_words(lines, indent + 4, pad .. '    ', remedy.tried and 'tried: ' .. remedy.tried
    or 'not tried here; source: ' .. remedy.source, style, 4)
end

local function add_finding(lines, finding, style)
  local width = style.symbols and 1 or 7
  local words = STYLES[style.symbols and 'symbols' or 'plain'][finding.status]
  local mark = words .. (' '):rep(width - (utf8.len(words) or #words))
  local indent = 2 + width + 1 + 18
  local label = ('  %s %-17s '):format(painted(style, COLOURS[finding.status], mark),
    finding.name:gsub('_', ' '))
  add_words(lines, indent, label, finding.says, style)
  if finding.status == 'ok' then return end
  if finding.status ~= 'unknown' and finding.missing then
    add_words(lines, indent, (' '):rep(indent), 'without it: ' .. finding.missing, style, 4)
  end
  for _, remedy in ipairs(finding.remedies) do add_remedy(lines, indent, remedy, style) end
end

--- The names of what is weaker or missing.
local function faults(report)
  local out = {}
  for _, section in ipairs(report.sections) do
    for _, finding in ipairs(section.findings) do
      if finding.status == 'weaker' or finding.status == 'missing' then
        out[#out + 1] = (finding.name:gsub('_', ' '))
      end
    end
  end
  return table.concat(out, ', ')
end

--- The report as text.
-- @param report from doctor.report
-- @param style { width = columns, symbols = boolean, colour = boolean }
-- @return string without an end of line
function M.text(report, style)
  local lines = { ('%s, Linux %s %s, uid %d'):format(text.visible(report.place.name),
    report.kernel.release, report.kernel.machine, report.uid) }
  for _, section in ipairs(report.sections) do
    lines[#lines + 1] = ''
    lines[#lines + 1] = painted(style, '1', section.title)
    for _, finding in ipairs(section.findings) do add_finding(lines, finding, style) end
  end
  lines[#lines + 1] = ''
  local closing = VERDICTS[report.verdict]
  if report.verdict ~= 'full' then closing = closing .. faults(report) .. '.' end
  lines[#lines + 1] = text.wrap(closing, style.width, '')
  return table.concat(lines, '\n')
end

return M

--- A busted output handler that prints TAP exactly as lunit does, so that the two can be compared.
--
-- Use: lua5.4 /usr/bin/busted -o tests/tools/busted_tap.lua FOLDER
-- (busted's own TAP handler stops at a file that does not load, and its json one at an error value
-- that is no text.) Ends with lunit's closing line as a comment.
return function()
  local busted = require 'busted'
  local handler = require 'busted.outputHandlers.base'()
  local counts = { passed = 0, failed = 0, skipped = 0 }

  local function name_of(element)
    local names = {}
    while element and element.descriptor ~= 'file' and element.descriptor ~= 'suite' do
      table.insert(names, 1, tostring(element.name or element.descriptor))
      element = busted.parent(element)
    end
    return #names > 0 and table.concat(names, ' ') or element.name
  end

  local function printable(name)
    return (name:gsub('%c', function(c) return ('\\%03d'):format(c:byte()) end))
  end

  local function line(kind, element, text)
    counts[kind] = counts[kind] + 1
    io.write(('%s %d - %s%s\n'):format(kind == 'failed' and 'not ok' or 'ok',
      counts.passed + counts.failed + counts.skipped, printable(name_of(element)),
      kind == 'skipped' and ' # SKIP ' .. printable(text or '') or ''))
    if kind == 'failed' then io.write('# ', (tostring(text):gsub('\n', '\n# ')), '\n') end
    io.flush()
  end

  local reasons = {}

  busted.subscribe({ 'pending' }, function(element, _, message)
    reasons[element] = message and message:gsub('^[^\n]-:%d+: ', '')
    return nil, true
  end)
  busted.subscribe({ 'test', 'end' }, function(element, _, status)
    if status == 'success' then line('passed', element) end
    if status == 'pending' then line('skipped', element, reasons[element]) end
    return nil, true
  end)
  local function problem(element, _, message)
    line('failed', element, message)
    return nil, true
  end
  busted.subscribe({ 'failure' }, problem)
  busted.subscribe({ 'error' }, problem)
  busted.subscribe({ 'suite', 'end' }, function()
    local total = counts.passed + counts.failed + counts.skipped
    io.write(('1..%d\n# %d passed, %d failed, %d skipped\n'):format(total, counts.passed,
      counts.failed, counts.skipped))
    return nil, true
  end)
  return handler
end

--- Prints a run of specs: plain text for people, json and tap for programs.
--
-- A reporter is `{start(file), result(entry), finish(result)}`; each may be absent. It writes
-- through the function it was made with. An entry is what `lunit.run` describes.
local M = {}

local COLOURS = { passed = 32, failed = 31, error = 31, pending = 33 }

local function indented(text) return '    ' .. text:gsub('\n', '\n    ') end

--- A name on one line, whatever is in it.
local function printable(name)
  return (name:gsub('%c', function(c) return ('\\%03d'):format(c:byte()) end))
end

--- Where an entry's trouble is, else where its block stands.
local function place(entry)
  return printable(entry.at or ('%s:%d'):format(entry.file, entry.line))
end

--- The line that closes every run.
-- @param result what `lunit.run` returns
-- @return 'N passed, N failed, N skipped'; errors count as failed
function M.closing_line(result)
  return ('%d passed, %d failed, %d skipped'):format(result.passed,
    result.failed + result.errors, result.pending)
end

--- For people: a line for each file, failures in full as they happen, skips by name.
-- @param write function(text)
-- @param opts { colour = whether to colour, verbose = whether to name each test }
function M.plain(write, opts)
  local counts

  local function painted(status, text)
    if not opts.colour then return text end
    return ('\27[%dm%s\27[0m'):format(COLOURS[status], text)
  end

  local function close_file()
    if not counts or opts.verbose then return end
    local parts = {}
    for _, status in ipairs { 'passed', 'failed', 'error', 'pending' } do
      if counts[status] > 0 then
        parts[#parts + 1] = painted(status, ('%d %s'):format(counts[status], status))
      end
    end
    write(('%s: %s\n'):format(counts.file, #parts > 0 and table.concat(parts, ', ') or 'no tests'))
  end

  local function start(file)
    close_file()
    counts = { file = printable(file), passed = 0, failed = 0, error = 0, pending = 0 }
    if opts.verbose then write(counts.file .. '\n') end
  end

  local function result(entry)
    if counts then counts[entry.status] = counts[entry.status] + 1 end
    if entry.status == 'passed' then
      if opts.verbose then
        write(painted('passed', '  passed  ') .. printable(entry.name) .. '\n')
      end
    elseif entry.status == 'pending' then
      write(('%s%s:%d: %s%s\n'):format(painted('pending', '  skipped '),
        printable(entry.file), entry.line, printable(entry.name),
        entry.text and ': ' .. entry.text or ''))
    else
      local word = entry.status == 'failed' and '  FAILED  ' or '  ERROR   '
      write(('%s%s: %s\n%s\n'):format(painted('failed', word), place(entry),
        printable(entry.name), indented(entry.text)))
      -- A trace of one line says no more than the place.
      for _, line in ipairs(entry.trace and #entry.trace > 1 and entry.trace or {}) do
        write('      ' .. line .. '\n')
      end
    end
  end

  local function finish(outcome)
    close_file()
    local status = outcome.failed + outcome.errors > 0 and 'failed' or 'passed'
    write(painted(status, M.closing_line(outcome)) .. '\n')
  end

  return { start = start, result = result, finish = finish }
end

--- For --list: where each test stands, and its name.
-- @param write function(text)
function M.list(write)
  return {
    result = function(entry)
      write(('%s: %s%s\n'):format(place(entry), printable(entry.name),
        entry.text and ': ' .. entry.text or ''))
    end,
  }
end

--- The Test Anything Protocol, a line for each test as it ends.
-- @param write function(text)
function M.tap(write)
  local count = 0

  local function result(entry)
    count = count + 1
    local is_ok = entry.status == 'passed' or entry.status == 'pending'
    write(('%s %d - %s%s\n'):format(is_ok and 'ok' or 'not ok', count, printable(entry.name),
      entry.status == 'pending' and ' # SKIP ' .. printable(entry.text or '') or ''))
    if not is_ok then
      write(('# %s: %s\n'):format(place(entry), (entry.text:gsub('\n', '\n# '))))
    end
  end

  local function finish(outcome)
    write(('1..%d\n# %s\n'):format(count, M.closing_line(outcome)))
  end

  return { result = result, finish = finish }
end

local function json_string(text)
  return '"' .. text:gsub('[%c"\\\127]', function(c)
    return ('\\u%04x'):format(c:byte())
  end) .. '"'
end

--- One JSON object when the run is over: the counts and a list of entries.
-- @param write function(text)
function M.json(write)
  local function fields(entry)
    local out = {}
    for _, key in ipairs { 'status', 'name', 'file', 'at', 'text' } do
      if entry[key] then out[#out + 1] = json_string(key) .. ':' .. json_string(entry[key]) end
    end
    out[#out + 1] = '"line":' .. entry.line
    return '{' .. table.concat(out, ',') .. '}'
  end

  local function finish(result)
    local entries = {}
    for i, entry in ipairs(result.entries) do entries[i] = fields(entry) end
    write(('{"passed":%d,"failed":%d,"errors":%d,"pending":%d,"entries":[%s]}\n'):format(
      result.passed, result.failed, result.errors, result.pending, table.concat(entries, ',\n')))
  end

  return { finish = finish }
end

return M

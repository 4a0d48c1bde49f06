-- Prints the medians of a hyperfine report in milliseconds, one a line.
local json = require 'confine.values.json'
local handle = assert(io.open(arg[1]))
local report = assert(json.decode(handle:read 'a'))
handle:close()
for _, result in ipairs(report.results) do print(('%.1f'):format(result.median * 1000)) end

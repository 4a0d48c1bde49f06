-- Writes the NUL-separated arguments that bwrap alone would get for a policy: FILE POLICY.
local argv = require 'confine.pipeline.argv'
local session = require 'confine.forms.cli.session'

local prepared, problems = session.plan({ policy = { arg[2] } }, { 'true' })
if not prepared then error(problems[1].message) end
local rendered, wrong = argv.render(prepared.plan, prepared.facts)
if not rendered then error(wrong.message) end
local handle = assert(io.open(arg[1], 'w'))
for _, word in ipairs(rendered.args) do handle:write(word, '\0') end
handle:close()

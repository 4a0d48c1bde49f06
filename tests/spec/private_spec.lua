-- Private places that a layer asks for: over a profile's default of writing, and where all is
-- hidden.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local host = require 'host'
local plan = require 'confine.pipeline.plan'
local verdict = require 'confine.pipeline.verdict'

local TREE = { ['/home/ada/work/build'] = 'dir', ['/home/ada/.cache'] = 'dir',
  ['/home/ada/.cache/old'] = 'file', ['/home/ada/.ssh'] = 'dir' }

--- A profile that hides the home but for the root.
local STRICT = host.layer { name = 'strict', trust = 'builtin', kind = 'profile',
  { 'include', 'default' }, { 'file.hide', { '~', except = { '.' } } },
  { 'file.private', '~/.cache' } }

local function resolved_of(statements, profile)
  local facts, door = host.facts { tree = TREE }
  local resolved, problems = host.resolve { facts = facts, door = door,
    layers = { (host.layer(statements)) },
    profiles = { default = host.default_profile(), strict = STRICT },
    named = { { name = profile or 'default', from = '-p' } } }
  return resolved, problems
end

local function verdicts(resolved, ...)
  local out = {}
  for i, where in ipairs { ... } do
    local judged = verdict.file(resolved, where)
    out[i] = judged.verdict .. (judged.empty and ' and empty' or '')
  end
  return out
end

describe('a private place that a layer asks for', function()
  it('comes before what a profile has writable there, not before what a layer has', function()
    local root, build = '/home/ada/work', '/home/ada/work/build'
    for _, case in ipairs {
      { {}, 'writable', 'writable' },
      { { { 'file.private', '.' } }, 'private', 'private' },
      { { { 'file.private', root } }, 'private', 'private' },
      { { { 'file.private', 'build' } }, 'writable', 'private' },
      { { { 'file.private', '~' } }, 'writable', 'writable' },
      { { { 'file.private', '.' }, { 'file.write', 'build' } }, 'private', 'writable' },
      { { { 'file.private', '.' }, { 'file.write', '.' } }, 'writable', 'writable' },
      { { { 'file.write', '.' }, { 'file.private', '.' } }, 'writable', 'writable' },
    } do
      local statements, of_root, of_build = table.unpack(case)
      assert.are.same({ of_root, of_build }, verdicts(resolved_of(statements), root, build))
    end
  end)

  it('is empty where the place is hidden, and one of a profile stays hidden', function()
    local cache, old, ssh = '/home/ada/.cache', '/home/ada/.cache/old', '/home/ada/.ssh'
    assert.are.same({ 'hidden', 'hidden', 'hidden' },
      verdicts(resolved_of({}, 'strict'), cache, old, ssh))
    assert.are.same({ 'private and empty', 'private and empty', 'hidden' },
      verdicts(resolved_of({ { 'file.private', '~/.cache' } }, 'strict'), cache, old, ssh))
    assert.are.same({ 'hidden', 'hidden', 'private and empty' },
      verdicts(resolved_of({ { 'file.private', '~' } }, 'strict'), cache, old, ssh))
    assert.are.same({ 'hidden', 'hidden', 'hidden' }, verdicts(resolved_of(
      { { 'file.private', '~/.cache' }, { 'file.hide', '~/.cache' } }, 'strict'), cache, old, ssh))
  end)

  it('is known to the folder around it, which shows nothing else', function()
    local resolved = resolved_of({ { 'file.private', '~/.cache/deep' } }, 'strict')
    local made = assert(plan.build(resolved.policy, resolved.facts, { 'true' }, resolved))
    local entries = {}
    for _, op in ipairs(made.ops) do
      if op.op == 'shadow' and op.path == '/home/ada' then entries = op.entries end
    end
    assert.are.same({ { name = '.cache', as = 'dir', type = 'dir' } }, entries)
  end)

  it('cannot be kept where the place is hidden', function()
    local resolved, problems = resolved_of({ { 'file.private', { '~/.cache', keep = true } } },
      'strict')
    assert.is_nil(resolved)
    assert.are.same({ "site.lua:1: file.private '~/.cache': it is hidden (strict:2), so the place "
      .. 'is empty and nothing can be kept in it' },
      { problems[1].from .. ': ' .. problems[1].message })
  end)
end)

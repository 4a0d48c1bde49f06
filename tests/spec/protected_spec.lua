-- What stands for a protected name that is absent, or that another run has put there.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local argv = require 'confine.pipeline.argv'
local bounds = require 'confine.pipeline.bounds'
local host = require 'host'
local plan = require 'confine.pipeline.plan'
local staging = require 'confine.pipeline.staging'

local ROOT = '/home/ada/work'
local GIT = { name = 'git', from = 'policies/protected/git.lua',
  files = { '.git/config', '.git/hooks', '.git/commondir', '.vscode' },
  folders = { 'hooks', '.vscode' }, content = { commondir = '.\n' } }

local function planned(names)
  local tree = {}
  for name, kind in pairs(names) do tree[ROOT .. '/' .. name] = kind end
  local given = { protected = { GIT } }
  given.facts, given.door = host.facts { tree = tree }
  given.facts.git_top = names['.git'] and ROOT
  local _, problems, facts, policy = host.resolve(given)
  assert.are.same({}, problems)
  return assert(plan.build(policy, facts, { 'true' })), facts
end

--- What stands for each protected name once it is gone: d for a folder, s for a socket, f for a
-- file, and what it holds.
local function stands(names)
  local out = {}
  for _, op in ipairs((staging.render(planned(names)))) do
    if op.op == 'protect' or op.op == 'skeleton' then
      local kind = op.op == 'skeleton' and 'skeleton' or op.folder and 'd' or op.socket and 's'
        or 'f'
      out[#out + 1] = op.path:sub(#ROOT + 2) .. ' ' .. kind
        .. (op.content and ' ' .. op.content:gsub('\n', ';') or '')
    end
  end
  return table.concat(out, ', ')
end

describe('what stands for a protected name', function()
  it('is an empty repository where there is none', function()
    assert.are.equal('.git d, .git skeleton, .vscode d', stands {})
  end)

  it('holds what is neutral to git, in a repository', function()
    assert.are.equal('.git/commondir f .;, .git/config f, .git/hooks d, .vscode d *;',
      stands { ['.git'] = 'dir', ['.git/config'] = 'file' })
  end)

  it('is the same where another run has put it, which may end at any moment', function()
    assert.are.equal('.git/commondir f .;, .git/config f, .git/hooks d, .vscode d *;',
      stands { ['.git'] = 'dir', ['.git/config'] = 'file', ['.git/commondir'] = 'file',
        ['.git/hooks'] = 'dir', ['.vscode'] = 'dir' })
  end)

  it('is never made by bwrap, which would leave it on the host', function()
    local made, facts = planned {}
    for _, numbers in ipairs { {}, { info = 3, block = 4 } } do
      local text = table.concat(assert(argv.render(made, facts, numbers)).args, ' ')
      assert.is_nil(text:find('/.git', 1, true), text)
    end
  end)
end)

describe('bounds', function()
  it('tell of what the keeper cannot watch, and of what stays', function()
    local made, facts = planned {}
    local function said(report)
      local stage, out = { results = {}, left = 0, waiting = 0, unwatched = 0 }, {}
      for key, value in pairs(report) do stage[key] = value end
      local got = bounds.of(made, facts, {}, { of = {}, guards = {}, stage = stage })
      for i, item in ipairs(got.weaker) do out[i] = item.name .. ': ' .. item.message end
      return out
    end
    assert.are.same({}, said {})
    assert.are.same({ 'unwatched: the keeper cannot watch all folders (inotify, whose instances or '
      .. 'watches other programs of the user may hold), so it looks every 250 ms: what the host '
      .. 'replaces or makes under a refused or protected name can be open for so long' },
      said { unwatched = 1 })
    assert.are.same({ 'placeholders: 3 placeholders could not be removed; the next run tries again',
      'placeholders: 2 placeholders were changed and stay' }, said { waiting = 3, left = 2 })
  end)
end)

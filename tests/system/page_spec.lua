--- The page of `verify --html` in a real browser: each cell opens to its attempt and policy line,
--- nothing is loaded, nothing overflows, and names of the host stay text.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local json = require 'confine.values.json'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me

--- Looks at the page from inside and leaves what it saw as the title.
local SCRIPT = [[
<script>
const seen = { cells: 0, opened: 0, told: 0, line: 0, errors: [] };
window.onerror = (message) => seen.errors.push(String(message));
seen.images = document.images.length;
seen.scripts = document.scripts.length - 1;
seen.handlers = [...document.querySelectorAll('*')].filter((e) =>
  [...e.attributes].some((a) => a.name.startsWith('on'))).length;
seen.loaded = performance.getEntriesByType('resource').length;
seen.overflow = document.documentElement.scrollWidth - window.innerWidth;
seen.squares = document.querySelectorAll('.glance a').length;
seen.visible = [...document.querySelectorAll('summary')].filter((e) => e.offsetHeight > 10).length;
for (const square of document.querySelectorAll('.glance a'))
  if (!document.querySelector(square.getAttribute('href'))) seen.errors.push(square.href);
for (const cell of document.querySelectorAll('details.cell')) {
  seen.cells++;
  const body = cell.querySelector('.body');
  if (cell.open) seen.errors.push('open from the start: ' + cell.id);
  cell.querySelector('summary').click();
  if (cell.open && body.offsetHeight > 20) seen.opened++;
  if (/outside/.test(body.innerText) && /inside/.test(body.innerText)) seen.told++;
  if (/policy/.test(body.innerText)) seen.line++;
}
seen.overflowOpen = document.documentElement.scrollWidth - window.innerWidth;
seen.hostile = document.body.innerText.includes('<img src=x onerror=alert(1)>');
document.title = JSON.stringify(seen);
</script>
]]

--- What the script saw in a window of this width.
local function look(html, width)
  local file = place.file(me.home .. '/page.html',
    html:gsub('<meta http%-equiv.->', '') .. SCRIPT, me)
  local data = place.folder(me.home .. '/chromium-' .. rig.serial(), me, 448)
  local run = rig.run({ 'chromium', '--headless', '--no-sandbox', '--disable-gpu',
    '--disable-background-networking', '--user-data-dir=' .. data,
    '--window-size=' .. width .. ',900', '--dump-dom', 'file://' .. file }, { timeout = 60 })
  rig.remove(data)
  local title = run.out:match '<title>(.-)</title>' or ''
  local entities = { ['&lt;'] = '<', ['&gt;'] = '>', ['&amp;'] = '&' }
  return json.decode((title:gsub('&%l+;', entities))) or { errors = { run.err } }
end

describe('the page of verify, as ' .. me.as .. ':', function()
  local html, run, lacks

  setup(function()
    rig.fresh_work()
    lacks = rig.run({ 'sh', '-c', 'command -v chromium' }).code ~= 0
      and 'chromium is not installed (package chromium)'
    local evil = me.home .. '/<img src=x onerror=alert(1)>'
    local daemon = rig.start('listener', { path = evil })
    run = rig.run({ rig.program, 'verify', '--html', me.home .. '/verify.html', '--only', 'listed',
      '--only', 'detour', '--only', 'keyring' }, { env = daemon.exports, timeout = 60 })
    html = process.slurp(me.home .. '/verify.html') or ''
  end)
  teardown(rig.stop_all)

  it('is written beside the table', function()
    assert.are.same({ 0, '' }, { run.code, run.err })
    assert.is_not_nil(run.out:find('0 OPEN', 1, true))
    assert.is_nil(html:find '<script')
  end)

  for _, width in ipairs { 1300, 500 } do
    it(('opens each cell to the attempt and the line, %d pixels wide'):format(width), function()
      if lacks then
        pending(lacks)
        return
      end
      local seen = look(html, width)
      assert.are.same({}, seen.errors)
      assert.is_true(seen.cells > 40, tostring(seen.cells))
      assert.are.same({ seen.cells, seen.cells, seen.cells, seen.cells },
        { seen.opened, seen.told, seen.squares, seen.visible })
      assert.is_true(seen.line > 30, tostring(seen.line))
      assert.are.same({ 0, 0, 0, 0 }, { seen.images, seen.scripts, seen.handlers, seen.loaded })
      assert.is_true(seen.overflow <= 0 and seen.overflowOpen <= 0,
        ('%d, open %d'):format(seen.overflow, seen.overflowOpen))
      assert.is_true(seen.hostile)
    end)
  end
end)

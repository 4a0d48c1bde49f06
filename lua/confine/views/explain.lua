-- The answer to "why": verdict, reason, policy line, and what one would write to change it.

local endpoints = require 'confine.pipeline.endpoints'
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local plan = require 'confine.pipeline.plan'
local remedy = require 'confine.views.remedy'
local seen = require 'confine.pipeline.seen'
local text = require 'confine.values.text'
local verdict = require 'confine.pipeline.verdict'
local vocabulary = require 'confine.words'

local M = {}

--- The variable of the launcher's environment that led to a path or an abstract name.
local function variable_of(resolved, where)
  for _, item in ipairs(resolved.facts.endpoints or {}) do
    if (item.look and item.look.path == where) or item.path == where
      or (item.abstract and '@' .. item.abstract == where) then
      return item.variable
    end
  end
end

--- The endpoints of TCP of an authority that the host's network leaves reachable, as text; or nil.
local function open_endpoints(resolved, name)
  local shown = {}
  for _, item in ipairs(endpoints.reachable(resolved.policy, resolved.facts)) do
    if item.authority == name then
      shown[#shown + 1] = ('tcp://%s (%s)'):format(item.tcp, item.from)
    end
  end
  return shown[1] and table.concat(shown, ', ')
end

--- An authority: refused, or granted with what it hands out; or reachable by TCP all the same.
local function authority(resolved, name)
  local record = resolved.policy.authorities[name]
  if not record then return nil, ("no authority is named '%s'"):format(text.visible(name)) end
  local answer = { thing = 'authority:' .. name, kind = 'authority', authority = name,
    why = record.grants, from = record.from, verdict = 'refused',
    reason = 'every authority is refused unless granted' }
  local grant = resolved.authorities[name]
  if grant then answer.verdict, answer.from, answer.reason = 'granted', grant.from, 'granted' end
  for _, entry in ipairs(resolved.policy.refusals) do
    if entry.authority == name and entry.final then
      answer.final, answer.from, answer.reason = true, entry.from, 'refused for good'
      answer.verdict = 'refused'
      break
    end
  end
  local open = answer.verdict == 'refused' and open_endpoints(resolved, name)
  if open then
    answer.verdict, answer.from, answer.final = 'reachable', resolved.policy.net.from, nil
    answer.reason = ("its sockets are refused, but net 'host' leaves reachable: %s"):format(open)
  end
  return answer
end

--- A variable: also the one that names the socket of a granted authority.
local function variable(resolved, name)
  if name == 'PWD' then
    return { thing = 'env:PWD', kind = 'env', verdict = 'set', value = resolved.facts.cwd,
      is_made = true, reason = 'bubblewrap names the folder in which the command starts' }
  end
  local answer = verdict.env(resolved, name)
  if answer.verdict == 'unset' then
    for _, item in ipairs(plan.environment(resolved)) do
      if item.name == name then
        answer.verdict, answer.value, answer.from = 'set', item.value, item.from
        answer.reason, answer.why = 'names the socket that is granted', nil
      end
    end
  end
  answer.kind = 'env'
  return answer
end

local KINDS = { env = true, authority = true, file = true, unix = true }

local HINT = 'a THING is /path, file:/path, @abstract, unix:///path, env:NAME or authority:NAME'

--- What a thing is about.
-- @return 'path', 'abstract' or one of KINDS, and the name; nil and a message where it is none
local function read(thing)
  local kind, name = thing:match '^(%a+):(.*)$'
  if thing:byte(1) == 64 then
    kind, name = 'abstract', thing:sub(2)
  elseif kind == 'unix' then
    name = name:gsub('^//', '')
  elseif thing:find '^%a[%w+.-]*://' and kind ~= 'file' then
    kind, name = nil, ''
  elseif not KINDS[kind] then
    kind, name = 'path', thing
  end
  if name == '' or (kind == 'unix' and not name:find '^[/~$]')
    or (kind == 'env' and (name:find('=', 1, true) or glob.is_glob(name))) then
    return nil, ("'%s' names nothing that can be explained\n    %s")
      :format(text.visible(thing), HINT)
  end
  return kind, name
end

--- What a bare word means that is no name where one stands: an authority, or a variable; or nil.
local function nearest(resolved, word, look)
  local found = look(path.join(resolved.facts.cwd or resolved.facts.root, word))
  if not found or found.type ~= 'absent' then return nil end
  if resolved.policy.authorities[word] then return 'authority:' .. word end
  return (resolved.facts.env[word] or resolved.env[word] or resolved.env_grants[word])
    and 'env:' .. word or nil
end

--- One thing: `/path`, `@name`, `env:NAME`, `authority:NAME`, `file:/path`, `unix:///path` (or
-- `unix:/path`).
-- @param resolved resolved policy
-- @param thing string
-- @param look function(path) -> look of the host, canonical
-- @return { thing, kind, verdict, reason, from, why, authority, variable, alias, remedy }, or nil
--   and a message
function M.thing(resolved, thing, look)
  local answer, complaint
  local kind, name = read(thing)
  if not kind then return nil, name end
  if kind == 'abstract' then
    answer = verdict.abstract(resolved, name)
    answer.kind = 'abstract socket'
    answer.variable = variable_of(resolved, thing)
  elseif kind == 'env' then
    answer = variable(resolved, name)
  elseif kind == 'authority' then
    answer, complaint = authority(resolved, name)
    if not answer then return nil, complaint end
  else
    -- As on any command line, a relative name is relative to where one stands.
    if not name:find '^[/~$]' then
      local near = not name:find('/', 1, true) and kind == 'path' and nearest(resolved, name, look)
      if near then
        return nil, ("'%s' is no path here\n    did you mean '%s'?"):format(text.visible(name),
          near)
      end
      name = path.join(resolved.facts.cwd or resolved.facts.root, name)
    end
    local paths = path.expand(name, resolved.facts)
    -- A file's name may hold what looks like a variable.
    if not paths[1] and name:byte(1) == 47 then paths = { name } end
    if not paths[1] then return nil, ('%s names nothing'):format(text.visible(thing)) end
    local found
    found, complaint = look(paths[1])
    if not found then return nil, complaint end
    local is_socket = kind == 'unix' or (kind ~= 'file'
      and (found.type == 'socket'
        or (found.type == 'absent' and verdict.socket_refusals(resolved, found.path)[1] ~= nil)))
    answer = seen.answer(resolved, found, is_socket)
    answer.kind = is_socket and 'socket' or found.type
    answer.variable = variable_of(resolved, found.path)
    -- What a link leads to that does not show may show by its own name.
    if answer.by_link then answer.thing, answer.by_link = paths[1], nil end
    if answer.thing ~= paths[1] then answer.alias = paths[1] end
    if found.type == 'unknown' and answer.verdict ~= 'private' then
      answer.unknown = found.unknown
    end
  end
  answer.remedy = remedy.of(answer, resolved)
  return answer
end

--- The names here of what lines are about, each with its look; sorted.
local function looks_of(resolved, is_wanted)
  local out, seen_names = {}, {}
  local function add(where, look)
    if seen_names[where] then return end
    seen_names[where] = true
    out[#out + 1] = { path = where, look = look }
  end
  for _, name in ipairs(resolved.names) do
    if is_wanted(name.entry, name.look) then add(name.path, name.look) end
  end
  for where, items in pairs(resolved.grants) do
    for _, item in ipairs(items) do
      if is_wanted(item.grant, item.look) then add(where, item.look) end
    end
  end
  return path.sort(out)
end

--- Is it about a file that is there, a place that is granted, or a device?
local function is_file_line(entry, look)
  return entry.noun == 'device' or entry.noun == 'file'
    and (look.type ~= 'absent' or (entry.verb ~= 'hide' and entry.verb ~= 'protect'))
end

--- Does a layer or a profile say it of this thing itself, not of an authority?
local function is_own_line(entry) return entry.layer ~= nil and not entry.authority end

--- A refusing line whose thing is a star, of names that may come.
local function of_star(entry, thing, kind, word)
  return { thing = thing, kind = kind, verdict = word, reason = 'refused by name',
    from = entry.from, why = entry.why, final = entry.final, is_star = true }
end

local function is_socket_line(entry) return entry.noun == 'socket' and is_own_line(entry) end

--- What lines of sockets say: of the names that are or may be here, of stars, of abstract names.
local function sockets(resolved, out)
  for _, item in ipairs(looks_of(resolved, is_socket_line)) do
    local answer = seen.answer(resolved, item.look, true)
    answer.kind = 'socket'
    out[#out + 1] = answer
  end
  local told = {}
  for _, list in ipairs { resolved.policy.refusals, resolved.policy.grants } do
    for _, entry in ipairs(list) do
      local thing, is_star = entry.thing, glob.is_glob(entry.thing)
      local is_abstract = thing:byte(1) == 64
      if is_socket_line(entry) and (is_star or is_abstract) and not told[thing] then
        told[thing] = true
        local answer = is_star and of_star(entry, thing, 'socket', 'refused')
          or verdict.abstract(resolved, thing:sub(2))
        answer.kind = is_abstract and 'abstract socket' or 'socket'
        out[#out + 1] = answer
      end
    end
  end
end

--- What lines of the environment say: of each name, and of the stars that refuse some.
local function variables(resolved, out)
  local names, known = {}, {}
  local function add(name)
    if not known[name] then names[#names + 1] = name end
    known[name] = true
  end
  add 'PWD'
  for name in pairs(resolved.env_grants) do add(name) end
  for name, entries in pairs(resolved.env) do
    for _, entry in ipairs(entries) do
      if is_own_line(entry) then add(name) end
    end
  end
  table.sort(names)
  for _, name in ipairs(names) do out[#out + 1] = variable(resolved, name) end
  for _, entry in ipairs(resolved.env_globs) do
    if is_own_line(entry) then
      out[#out + 1] = of_star(entry, 'env:' .. entry.thing, 'env', 'unset')
    end
  end
end

local UNITS = { time = ' s', size = ' bytes' }

--- The limits, each with the line that says the smallest.
local function limits(resolved, out)
  local names, keys = {}, vocabulary.find('limit').keys
  for name in pairs(resolved.policy.limit) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local item = resolved.policy.limit[name]
    out[#out + 1] = { thing = 'limit ' .. name, kind = 'limit', verdict = 'limited',
      reason = 'the smallest that a line says', from = item.from,
      value = tostring(item.value) .. (UNITS[keys[name]] or '') }
  end
end

--- Everything: each authority, what is hidden, protected, writable, private and granted in /dev,
-- the sockets that lines name, the variables, the limits.
-- @return list of answers in that order
function M.everything(resolved)
  local out = {}
  for _, name in ipairs(resolved.policy.authority_names) do
    out[#out + 1] = authority(resolved, name)
  end
  for _, item in ipairs(looks_of(resolved, is_file_line)) do
    local answer = seen.answer(resolved, item.look, false)
    answer.kind = item.look.type
    out[#out + 1] = answer
  end
  sockets(resolved, out)
  variables(resolved, out)
  limits(resolved, out)
  for _, answer in ipairs(out) do answer.remedy = remedy.of(answer, resolved) end
  return out
end

local PROVED = { agrees = 'as explained', open = 'OPEN: it must be refused',
  broken = 'BROKEN: it must work', unproved = 'not provable here' }

--- One attempt at the thing, outside and inside, as lines.
local function add_try(lines, try)
  local words = {}
  for i, word in ipairs(try.attempt) do words[i] = text.shell(word) end
  lines[#lines + 1] = ('  tried    %s: %s'):format(table.concat(words, ' '), PROVED[try.status])
  for _, where in ipairs { 'outside', 'inside' } do
    local finding = try[where]
    lines[#lines + 1] = ('           %-8s %s%s (%s)'):format(where, finding.result,
      finding.errno ~= '' and ' ' .. finding.errno or '', text.cut(finding.detail, 200))
  end
end

--- An answer as text for a person.
function M.text(answer)
  local lines = { ('%s: %s'):format(text.visible(answer.thing), answer.verdict) }
  local function add(label, value)
    if not value then return end
    lines[#lines + 1] = ('  %-8s %s')
      :format(label, text.wrap(text.visible(value), 90, (' '):rep(11)))
  end
  add('is', answer.alias and ('the same as ' .. answer.alias) or nil)
  add('reason', answer.reason)
  add('grants', answer.authority and answer.why or nil)
  add('why', not answer.authority and answer.why or nil)
  add('line', answer.from)
  add('led by', answer.variable and 'the variable ' .. answer.variable or nil)
  add('unknown', answer.unknown)
  add('value', answer.value)
  add('lifted', answer.lifted
    and ('the default of %s is lifted by %s'):format(answer.lifted.from, answer.lifted.by) or nil)
  add('change', answer.remedy)
  for _, try in ipairs(answer.tries or {}) do add_try(lines, try) end
  if answer.tries and #answer.tries == 0 then
    add('tried', 'nothing: no socket of it is live here')
  end
  return table.concat(lines, '\n')
end

return M

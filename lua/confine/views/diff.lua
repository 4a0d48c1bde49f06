-- What changes between two policies, as a value and as text.

local M = {}

local function sorted(list)
  local out = table.move(list, 1, #list, 1, {})
  table.sort(out)
  return table.concat(out, ', ')
end

local function key_of(entry)
  local more = entry.value and ('=' .. tostring(entry.value)) or ''
  if #(entry.except or {}) > 0 then more = more .. ' except ' .. sorted(entry.except) end
  for _, flag in ipairs { 'keep', 'empty' } do
    if entry[flag] then more = more .. ' ' .. flag end
  end
  return ('%s.%s %s%s'):format(entry.noun, entry.verb, entry.thing, more)
end

--- What layers and drop-ins add to records beside names: who owns their sockets, where they listen.
local function additions(policy)
  local out = {}
  for _, name in ipairs(policy.authority_names) do
    for _, part in ipairs(policy.authorities[name].parts) do
      for _, field in ipairs { 'owners', 'tcp' } do
        local is_added = part.trust ~= 'builtin' or part.added
        for _, value in ipairs(is_added and part[field] or {}) do
          out[('%s %s %s'):format(name, field, value)] = part.from
        end
      end
    end
  end
  return out
end

--- Entries of a policy by what they say, each with where it is said.
local function index(entries, mark)
  local out = {}
  for _, entry in ipairs(entries) do
    local key = key_of(entry) .. (mark and entry.final and ' (final)' or '')
    out[key] = out[key] or entry.from
  end
  return out
end

local function compare(out, what, a, b)
  local keys, seen = {}, {}
  for _, map in ipairs { a, b } do
    for key in pairs(map) do
      if not seen[key] then
        seen[key] = true
        keys[#keys + 1] = key
      end
    end
  end
  table.sort(keys)
  for _, key in ipairs(keys) do
    if not b[key] then
      out[#out + 1] = { change = 'removed', what = what, thing = key, from = a[key] }
    end
    if not a[key] then
      out[#out + 1] = { change = 'added', what = what, thing = key, from = b[key] }
    end
  end
end

--- Compares two merged policies.
-- @return list of { change = 'added'|'removed'|'changed', what, thing, from, old, new }
function M.policies(a, b, scalars)
  local out = {}
  for _, name in ipairs(scalars) do
    if a[name].value ~= b[name].value then
      out[#out + 1] = { change = 'changed', what = 'value', thing = name,
        old = a[name].value, new = b[name].value, from = b[name].from }
    end
  end
  local function limits(policy)
    local map = {}
    for key, item in pairs(policy.limit) do
      map[('limit %s = %s'):format(key, item.value)] = item.from
    end
    return map
  end
  local function accepts(policy)
    local map = {}
    for name, from in pairs(policy.accept) do map['accept ' .. name] = from end
    return map
  end
  compare(out, 'refusal', index(a.refusals, true), index(b.refusals, true))
  compare(out, 'grant', index(a.grants), index(b.grants))
  compare(out, 'record', additions(a), additions(b))
  compare(out, 'limit', limits(a), limits(b))
  compare(out, 'accept', accepts(a), accepts(b))
  return out
end

local SIGN = { added = '+', removed = '-', changed = '~' }

--- The comparison as lines.
function M.text(changes)
  if #changes == 0 then return 'no difference' end
  local lines = {}
  for _, item in ipairs(changes) do
    local said = item.change == 'changed'
      and ('%s: %s -> %s'):format(item.thing, item.old, item.new) or item.thing
    lines[#lines + 1] = ('%s %-8s %s  (%s)'):format(SIGN[item.change], item.what, said, item.from)
  end
  return table.concat(lines, '\n')
end

return M

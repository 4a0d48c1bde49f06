-- Probes made from the records of the policy: each name of each authority and each credential file
-- that can stand in a home or runtime folder, stood up in those of this proof.

local catalog = require 'confine.pipeline.catalog'
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local protocols = require 'confine.battery.protocols'

local M = {}

--- Where the beginnings of records' names lie in the folders of the proof.
local PLACES = {
  ['~'] = '{home}', ['$HOME'] = '{home}', ['$XDG_RUNTIME_DIR'] = '{run}',
  ['$XDG_CONFIG_HOME'] = '{home}/.config', ['$XDG_DATA_HOME'] = '{home}/.local/share',
  ['$XDG_STATE_HOME'] = '{home}/.local/state', ['$XDG_CACHE_HOME'] = '{home}/.cache',
}

--- A name that a glob matches.
local function instance(pattern)
  local name = pattern:gsub('%[!?([^%]])[^%]]*%]', '%1'):gsub('%*', 'x'):gsub('%?', 'x')
  return glob.match(pattern, name) and name or nil
end

--- A name of a record as one in the proof's folders, or nil where it lies elsewhere.
function M.stand_in(thing)
  local base, rest = thing:match '^([~$][%w_]*)/(.+)$'
  local place = base and PLACES[base]
  if not place or rest:find('$', 1, true) then return nil end
  local name = instance(rest)
  return name and place .. '/' .. name
end

--- Which names can stand side by side: one that must be a folder for another gives way to it, and
-- what another probe uses is left to that.
-- @return function(name) -> boolean: leave it out
local function taken_by(all, used)
  local folders, is_used = {}, {}
  local function note(name)
    local at = path.split(name)
    while at and at ~= '/' do
      folders[at] = true
      at = path.split(at)
    end
  end
  for _, name in ipairs(all) do note(name) end
  for _, name in ipairs(used) do
    is_used[name] = true
    note(name)
  end
  return function(name)
    if folders[name] then return true end
    local at = name
    while at and at ~= '/' do
      if is_used[at] then return true end
      at = path.split(at)
    end
    return false
  end
end

--- What a refusal belongs to: its authority for sockets, its record or layer for files.
local function group_of(entry)
  if entry.noun == 'socket' then return 'authority-' .. (entry.authority or 'none') end
  local file = entry.from:gsub(':%d+$', '')
  return 'credential-' .. (file:match '^policies/[%l_]+/([%w_]+)%.lua$' or file)
end

local function new_probe(name, entry)
  local is_socket = entry.noun == 'socket'
  local title = name:gsub('^%l+%-', '')
  if title == 'none' then title = 'refused by name' end
  return { name = name, row = is_socket and 'listed' or 'credential', title = title,
    names = is_socket and 'socket' or 'file', means = entry.why, setup = {}, attempts = {} }
end

local ADD = {}

function ADD.socket(probe, at, entry, standing)
  if not standing[at] then
    -- What has no attempt of its own is stood for by something that answers.
    local protocol = protocols.of(entry.authority, at)
    standing[at] = protocol == 'connect' and 'http' or protocol
    probe.setup[#probe.setup + 1] = { 'listen', standing[at], 'stream', at }
  end
  probe.attempts[#probe.attempts + 1] = { standing[at], at }
end

function ADD.file(probe, at, _, standing)
  if not standing[at] then
    standing[at] = true
    probe.setup[#probe.setup + 1] = { 'file', at, 'token = {secret}\n' }
  end
  probe.attempts[#probe.attempts + 1] = { 'find', at, '{secret_hex}' }
end

--- What a policy refuses, with what it hides while it holds a login.
-- @return list of refusals
function M.refusals(policy)
  local out = {}
  for _, list in ipairs { policy.refusals, policy.settings,
    table.unpack(catalog.all_settings(policy.catalog)) } do
    table.move(list, 1, #list, #out + 1, out)
  end
  return out
end

--- One probe for each authority and each record or layer that names files to hide.
-- @param refusals of M.refusals, of a policy with all of its catalog
-- @param used names that other probes use
-- @return list of probes, in the order in which the policy names them
function M.probes(refusals, used)
  local wanted, all = {}, {}
  for _, entry in ipairs(refusals) do
    local is_wanted = entry.noun == 'socket' or (entry.noun == 'file' and entry.verb == 'hide')
    local at = is_wanted and M.stand_in(entry.thing)
    if at then
      wanted[#wanted + 1] = { at = at, entry = entry }
      all[#all + 1] = at
    end
  end
  local taken, standing, by_group, out = taken_by(all, used), {}, {}, {}
  for _, item in ipairs(wanted) do
    local name = group_of(item.entry)
    local key = name .. '\0' .. item.at
    if not taken(item.at) and not by_group[key] then
      by_group[key] = true
      local probe = by_group[name] or new_probe(name, item.entry)
      if not by_group[name] then
        by_group[name] = probe
        out[#out + 1] = probe
      end
      ADD[item.entry.noun](probe, item.at, item.entry, standing)
    end
  end
  table.sort(out, function(a, b) return a.name < b.name end)
  return out
end

return M

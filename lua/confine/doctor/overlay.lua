--- Doctor: overlays in a user namespace.

return {
  name = 'overlay',
  needs_proc = 'any',
  guards = 'writes to private places go to a layer that is thrown away while reads see the '
    .. "host's; large folders are shadowed at the cost of one mount",
  proof = 'both overlays of a view are laid over a folder of the host, one with a name hidden, '
    .. 'one written to',
  missing = 'bounds say private: private places are empty, so tools fill their caches anew'
    .. '; large folders are shadowed by a mount for each name, which takes longer',
  judge = function(seen)
    local layer, shadow = seen.overlay.layer, seen.overlay.shadow
    if type(seen.stage) == 'table' then return 'unknown', 'not used without a stage' end
    if type(layer) == 'table' then
      local is_attribute = layer.unknown:find('attribute in a tmpfs', 1, true)
      return 'weaker', layer.unknown, is_attribute and 'attribute' or 'kernel'
    end
    if type(shadow) == 'table' then
      return 'spare', 'private layers can be had, shadows cannot: ' .. shadow.unknown, 'kernel',
        'bounds are the same; large folders are shadowed by a mount for each name'
    end
    return 'ok', 'private layers and shadows can be had'
  end,
  remedies = {
    { cause = { 'attribute' }, does = 'take a kernel of 6.6 or later, whose tmpfs keeps user.* '
      .. 'attributes (Debian 12 has one in its backports)',
      source = 'https://kernelnewbies.org/Linux_6.6' },
    { cause = { 'kernel' }, does = 'take a kernel of 5.11 or later with CONFIG_OVERLAY_FS; below '
      .. 'two overlays already (a container in a container) no third can be had',
      source = 'https://docs.kernel.org/filesystems/overlayfs.html' },
  },
  examples = {
    { seen = { overlay = { layer = true, shadow = true }, stage = true }, status = 'ok',
      says = 'can be had' },
    { seen = { stage = true, overlay = { shadow = true,
        layer = { unknown = 'set an attribute in a tmpfs: Operation not supported' } } },
      status = 'weaker', says = 'attribute', cause = 'attribute' },
    { seen = { stage = true, overlay = { layer = true, shadow = { unknown = 'create: no' } } },
      status = 'spare', says = 'shadows cannot', cause = 'kernel' },
    { seen = { stage = { unknown = 'x' }, overlay = { layer = {}, shadow = {} } },
      status = 'unknown', says = 'without a stage' },
  },
}

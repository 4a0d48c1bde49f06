-- `include`: takes another profile in, as defaults.

return {
  {
    name = 'include', side = 'grant', takes = 'names',
    doc = 'Includes a profile by name. What it refuses is a default; '
      .. 'its values hold where this layer writes none.',
    examples = { { text = "include 'agent'" } },
  },
}

-- `limit`: what the command may use up; of several the smallest holds.

return {
  {
    name = 'limit', side = 'refuse', takes = 'limits',
    keys = { wall = 'time', memory = 'size', pids = 'count', files = 'count', output = 'size' },
    -- With less not even bwrap starts.
    least = { memory = 1 << 20, pids = 8, files = 32 },
    doc = 'wall: time until the end (ms, s, m, h; a bare number is seconds); memory: bytes '
      .. '(B, K, M, G, T, of 1024 each); pids: processes; files: open descriptors a process; '
      .. 'output: bytes of stdout and stderr together.',
    examples = {
      { text = "limit { wall = '60s', memory = '2G', pids = 512, files = 1024, output = '16M' }" },
    },
  },
}

-- Probes on the runner itself: what must not start, what must not outlive it, what it must say.

--- A run without any fault, which starts.
local PLAIN = { argv = { 'true' } }

local function with_policy(text, mode)
  return { policy = { text, mode }, argv = { 'true' } }
end

return {
  { name = 'writable-policy', row = 'policy_file', title = 'a policy file that everybody can write',
    control = { start = with_policy("include 'default'\n") },
    start = with_policy("include 'default'\n", '666'), says = 'writable' },
  { name = 'loosening', row = 'policy_file', title = "the work tree's own policy that grants",
    control = { start = PLAIN },
    start = { project = "file.write '{outside}'\n", argv = { 'true' } }, says = 'file.write' },
  { name = 'project-refusal', row = 'policy_file', title = 'its refusals are taken',
    setup = { { 'file', '{plain}/page', 'text\n', '644' } },
    control = { start = { argv = { '{probe}', 'try', 'read', '{plain}/page' } } },
    start = { project = "file.hide '{plain}/page'\n",
      argv = { '{probe}', 'try', 'read', '{plain}/page' } } },

  { name = 'endless', row = 'policy_code', title = 'a loop without end',
    control = { start = PLAIN }, start = with_policy 'while true do end\n', says = '.lua:1' },
  { name = 'memory', row = 'policy_code', title = 'memory without end',
    control = { start = PLAIN },
    start = with_policy "local s = 'x' while true do s = s .. s end\n", says = '.lua:1' },
  { name = 'reaching', row = 'policy_code', title = 'io, os, require, load',
    control = { start = PLAIN }, start = with_policy "io.open('/etc/passwd')\n", says = 'io' },
  { name = 'typo', row = 'policy_code', title = 'a word that is not one',
    control = { start = PLAIN }, start = with_policy "file.hyde '/srv/x'\n", says = 'file.hide' },

  { name = 'no-bwrap', row = 'missing', title = 'bubblewrap',
    control = { start = PLAIN }, start = { env = { PATH = '{outside}' }, argv = { '/bin/true' } },
    says = 'bubblewrap' },

  { name = 'dash', row = 'odd_words', title = 'a command that begins with a dash',
    expects = 'reached', setup = { { 'file', '{alone}/-odd', '#!/bin/sh\nexit 0\n', '755' } },
    control = { 'run', '{alone}/-odd' }, start = { argv = { './-odd' } } },
  { name = 'odd-words', row = 'odd_words', title = 'words with control characters pass unaltered',
    expects = 'reached', start = { argv = { 'sh', '-c',
      'test "$1" = "$(printf "a\\033\\001 b")" && test "$2" = -- && test "$3" = "*"', 'sh',
      'a\27\1 b', '--', '*' } }, control = { 'run', 'true' } },
  { name = 'odd-name', row = 'odd_words', title = 'a hidden file with an odd name',
    setup = { { 'file', '{plain}/odd\n\27[31m name', 'text\n' } },
    control = { 'read', '{plain}/odd\n\27[31m name' },
    start = { policy = { "file.hide '{plain}/odd\\n\\27[31m name'\n" },
      argv = { '{probe}', 'try', 'read', '{plain}/odd\n\27[31m name' } } },

  { name = 'deadline', row = 'ending', title = 'the time limit, for one that ignores SIGTERM',
    control = { 'search-cmdline', '{stubborn_hex}' }, stubborn = 'deadline' },
  { name = 'killed', row = 'ending', title = 'a launcher that is killed',
    control = { 'search-cmdline', '{stubborn_hex}' }, stubborn = 'killed' },

  { name = 'hidden-program', row = 'message', title = 'a command that is hidden',
    setup = { { 'file', '{plain}/tool', '#!/bin/sh\nexit 0\n', '755' } },
    control = { start = { argv = { '{plain}/tool' } } },
    start = { policy = { "file.hide '{plain}/tool'\n" }, argv = { '{plain}/tool' } },
    says = 'hidden by confine' },
}

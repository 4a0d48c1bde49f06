-- `accept`: a weakness of this host that the site lives with, by name.

return {
  {
    name = 'accept', side = 'grant', takes = 'names', options = { 'why' },
    weaknesses = {
      later_cmdlines = 'command lines of processes that start later stay visible '
        .. 'where no procfs can be mounted',
      abstract_sockets = "abstract sockets of the host are reachable under net 'host' "
        .. 'on a kernel without Landlock scopes',
      late_names = 'names that appear after the start are not refused '
        .. 'where the view is made by bwrap arguments',
    },
    doc = 'Starts although this host lacks a guard; bounds name it.',
    examples = { { text = "accept 'later_cmdlines'" } },
  },
}

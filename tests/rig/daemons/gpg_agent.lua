--- A gpg agent with its ssh socket. It forks, and the program it is given stays as its parent.
return {
  packages = { 'gpg-agent' },
  programs = { 'gpg-agent' },
  start = function(account)
    local folder = account.runtime .. '/gnupg'
    return {
      folders = { { account.home .. '/.gnupg', 448 }, { folder, 448 } },
      argv = { 'gpg-agent', '--enable-ssh-support', '--no-detach', '--daemon',
        'sleep', 'infinity' },
      sockets = {
        folder .. '/S.gpg-agent', folder .. '/S.gpg-agent.ssh',
        folder .. '/S.gpg-agent.extra', folder .. '/S.gpg-agent.browser',
      },
      ready = {
        { 'gpg', folder .. '/S.gpg-agent' }, { 'gpg', folder .. '/S.gpg-agent.extra' },
        { 'gpg', folder .. '/S.gpg-agent.browser' }, { 'agent', folder .. '/S.gpg-agent.ssh' },
      },
    }
  end,
}

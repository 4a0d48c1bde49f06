-- Data of Flatpak and snap apps, as whole trees: browsers, mail, chat and password managers keep
-- there what others keep in `~/.config`.
return record {
  name  = 'sandboxed_apps',
  files = { '~/.var/app', '~/snap' },
  why   = 'holds the logins of apps that were installed as flatpaks or snaps',
}

-- What runs keep for later ones: private layers of other work trees, with what was written there.
return record {
  name  = 'confine',
  files = { '$XDG_STATE_HOME/confine-lua' },
  why   = 'other runs keep their private layers there',
}

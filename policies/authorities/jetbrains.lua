-- Running JetBrains editors and Android Studio.
return record {
  name    = 'jetbrains',
  grants  = 'opens projects in your running editor, whose build scripts it may then execute',
  sockets = { '$XDG_CACHE_HOME/JetBrains/*/.port', '$XDG_CACHE_HOME/Google/AndroidStudio*/.port' },
  tcp     = { 'localhost:63342', 'localhost:63343', 'localhost:52829' },
}

-- Running browsers: the socket of the only instance, and the protocols of remote control.
return record {
  name    = 'browser',
  grants  = 'opens pages in your browser where you are logged in, or controls it entirely',
  sockets = {
    '/tmp/.org.chromium.*/SingletonSocket', '/tmp/org.chromium.*/SingletonSocket',
    '/tmp/.com.google.*/SingletonSocket', '/tmp/com.google.*/SingletonSocket',
    '/tmp/.com.brave.*/SingletonSocket', '/tmp/com.brave.*/SingletonSocket',
    '/tmp/.com.microsoft.*/SingletonSocket', '/tmp/com.microsoft.*/SingletonSocket',
  },
  tcp     = { 'localhost:9222', 'localhost:2828' },
}

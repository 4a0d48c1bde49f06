-- Ways into running programs that debuggers and profilers use.
return record {
  name    = 'debugger',
  grants  = 'loads code into your running Java, .NET, Node, Python, Ruby or Erlang programs',
  sockets = {
    '/tmp/.java_pid*', '/tmp/dotnet-diagnostic-*', '$XDG_RUNTIME_DIR/rdbg-*', '/tmp/rdbg-*/rdbg-*',
  },
  env     = {
    DOTNET_DiagnosticPorts = 'name', RUBY_DEBUG_SOCK_DIR = 'folder', RUBY_DEBUG_SOCK_PATH = 'path',
    ERL_EPMD_PORT = 'name',
  },
  tcp     = { 'localhost:9229', 'localhost:5005', 'localhost:5678', 'localhost:4369' },
  secrets = { '~/.erlang.cookie', '$XDG_CONFIG_HOME/erlang/.erlang.cookie' },
}

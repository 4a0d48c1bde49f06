-- Jupyter servers and kernels. Whoever has their tokens runs code in them.
return record {
  name          = 'jupyter',
  grants        = 'runs any code in your Jupyter kernels and terminals',
  sockets       = { '$XDG_DATA_HOME/jupyter/runtime/*-ipc-*', '$JUPYTER_RUNTIME_DIR/*-ipc-*' },
  env           = { JUPYTER_RUNTIME_DIR = 'name', JUPYTER_TOKEN = 'name' },
  tcp           = { 'localhost:8888', 'localhost:8889' },
  owners        = { 'jupyter-lab', 'jupyter-notebook', 'jupyter-server', 'jupyter-kernel' },
  secrets       = {
    '$XDG_DATA_HOME/jupyter/runtime', '$JUPYTER_RUNTIME_DIR', '$XDG_RUNTIME_DIR/jupyter',
  },
  needs_secrets = true,
}

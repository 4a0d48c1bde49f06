-- Visual Studio Code and its relatives: open windows, remote sessions, containers. Zed too.
return record {
  name    = 'vscode',
  grants  = 'opens files and terminals in your editor, and asks it for git and GitHub logins',
  sockets = {
    '$XDG_RUNTIME_DIR/vscode-ipc-*.sock', '$XDG_RUNTIME_DIR/vscode-git-*.sock',
    '$XDG_RUNTIME_DIR/vscode-*-main.sock', '$XDG_RUNTIME_DIR/vscode-*-shared.sock',
    '/tmp/vscode-ipc-*.sock', '/tmp/vscode-git-*.sock', '/tmp/vscode-remote-containers-*.sock',
    '/tmp/code-*.sock',
    '$XDG_CONFIG_HOME/Code/*.sock', '$XDG_CONFIG_HOME/Code - Insiders/*.sock',
    '$XDG_CONFIG_HOME/VSCodium/*.sock', '$XDG_CONFIG_HOME/Cursor/*.sock',
    '$XDG_CONFIG_HOME/Windsurf/*.sock',
    '$XDG_DATA_HOME/zed/zed-*.sock', '~/.var/app/dev.zed.Zed/data/zed/zed-*.sock',
    '$XDG_DATA_HOME/code-server/*.sock',
  },
  env     = {
    VSCODE_IPC_HOOK = 'path', VSCODE_IPC_HOOK_CLI = 'path', VSCODE_GIT_IPC_HANDLE = 'path',
    VSCODE_GIT_IPC_AUTH_TOKEN = 'name', REMOTE_CONTAINERS_IPC = 'path',
    REMOTE_CONTAINERS_SOCKETS = 'name',
  },
  owners  = {
    'code', 'code-insiders', 'codium', 'cursor', 'windsurf', 'zed-editor', 'code-server',
  },
}

-- Coding agents: their logins, settings with keys in them, and records of sessions, which quote
-- whatever was read. An agent that itself runs confined needs its own folder back:
-- `file.write '~/.claude'` and `file.write '~/.claude.json'`, or the like.
return record {
  name  = 'agents',
  files = {
    '~/.claude', '~/.claude.json', '~/.claude.json.*', '$CLAUDE_CONFIG_DIR',
    '$XDG_CONFIG_HOME/Claude', '~/.codex', '$CODEX_HOME', '~/.gemini', '~/.antigravity',
    '~/.copilot', '$XDG_CONFIG_HOME/github-copilot', '~/.cursor', '$XDG_CONFIG_HOME/cursor',
    '$XDG_DATA_HOME/opencode', '$XDG_CONFIG_HOME/opencode', '$XDG_STATE_HOME/opencode',
    '~/.aider.conf.yml', '~/.aider', '$XDG_DATA_HOME/amp', '$XDG_CONFIG_HOME/amp',
    '$XDG_DATA_HOME/crush', '$XDG_CONFIG_HOME/goose', '$XDG_DATA_HOME/goose',
    '$XDG_STATE_HOME/goose', '~/.qwen', '~/.kimi', '~/.kimi-code', '~/.grok', '~/.factory',
    '~/.augment', '~/.continue', '~/.cline', '~/.roo', '~/.codeium', '~/.windsurf', '~/.junie',
    '~/.pi', '~/.openhands', '~/.openclaw', '$XDG_DATA_HOME/amazon-q', '$XDG_DATA_HOME/kiro-cli',
    '~/.kiro', '~/.mcp-auth', '$XDG_CONFIG_HOME/warp-terminal', '$XDG_STATE_HOME/warp-terminal',
    '$XDG_CONFIG_HOME/crush', '~/.vibe', '~/.hermes', '~/.iflow', '~/.qoder', '~/.trae',
    '~/.kilocode', '~/.rovodev', '~/.codebuddy',
  },
  why   = 'runs agents on your account, and shows what they were told',
}

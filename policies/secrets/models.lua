-- Keys of model providers and of research services.
return record {
  name  = 'models',
  files = {
    '~/.openai', '~/.anthropic', '$XDG_CONFIG_HOME/anthropic', '$XDG_CONFIG_HOME/io.datasette.llm',
    '$XDG_CONFIG_HOME/aichat', '$XDG_CACHE_HOME/huggingface/token',
    '$XDG_CACHE_HOME/huggingface/stored_tokens', '$HF_HOME/token', '$HF_HOME/stored_tokens',
    '$HF_TOKEN_PATH', '~/.ollama/id_ed25519', '~/.kaggle', '$XDG_CONFIG_HOME/wandb',
    '~/.modal.toml', '~/.config/earthengine', '~/.cdsapirc',
  },
  why   = 'spends on your account with model and data services',
}

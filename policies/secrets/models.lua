-- Keys of model providers and of research services.
return record {
  name  = 'models',
  files = {
    '~/.openai', '~/.anthropic', '$XDG_CONFIG_HOME/anthropic', '$XDG_CONFIG_HOME/io.datasette.llm',
    '$XDG_CONFIG_HOME/aichat', '$XDG_CACHE_HOME/huggingface/token',
    '$XDG_CACHE_HOME/huggingface/stored_tokens', '$HF_HOME/token', '$HF_HOME/stored_tokens',
    '$HF_TOKEN_PATH', '~/.ollama/id_ed25519', '~/.kaggle', '$XDG_CONFIG_HOME/wandb',
    '$KAGGLE_CONFIG_DIR/kaggle.json', '~/.modal.toml', '~/.config/earthengine', '~/.cdsapirc',
    '$XDG_CONFIG_HOME/shell_gpt/.sgptrc', '$XDG_CONFIG_HOME/fabric/.env',
    '$XDG_CONFIG_HOME/mods/mods.yml', '~/.opencommit', '~/.aicommits', '~/.huggingface/token',
    '$XDG_CONFIG_HOME/kaggle', '~/.streamlit/secrets.toml', '~/.comet.config', '~/clearml.conf',
    '~/.runpod', '$XDG_CONFIG_HOME/vastai', '~/.vast_api_key', '~/.sky', '~/.dstack', '~/.e2b',
  },
  why   = 'spends on your account with model and data services',
}

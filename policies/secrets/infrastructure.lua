-- Tools that build and reach infrastructure, and stores of secrets that they read.
return record {
  name  = 'infrastructure',
  files = {
    '~/.terraform.d/credentials.tfrc.json', '~/.terraformrc', '$TF_CLI_CONFIG_FILE',
    '~/.pulumi/credentials.json', '~/.vault_pass', '~/.vault_pass.txt', '~/.ansible/galaxy_token',
    '~/.chef', '~/.doppler', '~/.tsh', '~/.step', '$XDG_CONFIG_HOME/bws',
    '~/.infisical', '~/.prefect', '$XDG_CONFIG_HOME/infracost/credentials.yml',
    '$ANSIBLE_VAULT_PASSWORD_FILE', '$HELM_REPOSITORY_CONFIG',
    '$XDG_CONFIG_HOME/cachix', '$XDG_CONFIG_HOME/attic', '~/.fastlane/spaceship',
    -- what tools and editors leave beside them
    '~/.terraform.d/credentials.tfrc.json?*',
  },
  why   = 'changes infrastructure and reads the secrets kept for it',
}

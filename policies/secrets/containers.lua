-- Registry logins and keys of container tools that belong to no engine. Those of Docker and Podman
-- stand in their authority records.
return record {
  name  = 'containers',
  files = {
    '~/.apptainer/remote.yaml', '~/.apptainer/docker-config.json', '~/.apptainer/keys',
    '~/.singularity/remote.yaml', '~/.singularity/docker-config.json', '~/.singularity/sypgp',
    '$XDG_CONFIG_HOME/helm/registry', '$HELM_REGISTRY_CONFIG',
    '$XDG_CONFIG_HOME/helm/repositories.yaml', '~/.helm', '/etc/containers/auth.json',
    '/kaniko/.docker',
  },
  why   = 'pulls private images and publishes under your name',
}

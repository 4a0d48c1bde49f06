-- Logins of Kubernetes tools. `~/.kube` and a node's own keys stand in the authority records
-- `kubernetes` and `kubelet`; a pod's token lies below `/run/secrets`, which `secrets/system.lua`
-- hides.
return record {
  name  = 'kubernetes',
  files = {
    '~/.minikube', '$MINIKUBE_HOME/profiles', '$MINIKUBE_HOME/certs', '~/.talos', '$TALOSCONFIG',
    '$XDG_CONFIG_HOME/argocd', '$XDG_CONFIG_HOME/k3d',
    '~/.rancher/cli2.json', '~/.argocd',
  },
  why   = 'acts in clusters as you',
}

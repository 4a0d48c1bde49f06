-- Clusters that this user's kubectl reaches.
return record {
  name          = 'kubernetes',
  grants        = 'acts in every cluster of your kubeconfig as you do',
  env           = { KUBECONFIG = 'name', KUBERNETES_SERVICE_HOST = 'name' },
  tcp           = { 'localhost:6443', 'localhost:16443', 'localhost:8443', 'localhost:8001' },
  secrets       = { '~/.kube', '$KUBECONFIG' },
  needs_secrets = true,
}

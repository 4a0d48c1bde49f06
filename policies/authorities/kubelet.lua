-- What a Kubernetes node offers locally: kubelet, CRI shims, storage and network plugins, etcd.
return record {
  name    = 'kubelet',
  grants  = 'control of this Kubernetes node: its pods, volumes, devices, network or cluster state',
  sockets = {
    '/var/lib/kubelet/pod-resources/kubelet.sock', '/var/lib/kubelet/device-plugins/*.sock',
    '/var/lib/kubelet/plugins/*/*.sock', '/var/lib/kubelet/plugins_registry/*.sock',
    '/run/cri-dockerd.sock', '/var/run/cri-dockerd.sock',
    '/run/dockershim.sock', '/var/run/dockershim.sock',
    '/run/cilium/*.sock', '/var/run/cilium/*.sock', '/run/calico/*.sock', '/run/cni/dhcp.sock',
    '/run/secrets-store-csi-providers/*.sock',
  },
  tcp     = { 'localhost:10250', 'localhost:10255', 'localhost:2379' },
  owners  = { 'kubelet', 'cri-dockerd', 'cilium-agent' },
  secrets = {
    '/etc/kubernetes', '/var/lib/kubelet', '/etc/rancher', '/var/lib/rancher/k3s/server',
    '/var/lib/rancher/k3s/agent', '/var/lib/rancher/rke2/server', '/var/lib/rancher/rke2/agent',
    '/var/lib/k0s/pki', '/var/snap/microk8s/current/credentials',
    '/var/snap/microk8s/current/certs',
  },
}

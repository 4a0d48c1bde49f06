-- Controls of disks and storage clusters.
return record {
  name     = 'storage_admin',
  grants   = 'reconfigures disks, paths and storage clusters of this machine, as root',
  sockets  = {
    '/run/multipathd.socket', '/run/lvm/lvmpolld.socket', '/run/lvm/lvmetad.socket',
    '/run/targetclid.sock', '/var/run/targetclid.sock', '/run/ceph/*.asok', '/var/run/ceph/*.asok',
    '/run/gluster/*.socket', '/var/run/gluster/*.socket', '/run/glusterd.socket',
    '/var/run/glusterd.socket',
  },
  abstract = {
    '/org/kernel/linux/storage/multipathd', 'ISCSIADM_ABSTRACT_NAMESPACE',
    'ISCSID_UIP_ABSTRACT_NAMESPACE',
  },
  owners   = { 'multipathd', 'lvmpolld', 'iscsid', 'targetclid', 'glusterd' },
  secrets  = { '/etc/iscsi/iscsid.conf', '/etc/iscsi/nodes', '/var/lib/iscsi/nodes' },
}

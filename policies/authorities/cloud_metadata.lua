-- Metadata and credential services of the clouds, reached by an address of their own.
return record {
  name   = 'cloud_metadata',
  grants = 'acts in your cloud account with the role of this machine or container',
  env    = {
    AWS_CONTAINER_CREDENTIALS_FULL_URI = 'url', AWS_CONTAINER_CREDENTIALS_RELATIVE_URI = 'name',
    AWS_CONTAINER_AUTHORIZATION_TOKEN = 'name', AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE = 'name',
    AWS_EC2_METADATA_SERVICE_ENDPOINT = 'url',
    ECS_CONTAINER_METADATA_URI = 'url', ECS_CONTAINER_METADATA_URI_V4 = 'url',
    GCE_METADATA_HOST = 'name', GCE_METADATA_IP = 'name',
    IDENTITY_ENDPOINT = 'url', IDENTITY_HEADER = 'name', MSI_ENDPOINT = 'url', MSI_SECRET = 'name',
  },
  tcp    = {
    '169.254.169.254:80', '[fd00:ec2::254]:80',
    '169.254.170.2:80', '169.254.170.23:80', '[fd00:ec2::23]:80',
    'metadata.google.internal:80', '100.100.100.200:80', '168.63.129.16:80',
  },
}

-- Accounts of clouds and of services that host things.
return record {
  name  = 'cloud',
  files = {
    -- Amazon
    '~/.aws', '$AWS_SHARED_CREDENTIALS_FILE', '$AWS_CONFIG_FILE', '$AWS_WEB_IDENTITY_TOKEN_FILE',
    '$AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE', '~/.aws-sso', '$XDG_CONFIG_HOME/aws-sso',
    '~/.granted', '~/.saml2aws', '~/.elasticbeanstalk',
    -- Google
    '$XDG_CONFIG_HOME/gcloud', '$CLOUDSDK_CONFIG', '$GOOGLE_APPLICATION_CREDENTIALS', '~/.boto',
    '$BOTO_CONFIG', '$OCI_CLI_CONFIG_FILE', '$OS_CLIENT_CONFIG_FILE',
    '~/.gsutil', '$XDG_CONFIG_HOME/configstore', '$XDG_CONFIG_HOME/firebase',
    -- Microsoft
    '~/.azure', '$AZURE_CONFIG_DIR', '$XDG_DATA_HOME/.IdentityService',
    -- Oracle, IBM, Alibaba, Huawei, OpenStack
    '~/.oci', '~/.bluemix', '~/.aliyun', '~/.hcloud', '$XDG_CONFIG_HOME/openstack',
    -- DigitalOcean, Hetzner, Scaleway, Linode, Vultr, OVH, Exoscale, Civo
    '$XDG_CONFIG_HOME/doctl', '$XDG_CONFIG_HOME/hcloud', '$HCLOUD_CONFIG', '$XDG_CONFIG_HOME/scw',
    '$XDG_CONFIG_HOME/linode-cli', '~/.vultr-cli.yaml', '~/.ovh.conf', '$XDG_CONFIG_HOME/exoscale',
    '~/.civo.json',
    -- Cloudflare, Akamai, Fly, Heroku, Vercel, Netlify, Railway, Render
    '~/.wrangler', '$XDG_CONFIG_HOME/.wrangler', '~/.cloudflared', '$XDG_CONFIG_HOME/cloudflared',
    '~/.edgerc', '~/.fly', '$FLY_CONFIG_DIR', '$XDG_DATA_HOME/heroku',
    '$XDG_DATA_HOME/com.vercel.cli', '$XDG_CONFIG_HOME/netlify', '~/.railway', '~/.render',
    -- databases and data
    '~/.supabase', '$XDG_CONFIG_HOME/planetscale', '$XDG_CONFIG_HOME/turso',
    '$XDG_CONFIG_HOME/neonctl', '~/.snowflake', '$XDG_CONFIG_HOME/snowflake', '~/.snowsql',
    '~/.databrickscfg', '~/.databricks', '~/.mongodb',
    -- payments, messages, errors, tunnels, identity
    '$XDG_CONFIG_HOME/stripe', '~/.twilio-cli', '~/.sentryclirc', '$XDG_CONFIG_HOME/ngrok',
    '~/.ngrok2', '~/.okta', '$XDG_CONFIG_HOME/shopify-cli-kit-nodejs', '~/.expo',
    -- platforms and workspaces
    '~/.cf/config.json', '$XDG_CONFIG_HOME/yandex-cloud', '~/.tccli', '$XDG_CONFIG_HOME/auth0',
    '~/.convex/config.json', '$XDG_CONFIG_HOME/sanity', '~/.appwrite', '~/.serverlessrc',
    '~/.now/auth.json', '~/.vercel/auth.json', '$XDG_CONFIG_HOME/upctl.yaml',
    '$XDG_CONFIG_HOME/ocm', '~/.nhost', '~/.hasura/config.json', '~/.awsvault', '~/.newrelic',
    '$XDG_CONFIG_HOME/coderv2/session', '$XDG_CONFIG_HOME/daytona', '~/.clasprc.json',
  },
  why   = 'acts in accounts that cost money and hold data',
}

-- Keys of crypto currencies, and cookies of nodes that spend.
return record {
  name  = 'wallets',
  files = {
    '~/.bitcoin', '~/.electrum', '~/.sparrow', '~/.walletwasabi', '~/.ethereum/keystore', '~/.clef',
    '~/.foundry/keystores', '$XDG_CONFIG_HOME/solana', '~/.lightning', '~/.lnd', '~/.bitmonero',
    '$XDG_CONFIG_HOME/Exodus', '$XDG_CONFIG_HOME/atomic', '$XDG_CONFIG_HOME/Ledger Live',
    '~/.ipfs/keystore',
    '~/.near-credentials', '~/.sui/sui_config/sui.keystore', '~/.aptos/config.yaml',
  },
  why   = 'spends what your wallets hold',
}

-- Nodes and signers of crypto currencies. Their keys are hidden by `secrets/wallets.lua`.
return record {
  name    = 'wallet',
  grants  = 'spends from the wallets that are unlocked in a running node or signer',
  sockets = {
    '~/.ethereum/geth.ipc', '~/.ethereum/*/geth.ipc', '~/.clef/clef.ipc', '/tmp/reth.ipc',
    '~/.lightning/*/lightning-rpc', '~/.bitcoin/node.sock',
  },
  tcp     = { 'localhost:8332', 'localhost:8545', 'localhost:10009' },
  owners  = { 'geth', 'clef', 'reth', 'lightningd', 'bitcoind', 'bitcoin-qt' },
}

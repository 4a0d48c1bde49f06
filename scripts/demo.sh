#!/bin/bash
# Shows on real sockets what a confined command can and cannot reach, and why: `./build.sh demo`.
#
# Everything it makes lies in one new folder, which is removed at the end with the daemons it
# started. Exit status 1 when an attempt did not end as it must.
set -euo pipefail
cd "$(dirname "$0")/.."
tree=$PWD
# Debian 13 gives a user 0002, and a policy that the group may write is refused.
umask 022

bold= plain=
if [[ -t 1 && -z ${NO_COLOR-} ]]; then bold=$'\e[1m' plain=$'\e[0m'; fi
title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

# Not below /tmp: that is private inside, and then the sockets would be absent, not refused.
home=${HOME:-/nonexistent}
[[ -w $home ]] || home=/var/tmp
place=$(mktemp -d "$home/confine-demo.XXXXXX")
pids=()
cleanup() {
  [[ ${#pids[@]} == 0 ]] || kill "${pids[@]}" 2>/dev/null || true
  rm -rf "$place"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
mkdir "$place/work" "$place/sockets"

# The work tree is what a confined command sees wherever the checkout lies, so the tools go there.
cp -R "$tree/build/confine-lua" "$tree"/scripts/demo/* "$place/work"
[[ ! -d $tree/build/luaposix ]] || cp -R "$tree/build/luaposix" "$place/work"
cd "$place/work"
confine=./confine-lua

wait_for() { # SOCKET
  local tries
  for tries in {1..100}; do
    [[ ! -S $1 ]] || return 0
    sleep 0.05
  done
  echo "demo: $1 did not appear after $tries tries" >&2
  return 1
}

serve() { # SOCKET TEXT
  "$confine" lua socket.lua serve "$1" "$2" &
  pids+=($!)
  wait_for "$1"
}

agent=$place/sockets/agent engine=$place/sockets/engine database=$place/sockets/database
# OpenSSH 10 tells on stderr that it was ended.
ssh-agent -D -a "$agent" > "$place/agent.log" 2>&1 &
pids+=($!)
wait_for "$agent" || { cat "$place/agent.log" >&2; exit 1; }
ssh-keygen -q -t ed25519 -N '' -C 'the key of the demo' -f "$place/sockets/key"
SSH_AUTH_SOCK=$agent ssh-add -q "$place/sockets/key"
serve "$engine" 'HTTP/1.1 200 OK: the engine answers'
serve "$database" 'the database answers'
echo 'the secret of the demo' > "$place/secret"

cat > "$place/demo.lua" <<POLICY
-- The demo's own policy; the built-in default applies as well.
include 'default'
file.hide '$place/secret' { why = 'the demo keeps a secret here' }
POLICY

export SSH_AUTH_SOCK=$agent DOCKER_HOST=unix://$engine DEMO_TOKEN=swordfish
attempts=(attempts.sh "$agent" "$engine" "$database" "$place/secret")

title 'The policy, demo.lua'
cat "$place/demo.lua"

title 'The same attempts, outside and by: confine-lua run -p demo.lua -- sh attempts.sh'
outside=$(sh "${attempts[@]}")
rm -f made-by-the-demo
inside=$("$confine" run -p "$place/demo.lua" -- sh "${attempts[@]}")
status=0
row() { printf '%-40s %-8s %-8s %s\n' "$@"; }
row '' outside confined 'what it saw there'
while IFS='|' read -r name must result _ <&3 && IFS='|' read -r _ _ confined seen <&4; do
  row "$name" "$result" "$confined" "$seen"
  if [[ $result != reached || $confined != "$must" ]]; then
    row '' '' '' "^ this must be reached outside and $must confined"
    status=1
  fi
done 3<<< "$outside" 4<<< "$inside"

title 'Why, by: confine-lua explain -p demo.lua THING...'
"$confine" explain -p "$place/demo.lua" "$agent" "$engine" env:DEMO_TOKEN "file:$place/secret" \
  "$database"
exit $status

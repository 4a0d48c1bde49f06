#!/bin/sh
# What the demo tries, once outside and once confined.
#
# Prints for each attempt a line `name|how it must end inside|how it ended|what it saw`.
#
# Usage, where confine-lua and socket.lua are: attempts.sh AGENT ENGINE DATABASE SECRET
agent=$1 engine=$2 database=$3 secret=$4

attempt() { # NAME MUST-BE COMMAND...
  name=$1 must=$2
  shift 2
  if seen=$("$@" 2>&1); then
    result=reached
  else
    result=refused
  fi
  printf '%s|%s|%s|%s\n' "$name" "$must" "$result" "$(printf '%s' "$seen" | head -n 1 | cut -c 1-60)"
}

agent_keys() { SSH_AUTH_SOCK=$agent ssh-add -l; }
ask() { ./confine-lua lua socket.lua ask "$1"; }
token_anywhere() {
  found=$(cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -m 1 '^DEMO_TOKEN=') || {
    echo 'in no environment here'
    return 1
  }
  echo "$found"
}
write_here() { echo written > made-by-the-demo && cat made-by-the-demo; }
write_home() { echo written > "$secret.new" && rm "$secret.new" && echo 'a new file beside it'; }

attempt 'the ssh-agent, by its path' refused agent_keys
attempt 'the engine of DOCKER_HOST, by its path' refused ask "$engine"
attempt 'a token in the environment' refused token_anywhere
attempt 'the secret file' refused cat "$secret"
attempt 'writing outside the work tree' refused write_home
attempt 'a socket that no list refuses' reached ask "$database"
attempt 'an ordinary file: /etc/os-release' reached cat /etc/os-release
attempt 'writing in the work tree' reached write_here

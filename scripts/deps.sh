#!/bin/bash
# Installs the Debian packages that a purpose (build, test, demo, long, bench) needs and that are missing.
#
# Usage: scripts/deps.sh PURPOSE...
#
# dpkg is asked first, so a second run changes nothing and needs no network. Nothing is started by
# an installation. Works as root, or through sudo.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

# One package a word. PACKAGE:COMMAND is satisfied by that command too, wherever it comes from, so
# that a Node, Docker or Emacs installed by other means is left alone.
declare -A PACKAGES=(
  [build]='gcc libc6-dev make pkg-config liblua5.4-dev lua5.4 lua-cjson lua-argparse libseccomp-dev
           bubblewrap'
  [test]='lua-busted lua-check clang libclang-rt-dev clang-format clang-tidy cppcheck git
          nodejs:node npm:npm python3 python3-pip python3-venv procps iproute2 util-linux acl keyutils
          openssh-client openssh-server gpg gpg-agent gpgconf gnome-keyring GCR dbus dbus-daemon
          pipewire wireplumber pipewire-pulse pulseaudio weston xvfb tmux screen emacs-nox:emacs
          at-spi2-core postgresql redis-server:redis-server podman:podman uidmap
          chromium:chromium'
  [demo]='openssh-client'
  [long]='containerd:containerd docker.io:dockerd'
  [bench]='hyperfine:hyperfine'
)

say() { printf 'deps: %s\n' "$*" >&2; }

release() { (. /etc/os-release && printf '%s' "${VERSION_CODENAME-}"); }

installed() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# Names what is missing for the purposes given, one package a line.
missing() {
  local purpose word package command
  for purpose; do
    for word in ${PACKAGES[$purpose]}; do
      package=${word%%:*} command=
      [[ $word == *:* ]] && command=${word#*:}
      if ! installed "$package" && ! { [[ $command ]] && command -v "$command" >/dev/null; }; then
        printf '%s\n' "$package"
      fi
    done
  done
}

# Runs as root: the installation. A policy-rc.d of the machine's own is respected; else one stands
# for as long as this shell lives, because a postinst would start the daemons otherwise. Should
# this shell be killed, the next maintainer script that asks removes it.
read -r -d '' INSTALL <<'SCRIPT' || true
set -e
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  trap 'exit 1' HUP INT TERM
  printf '#!/bin/sh\nkill -0 %d 2>/dev/null && exit 101\nrm -f "$0"\n' $$ > $policy
  chmod 755 $policy
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -q update >&2
apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 install "$@" < /dev/null >&2
SCRIPT

install_packages() {
  say "installing $*"
  if [[ $(id -u) == 0 ]]; then
    sh -c "$INSTALL" install "$@"
  elif command -v sudo >/dev/null; then
    sudo sh -c "$INSTALL" install "$@"
  else
    say "not root and no sudo here; as root: apt-get install --no-install-recommends $*"
    return 1
  fi
}

# Debian 12 has luaposix for Lua 5.1 to 5.3 only. Debian 13's package runs there (it needs libc6
# 2.34), so it is fetched with an apt state of its own, from the mirror this machine already uses,
# checked with Debian's archive keys, and unpacked into build/luaposix: share/posix/*.lua and
# lib/posix/*.so. The system's own apt state is not touched.
fetch_luaposix() {
  local tree=$PWD/build/luaposix work=$PWD/build/luaposix.part mirror
  [[ -e $tree/share/posix/init.lua ]] && return
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
    "Codename: $(release)" 'Component: main' | head -n 1)
  if [[ -z $mirror ]]; then
    say "no Debian mirror for $(release) main among this machine's apt sources"
    return 1
  fi
  say "luaposix for Lua 5.4 from $mirror"
  rm -rf "$work" "$tree"
  mkdir -p "$work"/{lists/partial,cache/archives/partial,tree}
  printf 'deb [signed-by=%s] %s trixie main\n' \
    /usr/share/keyrings/debian-archive-keyring.gpg "$mirror" > "$work/sources.list"
  local options=(-qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::State="$work" -o Dir::State::Lists="$work/lists" -o Dir::State::status=/dev/null
    -o Dir::Cache="$work/cache" -o APT::Sandbox::User= -o Acquire::Languages=none)
  apt-get "${options[@]}" update >&2
  (cd "$work" && apt-get "${options[@]}" download lua-posix >&2)
  dpkg -x "$work"/lua-posix_*.deb "$work/tree"
  # The package's 5.4 folders hold links into its other folders: copied as files.
  mkdir "$work/done"
  cp -rL "$work/tree/usr/share/lua/5.4" "$work/done/share"
  cp -rL "$work"/tree/usr/lib/*/lua/5.4 "$work/done/lib"
  mv "$work/done" "$tree"
  rm -rf "$work"
}

[[ $# -gt 0 ]] || { say "usage: deps.sh ${!PACKAGES[*]}"; exit 2; }
for purpose; do
  [[ ${PACKAGES[$purpose]+known} ]] || { say "unknown purpose '$purpose'"; exit 2; }
done
if [[ $(. /etc/os-release && printf '%s' "${ID-} ${ID_LIKE-}") != *debian* ]]; then
  say 'this is not a Debian system; the packages to install by hand are listed in scripts/deps.sh'
  exit 1
fi
# gcr-ssh-agent moved into gcr4; luaposix for 5.4 became a package.
PACKAGES[test]=${PACKAGES[test]/GCR/$([[ $(release) == bookworm ]] && echo gcr || echo gcr4)}
[[ $(release) == bookworm ]] || PACKAGES[build]+=' lua-posix'

mapfile -t wanted < <(missing "$@")
[[ ${#wanted[@]} == 0 ]] || install_packages "${wanted[@]}"
[[ " $* " != *' build '* || $(release) != bookworm ]] || fetch_luaposix

#!/bin/bash
# Copies what was built to $DESTDIR$PREFIX: the program, its helpers, the library for stock Lua, docs.
set -euo pipefail
cd "$(dirname "$0")/.."
to=${DESTDIR-}${PREFIX:-/usr/local}

copy() { # MODE FOLDER FILE...
  local mode=$1 folder=$2
  shift 2
  install -d "$folder"
  install -m "$mode" -t "$folder" "$@"
}

copy_tree() { # FOLDER INTO
  (cd "$1" && find . -type f -not -name '.*') | while IFS= read -r file; do
    install -D -m 0644 "$1/$file" "$2/$file"
  done
}

copy 0755 "$to/bin" build/confine-lua
copy 0755 "$to/lib/confine-lua" build/confine-probe
copy 0644 "$to/lib/confine-lua/confine" build/lib/confine/core.so
# luaposix where the system has none for Lua 5.4.
for part in build/luaposix/share build/luaposix/lib; do
  [[ ! -d $part ]] || copy_tree "$part" "$to/lib/confine-lua"
done
for tree in lua policies scripts/discover scripts/readers; do
  [[ ! -d $tree ]] || copy_tree "$tree" "$to/share/confine-lua/$tree"
done
for script in scripts/*.lua; do
  [[ ! -e $script ]] || copy 0644 "$to/share/confine-lua/scripts" "$script"
done
for page in doc/*.1; do
  [[ ! -e $page ]] || copy 0644 "$to/share/man/man1" "$page"
done
copy 0644 "$to/share/doc/confine-lua" README.md
echo "installed: $to/bin/confine-lua"

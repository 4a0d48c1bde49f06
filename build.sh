#!/bin/bash
# Builds confine-lua and does everything else with it, from the installation of what it needs on.
set -euo pipefail
cd "$(dirname "$0")"
PATH=$PATH:/usr/sbin:/sbin

usage() {
  cat <<'TEXT'
usage: ./build.sh [WORD]

  (no word)         deps build, then build
  deps [PURPOSE...] install the packages that are missing for build, test, bench or long
                    (build, test and bench when none is named; needs root or sudo, and apt)
  build             build/confine-lua, build/lib/confine/core.so and build/libconfine.a
  test [--long]     every test that CI runs; --long adds long fuzzing, the Docker engine, hundreds
                    of kills; ends with `N passed, N failed, N skipped`
  demo              start an ssh-agent and a socket named by DOCKER_HOST, run a command confined,
                    show what it could reach and why
  bench             measure against plain bubblewrap, with hyperfine
  install           copy into $PREFIX (default /usr/local) below $DESTDIR
  clean             remove what build and test made
TEXT
}

build() {
  make -j"$(nproc)" all
}

run_tests() {
  local purposes=(build test)
  case "${1-}" in
    '') ;;
    --long) purposes+=(long) ;;
    *) echo "build.sh test: unknown option '$1'" >&2; exit 2 ;;
  esac
  scripts/deps.sh "${purposes[@]}"
  build
  exec lua5.4 tests/run.lua "$@"
}

word=${1-}
[[ $# == 0 ]] || shift
case $word in
  '') scripts/deps.sh build && build ;;
  deps) [[ $# -gt 0 ]] || set -- build test bench; scripts/deps.sh "$@" ;;
  build) build ;;
  test) run_tests "$@" ;;
  demo) scripts/deps.sh build demo && build && exec scripts/demo.sh "$@" ;;
  bench) scripts/deps.sh build bench && build && exec tests/bench/run "$@" ;;
  install) build && scripts/install.sh ;;
  clean) make clean && rm -rf build/test ;;
  -h | --help | help) usage ;;
  *) echo "build.sh: unknown word '$word'" >&2; usage >&2; exit 2 ;;
esac

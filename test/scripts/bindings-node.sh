#!/usr/bin/env bash
# The tests of the Node.js module, against the daemons of a build.
#
#   test/scripts/bindings-node.sh BUILD [OPTION...]   options of `node --test`, such as --test-name-pattern=watch
set -euo pipefail

build=$(cd "${1:?usage: test/scripts/bindings-node.sh BUILD [OPTION...]}" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
shift
command -v node >/dev/null || {
    echo "bindings-node: error: no node here: install Debian's package nodejs" >&2
    exit 1
}
version=$(sed -nE 's/^project\(doyen VERSION ([0-9.]+).*/\1/p' "$top/CMakeLists.txt")
grep -q "\"version\": \"$version\"" "$top/src/bindings/node/package.json" || {
    echo "bindings-node: error: package.json and CMakeLists.txt ($version) differ" >&2
    exit 1
}
export DOYEN_BUILD=$build
exec node --test "$@" "$top"/test/bindings/node/*.test.mjs

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
# What npm packs can be installed, and lacks no file that it imports.
if command -v npm >/dev/null; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    mkdir -p "$folder/node_modules/doyen"
    npm pack --silent --cache "$folder/cache" --pack-destination "$folder" "$top/src/bindings/node" >/dev/null
    tar xzf "$folder/doyen-$version.tgz" --strip-components=1 -C "$folder/node_modules/doyen"
    test -e "$folder/node_modules/doyen/index.d.ts"
    (cd "$folder" && node --input-type=module -e 'import { Client } from "doyen"; new Client({ control: "/none" });')
fi

export DOYEN_BUILD=$build
node --test "$@" "$top"/test/bindings/node/*.test.mjs

#!/usr/bin/env bash
# What `cmake --install BUILD` puts in place is whole: programs that run and say the project's
# version, the Python module with DOYEN_PYTHON, that for Node.js with DOYEN_NODEJS, their manual pages, the licence, and the documents that these link to.
#
#   test/scripts/install.sh BUILD
set -euo pipefail

build=${1:?usage: test/scripts/install.sh BUILD}
top=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

fail()
{
    echo "install: error: $1" >&2
    exit 1
}

# documents_of FILE: the files beside it that it links to.
documents_of()
{
    grep -oE '\]\([^)#:]+\)' "$1" | tr -d '()]' | sort -u
}

version=$(sed -nE 's/^project\(doyen VERSION ([0-9.]+) .*/\1/p' "$top/CMakeLists.txt")
[ -n "$version" ] || fail "CMakeLists.txt names no version"

cmake --install "$build" --prefix "$prefix" >/dev/null

for program in doyend doyen doyen-witness doyen-replay doyen-lab; do
    installed=$prefix/bin/$program
    [ -x "$installed" ] || fail "no bin/$program"
    [ "$("$installed" --version)" = "$program $version" ] ||
        fail "$program --version says '$("$installed" --version)', not '$program $version'"
    [[ $("$installed" --help) == *--help* ]] || fail "$program --help does not"
done

for page in man8/doyend.8 man8/doyen-witness.8 man1/doyen.1 man1/doyen-replay.1 man1/doyen-lab.1 man3/doyen-client.3 man3/doyen-lease.3 man3/doyen-node.3; do
    [ -s "$prefix/share/man/$page" ] || fail "no share/man/$page"
done
grep -q "^\.TH .*doyen $version" "$prefix/share/man/man1/doyen.1" ||
    fail "docs/man/doyen.1 is of another version than $version"

documents=$prefix/share/doc/doyen
[ -s "$documents/LICENSE" ] || fail "no LICENSE"
for document in $(documents_of "$documents/README.md"); do
    [ -s "$documents/$document" ] || fail "README.md links to $document, which is not installed"
done
for page in "$documents"/docs/{guide,bindings}/*.md "$documents"/docs/{how-it-works,failure-detection,versions}.md; do
    for document in $(documents_of "$page"); do
        [ -s "${page%/*}/$document" ] ||
            fail "${page#"$documents/"} links to $document, which is not installed"
    done
done

if grep -q '^DOYEN_NODEJS:BOOL=ON$' "$build/CMakeCache.txt"; then
    module=$prefix/share/nodejs/doyen
    grep -q "\"version\": \"$version\"" "$module/package.json" || fail "the Node.js module is not there, or of another version than $version"
    [ -e "$module/index.d.ts" ] || fail "no declarations of the Node.js module"
    node --input-type=module -e "import { Client } from '$module/index.js'; new Client({ control: 'x.sock' });" ||
        fail "the Node.js module does not load"
fi
if grep -q '^DOYEN_PYTHON:BOOL=ON$' "$build/CMakeCache.txt"; then
    module=$prefix/lib/python3/dist-packages
    [ "$(PYTHONPATH=$module python3 -B -c 'import doyen.aio; print(doyen.__version__)')" = "$version" ] ||
        fail "the Python module is not there, or of another version than $version"
    [ -e "$module/doyen/py.typed" ] || fail "no doyen/py.typed"
fi

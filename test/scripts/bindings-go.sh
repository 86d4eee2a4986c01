#!/usr/bin/env bash
# The tests of the Go package, against the daemons of a build; and its example is built.
#
#   test/scripts/bindings-go.sh BUILD [OPTION...]   options of `go test`, such as -run Watch
set -euo pipefail

build=$(cd "${1:?usage: test/scripts/bindings-go.sh BUILD [OPTION...]}" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
shift
command -v go >/dev/null || {
    echo "bindings-go: error: no go here: install Debian's package golang-go" >&2
    exit 1
}
export DOYEN_BUILD=$build GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local
cd "$top/test/bindings/go"
unformatted=$(gofmt -l . "$top/src/bindings/go" "$top"/examples/*.go)
[ -z "$unformatted" ] || {
    echo "bindings-go: error: run gofmt -w on $unformatted" >&2
    exit 1
}
go vet . doyen
go vet "$top/examples/leader.go"
go vet "$top/examples/workers.go"
exec go test -count=1 "$@" .

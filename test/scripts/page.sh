#!/usr/bin/env bash
# The page of `doyend --http` in a browser: what it shows of a cluster of real daemons.
#
#   test/scripts/page.sh BUILD CASE [PICTURES]   runs one; pictures of it go into the folder PICTURES
#   test/scripts/page.sh --list                  names them
#
# Needs Chromium and python3-websocket (Debian: scripts/packages browser); without them it is skipped.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)

if [ "${1-}" = --list ]; then
    printf '%s\n' live hundred without_scripts
    exit
fi
if [ $# -lt 2 ]; then
    echo "usage: test/scripts/page.sh BUILD CASE [PICTURES] | --list" >&2
    exit 64
fi

python=/usr/bin/python3 # Debian's own, which has Debian's modules.
browser=$(command -v chromium || true)
if [ -z "$browser" ] || ! $python -c 'import websocket' 2>/dev/null; then
    echo "skipped: Chromium or python3-websocket is not installed (scripts/packages browser)"
    exit 77
fi

unset "${!DOYEN_@}"
DOYEN_BUILD=$(cd "$1" && pwd)
export DOYEN_BUILD
folder=$(mktemp -d)
export DOYEN_CLUSTER_DIR=$folder/members XDG_RUNTIME_DIR=$folder
cluster=$top/scripts/cluster

clean_up()
{
    "$cluster" down >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap clean_up EXIT

# shellcheck source=test/scripts/free_ports.sh
source "$top/test/scripts/free_ports.sh"

first=$(free_ports 7)
http=127.0.0.1:$((first + 6))
export DOYEN_CLUSTER_PORT=$first
DOYEN_CLUSTER_ARGS="--http $http --tag zone=a" "$cluster" up 1 >/dev/null
zones=(b b c c)
for name in byzantium cyrene delphi ephesus; do
    DOYEN_CLUSTER_ARGS="--tag zone=${zones[0]}" "$cluster" add "$name" >/dev/null
    zones=("${zones[@]:1}")
done

mkdir "$folder/browser"
PYTHONDONTWRITEBYTECODE=1 $python "$top/test/scripts/page.py" "http://$http/" "$browser" "$cluster" \
    "$folder/browser" "$2" ${3+"$3"}

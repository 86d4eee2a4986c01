#!/usr/bin/env bash
# The page of `doyend --http` in a browser: what it shows of a cluster of real daemons.
#
#   test/scripts/page.sh BUILD CASE [PICTURES]   runs one; pictures of it go into the folder PICTURES
#   test/scripts/page.sh --list                  names them
#
# Needs Chromium and python3-websocket (Debian: scripts/packages browser); without them it is skipped. Where
# AXE_CORE names axe.min.js of axe-core, the page has no violation of its rules.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)

if [ "${1-}" = --list ]; then
    printf '%s\n' live many without_scripts strict outsider
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

outsider=
clean_up()
{
    [ -z "$outsider" ] || kill "$outsider" 2>/dev/null || true
    "$cluster" down >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap clean_up EXIT

# shellcheck source=test/scripts/free_ports.sh
source "$top/test/scripts/free_ports.sh"

first=$(free_ports 9)
http=127.0.0.1:$((first + 6))
other=127.0.0.1:$((first + 8)) # As far from cyrene's port as the one above from athens'.
export DOYEN_CLUSTER_PORT=$first

# Five members in three zones, of which athens and cyrene have a page.
five()
{
    local zones=(b b c c) name
    DOYEN_CLUSTER_ARGS="--http $http --tag zone=a" "$cluster" up 1 >/dev/null
    for name in byzantium cyrene delphi ephesus; do
        DOYEN_CLUSTER_ARGS="--tag zone=${zones[0]}$([ $name != cyrene ] || echo " --http $other")" "$cluster" add "$name" >/dev/null
        zones=("${zones[@]:1}")
    done
}

# Three voters, and one more; athens restarts once it has found the others, and then has the page.
voters()
{
    DOYEN_CLUSTER_ARGS="--guard strict --voters athens,byzantium,cyrene" "$cluster" up 3 >/dev/null
    "$cluster" add delphi >/dev/null
    DOYEN_CLUSTER_ARGS="--guard strict --voters athens,byzantium,cyrene --http $http" "$cluster" restart athens >/dev/null
}

# One whom nobody lets in: it has another key.
outsider()
{
    "$cluster" up 1 >/dev/null
    "$DOYEN_BUILD/doyend" --make-key "$folder/key" >/dev/null
    "$DOYEN_BUILD/doyend" --name stranger --listen "127.0.0.1:$((first + 5))" --seed "127.0.0.1:$first" --http "$http" \
        --key "$folder/key" --control "$folder/stranger.sock" 2>"$folder/stranger.log" &
    outsider=$!
}

case $2 in
strict) voters ;;
outsider) outsider ;;
*) five ;;
esac

mkdir "$folder/browser"
OTHER_PAGE=http://$other/ PYTHONDONTWRITEBYTECODE=1 $python "$top/test/scripts/page.py" "http://$http/" "$browser" "$cluster" \
    "$folder/browser" "$2" ${3+"$3"}

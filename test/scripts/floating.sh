#!/usr/bin/env bash
# A floating address, examples/floating-address.py under `doyen run`, on three hosts in network
# namespaces: whatever goes wrong, two clients get answers again, by IPv4 and IPv6, and under guard
# strict no two hosts held the address at any instant. test/bench/floating.py says what each case is.
#
#   test/scripts/floating.sh BUILD CASE   runs one, with the programs of that build
#   test/scripts/floating.sh --list       names them
#
# Status 77: it cannot be run here, and the last line says why.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cases=(strict-lan-{daemon,job,again,link,stop,move,split} strict-local-{busy,link} majority-lan-link
    none-lan-{split,again})

if [ "${1-}" = --list ]; then
    printf '%s\n' "${cases[@]}"
    exit
fi
if [ $# -ne 2 ] || [[ " ${cases[*]} " != *" $2 "* ]]; then
    echo "usage: test/scripts/floating.sh BUILD CASE | --list" >&2
    exit 64
fi

unset "${!DOYEN_@}"
build=$(cd "$1" && pwd)
apart=(unshare --net --mount --pid --fork --mount-proc)
[ "$(id -u)" -eq 0 ] || apart+=(--user --map-root-user)
if ! "${apart[@]}" sh -c 'mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && ip netns add try' \
    >/dev/null 2>&1; then
    echo "skipped: here is no ip of iproute2, or no right to make hosts of it"
    exit 77
fi

/usr/bin/python3 -B "$top/test/bench/floating.py" --check "${2%-*}" "${2##*-}" "$build"

#!/usr/bin/env bash
# PostgreSQL that fails over, examples/postgresql.py under `doyen run --standby`, on hosts in network
# namespaces: whatever goes wrong, a client that writes all the time is served again, no write that
# was acknowledged is lost, and no two hosts were the primary at any instant.
# test/bench/postgresql.py says what each case is.
#
#   test/scripts/postgresql.sh BUILD CASE   runs one, with the programs of that build
#   test/scripts/postgresql.sh --list       names them
#   test/scripts/postgresql.sh --few        names those that scripts/test runs: one of each kind
#
# Status 77: it cannot be run here, and the last line says why.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cases=(doyen-3-{postgres,all,link,stop,switch,standby,hang,lag} doyen-2-{all,link,switch,standby,behind}
    doyen-3-haproxy-{all,switch})

if [ "${1-}" = --list ]; then
    printf '%s\n' "${cases[@]}"
    exit
fi
if [ "${1-}" = --few ]; then
    printf '%s\n' doyen-3-all doyen-3-lag doyen-2-link doyen-2-behind
    exit
fi
if [ $# -ne 2 ] || [[ " ${cases[*]} " != *" $2 "* ]]; then
    echo "usage: test/scripts/postgresql.sh BUILD CASE | --list | --few" >&2
    exit 64
fi

unset "${!DOYEN_@}" "${!PG@}"
build=$(cd "$1" && pwd)
as_postgres=(setpriv --reuid postgres --regid postgres --clear-groups)
if [ ! -x /usr/lib/postgresql/15/bin/postgres ]; then
    echo "skipped: PostgreSQL 15 is not installed (apt-get install postgresql-15)"
    exit 77
fi
if [ "$(id -u)" -ne 0 ] || ! "${as_postgres[@]}" test -x "$build/doyend" -a -x "$top/examples/postgresql.py" ||
    ! unshare --net --mount --pid --fork --mount-proc sh -c \
        'mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && ip netns add try' >/dev/null 2>&1; then
    echo "skipped: not root, no right to make hosts, or the account postgres may not look in here"
    exit 77
fi

PATH=$PATH:/usr/sbin
if [[ $2 = *-haproxy-* ]] && [ -z "$(command -v haproxy)" ]; then
    echo "skipped: HAProxy is not installed (apt-get install haproxy)"
    exit 77
fi

/usr/bin/python3 -B "$top/test/bench/postgresql.py" --check "${2%-*}" "${2##*-}" "$build"

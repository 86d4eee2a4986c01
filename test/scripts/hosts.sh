#!/usr/bin/env bash
# From three bare Debian 12 with the built packages to a job that runs on exactly one of them, and on
# another one when the first has lost its power: by the commands of docs/guide/init-and-join.md, in less
# than three minutes and with ten commands at most. The hosts are booted, each by a systemd of its own
# (systemd-nspawn), with a network of their own.
#
#   test/scripts/hosts.sh [PACKAGES [BARE]]   with the packages in that folder, and a Debian 12 that was
#                                             prepared in the folder BARE; what is not there is made
#
# Needs root and a mirror of Debian. Where nothing can be booted it is skipped, with status 77.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)

# skip WHY: a machine on which this cannot be tried, as scripts/test understands it.
skip()
{
    echo "skipped: $1"
    exit 77
}

fail()
{
    echo "hosts: error: $1" >&2
    exit 1
}

# --- A bare Debian --------------------------------------------------------------------------------

# prepare PACKAGES BARE: from the hosts nothing is reached but each other, so what apt downloads for them
# lies where it looks first.
prepare()
{
    local mirror
    mirror=$(sed -nE '/security/d; s,^(deb|URIs:).* (https?://[^ ]+).*,\2,p; s,^URIs: *(https?://[^ ]+).*,\1,p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1 || true)
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,iproute2 bookworm "$2" ${mirror:+"$mirror"}
    cp -n /etc/apt/apt.conf.d/* "$2/etc/apt/apt.conf.d/" 2>/dev/null || true
    rm -f "$2/etc/apt/apt.conf.d/docker-clean"
    mkdir "$2/packages"
    cp "$1"/doyen_*.deb "$2/packages"
    chroot "$2" apt-get update --quiet
    chroot "$2" sh -c 'apt-get install --yes --quiet --download-only /packages/doyen_*.deb'
}

if [ "${1-}" != --inside ]; then
    [ $# -le 2 ] || { echo "usage: test/scripts/hosts.sh [PACKAGES [BARE]]" >&2; exit 64; }
    [ "$(id -u)" -eq 0 ] || skip "to boot hosts needs root"
    [ -n "$(command -v dpkg-query)" ] || skip "this is no Debian"
    "$top/scripts/packages" build package
    unshare --mount --net --pid --fork true 2>/dev/null || skip "there are no namespaces to be had here"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    packages=${1-$work/packages}
    compgen -G "$packages/doyen_*.deb" >/dev/null || "$top/scripts/package" "$packages" >"$work/log" 2>&1 ||
        { tail -n 30 "$work/log" >&2; fail "scripts/package failed"; }
    bare=${2-$work/bare}
    [ -d "$bare/packages" ] || prepare "$packages" "$bare" >"$work/log" 2>&1 ||
        { tail -n 20 "$work/log" >&2; fail "there is no bare Debian to be had"; }
    # What that starts and mounts ends with it.
    unshare --mount --net --pid --fork --kill-child --mount-proc "$0" --inside "$work" "$bare"
    exit
fi

# --- Three hosts ----------------------------------------------------------------------------------

work=$2
bare=$3
declare -A leader=()
commands=0
mkdir "$work/shared"

# show: what the hosts say, after a fault.
show()
{
    local host
    tail -n 12 "$work"/*.out >&2 || true
    for host in "${!leader[@]}"; do
        echo "--- host$host" >&2
        at "$host" journalctl --no-pager -n 12 -u doyend -u 'doyen-run@*' >&2 || true
    done
}

# soon SECONDS WHAT COMMAND...: waits until it succeeds.
soon()
{
    local until=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$until" ] || { show; fail "not in time: $what"; }
        sleep 0.1
    done
}

# at HOST COMMAND...: inside, with its terminal's environment.
at()
{
    local host=$1
    shift
    nsenter --target "${leader[$host]}" --mount --uts --ipc --net --pid -- \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}

# type HOST COMMAND...: what somebody would type there. It is counted.
type()
{
    local host=$1
    shift
    commands=$((commands + 1))
    printf '%6.1f s  %2d  host%s# %s\n' "$(since)" "$commands" "$host" "$*"
    at "$host" "$@" >>"$work/host$host.out" 2>&1 || { show; fail "host$host: $*"; }
}

since()
{
    awk -v now="$(date +%s.%N)" -v then="$began" 'BEGIN { print now - then }'
}

# boot HOST: its own tree is the bare one, and what it writes above that.
boot()
{
    local root=$work/hosts/$1
    mkdir -p "$root/upper" "$root/work" "$root/tree"
    mount -t overlay overlay -o "lowerdir=$bare,upperdir=$root/upper,workdir=$root/work" "$root/tree"
    echo "host$1" >"$root/tree/etc/hostname"
    systemd-nspawn --quiet --directory "$root/tree" --machine "host$1" --hostname "host$1" \
        --register=no --keep-unit --network-bridge=hosts --bind "$work/shared:/shared" --boot \
        >"$work/boot$1.out" 2>&1 &
    booted[$1]=$!
}

# child_of PID: its only child.
child_of()
{
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '$4 == parent { print $1 }' | head -n 1
}

# is_up HOST: finds its first process.
is_up()
{
    local first
    first=$(child_of "${booted[$1]}")
    [ -n "$first" ] || return 1
    leader[$1]=$first
    at "$1" systemctl is-system-running | grep -qE 'running|degraded'
}

declare -A booted=()
mkdir "$work/hosts"
mount -t tmpfs tmpfs "$work/hosts" # As not every file system can hold the upper part of an overlay.
ip link set lo up
ip link add hosts type bridge
ip link set hosts up
for host in 1 2 3; do boot "$host"; done
for host in 1 2 3; do
    until is_up "$host" 2>/dev/null; do
        if [ "$SECONDS" -gt 120 ] || ! kill -0 "${booted[$host]}" 2>/dev/null; then
            tail -n 5 "$work/boot$host.out" >&2
            skip "systemd-nspawn boots nothing here"
        fi
        sleep 0.1
    done
    at "$host" ip address add "10.77.0.$host/24" dev host0
    at "$host" ip link set host0 up
done

# The job writes who runs it, so that two of it at once would be seen.
cat >"$work/shared/job" <<'END'
#!/bin/sh
while true; do
    echo "$DOYEN_NODE $DOYEN_EPOCH" >>/shared/log
    sleep 0.05
done
END
chmod +x "$work/shared/job"

# writers: the hosts in the order in which they wrote, each once for each time that it took over.
writers()
{
    awk '{ print $1 }' "$work/shared/log" 2>/dev/null | uniq | paste -sd' '
}

has_written()
{
    writers | grep -q .
}

# --- From nothing to a job on one of them ---------------------------------------------------------

began=$(date +%s.%N)
SECONDS=0
for host in 1 2 3; do
    type "$host" sh -c 'apt-get install --yes --quiet /packages/doyen_*.deb'
done
for host in 1 2 3; do
    type "$host" install /shared/job /etc/doyen/run/job
done
type 1 doyen init --strict &
initiating=$!
commands=$((commands + 1)) # Of the shell in the background this one does not hear.
soon 60 "doyen init prints its words" grep -q "This waits" "$work/host1.out"
mapfile -t words < <(sed -nE 's/^ *doyen join 10\.77\.0\.1 (.*)/\1/p' "$work/host1.out")
type 2 doyen join 10.77.0.1 "${words[0]}"
type 3 doyen join 10.77.0.1 "${words[1]}"
soon 60 "the job runs" has_written
first=$(writers)
printf '%6.1f s      the job runs on %s\n' "$(since)" "$first"
[ "$first" = host1 ] || { show; fail "the job runs on $first"; }
wait "$initiating" || { show; fail "doyen init ends with $?"; }

# Three vote when the third has been there for a minute; only then can one be lost.
type 3 sh -c 'until doyen voters | grep -q "1 can be spared"; do sleep 0.2; done'
printf '%6.1f s      three vote\n' "$(since)"

kill -KILL "${leader[1]}" "${booted[1]}"
unset 'leader[1]'
lost=$(since)
is_taken_over()
{
    [[ $(writers) =~ ^host1\ host[23]$ ]]
}
soon 60 "the job runs on another host" is_taken_over
printf '%6.1f s      the job runs on %s, %.1f s after host1 lost its power\n' "$(since)" \
    "$(writers | sed 's/.* //')" "$(awk -v a="$(since)" -v b="$lost" 'BEGIN { print a - b }')"
took=$(since)

# Nobody else has written in between, and each later line has the higher epoch.
sleep 1
is_taken_over || { show; fail "wrote in turn: $(writers)"; }
awk '$2 < highest { exit 1 } { highest = $2 }' "$work/shared/log" || fail "a lower epoch wrote after a higher one"
[ "$commands" -le 10 ] || fail "$commands commands: ten should do"
awk -v took="$took" 'BEGIN { exit took >= 180 }' || echo "hosts: $took s, where a quiet machine takes less than 180"
printf 'hosts: sound: %d commands, %.0f s, on three hosts booted with systemd-nspawn\n' "$commands" "$took"

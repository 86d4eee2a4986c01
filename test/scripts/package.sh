#!/usr/bin/env bash
# The Debian packages: they build, keep the distribution's rules, install on a bare Debian 12 where three
# nodes form a cluster from the installed files, survive an upgrade, and leave nothing behind when
# they are purged. The unit is sound and closed to a score of 1.3; completions complete.
#
#   test/scripts/package.sh [DIRECTORY]    needs a mirror of Debian; leaves the packages in DIRECTORY
#
# Without root, or where nothing may be mounted, all is looked at but the installing, which is skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail()
{
    echo "package: error: $1" >&2
    exit 1
}

# skip WHY: a machine on which this cannot be tried, as scripts/test understands it.
skip()
{
    echo "skipped: $1"
    exit 77
}

[ -n "$(command -v dpkg-query)" ] || skip "this is no Debian"
scripts/packages build package
may_mount=false
[ "$(id -u)" -ne 0 ] || ! unshare --mount true 2>/dev/null || may_mount=true
work=$(mktemp -d)
root=$work/root
bare=
clean_up()
{
    [ -z "$bare" ] || { kill "$bare" && wait "$bare"; } 2>/dev/null || true
    umount -l "$root/proc" "$root/sys" 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

# What comes from the network comes while the packages are built.
mirror=$(sed -nE '/security/d; s,^(deb|URIs:).* (https?://[^ ]+).*,\2,p; s,^URIs: *(https?://[^ ]+).*,\1,p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1 || true)
if $may_mount; then
    debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >"$work/debootstrap.log" 2>&1 &
    bare=$!
fi

# --- The packages and the unit --------------------------------------------------------------------

scripts/package "$work/packages" >"$work/build.log" 2>&1 ||
    { tail -n 30 "$work/build.log" >&2; fail "scripts/package failed"; }
! grep -E -A 4 '[.][ch]:[0-9:]+ warning: ' "$work/build.log" >&2 || fail "the compiler warns"
mapfile -t packages < <(find "$work/packages" -name '*.deb' ! -name '*-dbgsym*')
[ $# -eq 0 ] || { rm -rf "$1" && mkdir -p "$1" && cp "${packages[@]}" "$1"; } # For test/scripts/hosts.sh.
lintian --allow-root --fail-on error "${packages[@]}" >"$work/lintian.log" 2>&1 ||
    { cat "$work/lintian.log" >&2; fail "lintian found errors"; }

unit=packaging/systemd/doyend.service
grep -qx StartLimitIntervalSec=0 "$unit" || fail "$unit gives up for good after five starts"
# closed_to TENTHS UNIT
closed_to()
{
    systemd-analyze security --offline=true --threshold="$1" --no-pager "$2" >"$work/unit.log" 2>&1 ||
        { tail -n 1 "$work/unit.log" >&2; fail "$2 is more open than ${1%?}.${1#?}"; }
}
closed_to 13 "$unit"
closed_to 13 packaging/systemd/doyen-witness.service
mkdir -p "$work/busy/doyend.service.d"
cp "$unit" "$work/busy"
cp packaging/systemd/realtime.conf "$work/busy/doyend.service.d"
closed_to 15 "$work/busy/doyend.service"
! grep -q '^✓.*RestrictRealtime=' "$work/unit.log" || fail "realtime.conf gives no real-time priority"

# The image has no package of ours that would bring the libraries.
while read -r library; do
    grep -qw -- "$library" packaging/container/Containerfile || fail "packaging/container/Containerfile does not install $library"
done < <(dpkg-deb --field "$work"/packages/doyen_*.deb Depends | grep -oE 'lib[^ ,]+' | grep -vE '^(libc6|libtinfo6|libdoyen.*)$') # libtinfo6 comes with libncursesw6

# --- Completions ----------------------------------------------------------------------------------

mkdir "$work/next"
dpkg-deb -R "$work"/packages/doyen_*.deb "$work/next/tree"
PATH=$work/next/tree/usr/bin:$PATH
bash_completes()
{
    # shellcheck disable=SC2016 # For the inner shell.
    bash -c 'source packaging/completions/doyen.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _doyen
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
bash_completes doyen mem | grep -qx members || fail "bash does not complete doyen mem"
bash_completes doyen wait --tim | grep -qx -- --timeout || fail "bash does not complete doyen wait --tim"
bash_completes doyen in | grep -qx init || fail "bash does not complete doyen in"
bash_completes doyen join --dr | grep -qx -- --dry-run || fail "bash does not complete doyen join --dr"
bash_completes doyend --gua | grep -qx -- --guard || fail "bash does not complete doyend --gua"
bash_completes doyen in | grep -qx init || fail "bash does not complete doyen in"
bash_completes doyen join --dr | grep -qx -- --dry-run || fail "bash does not complete doyen join --dr"
bash_completes doyend --guard s | grep -qx strict || fail "bash does not complete doyend --guard s"
bash_completes doyen members --state f | grep -qx failed || fail "bash does not complete doyen members --state f"
fish_completes()
{
    fish --no-config --command "source packaging/completions/doyen.fish; complete --do-complete '$1'"
}
fish_completes 'doyen mem' | grep -qE '^members' || fail "fish does not complete doyen mem"
fish_completes 'doyen wait --tim' | grep -qx -- --timeout || fail "fish does not complete doyen wait --tim"
zsh --no-rcs -n packaging/completions/doyen.zsh || fail "packaging/completions/doyen.zsh is no zsh"

# --- A bare Debian --------------------------------------------------------------------------------

$may_mount ||
    skip "the packages are sound; to install them needs root, and a mount, which is not to be had here"

wait "$bare" ||
    { tail -n 20 "$work/debootstrap.log" >&2; fail "debootstrap failed"; }
mount -t proc proc "$root/proc"
[ ! -d /etc/apt/apt.conf.d ] || cp -n /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io" # It has not to outlive a power cut.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # There is no systemd in there to start it.
chmod +x "$root/usr/sbin/policy-rc.d"
mkdir "$root/packages"
cp "${packages[@]}" "$root/packages"

inside()
{
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"
}

install_packages()
{
    inside sh -c 'apt-get install --yes --quiet --no-install-recommends "$@"' sh "$@" >"$work/apt.log" 2>&1 ||
        { tail -n 30 "$work/apt.log" >&2; fail "apt-get install $* failed"; }
}

inside apt-get update --quiet >"$work/apt.log" 2>&1 || { tail "$work/apt.log" >&2; fail "apt-get update failed"; }
install_packages systemd systemd-sysv python3 nodejs gcc libc6-dev pkg-config
(cd "$root" && find etc usr var run lib -xdev | sort) >"$work/before"
inside getent passwd doyen >/dev/null && fail "there is an account doyen before the package"
install_packages "${packages[@]/#*\//\/packages\/}"
inside getent passwd doyen >/dev/null || fail "the package makes no account doyen"
inside systemd-analyze verify /lib/systemd/system/doyend.service >"$work/verify.log" 2>&1 || true
if grep -v "Command 'man " "$work/verify.log" | grep doyend.service >&2; then # There are no pages in there.
    fail "the unit is not sound"
fi
inside setpriv --reuid doyen --regid doyen --init-groups doyend --config /etc/doyen/doyend.conf \
    --control /tmp/doyend.sock --state-dir '' --check >"$work/check.log" 2>&1 || # systemd makes its directories
    grep -q 'state' "$work/check.log" || { cat "$work/check.log" >&2; fail "the installed configuration is not sound"; }

inside systemd-analyze verify /lib/systemd/system/doyen-witness.service >"$work/verify.log" 2>&1 || true
if grep -v "Command 'man " "$work/verify.log" | grep doyen-witness.service >&2; then
    fail "the unit of the witness is not sound"
fi
# In a network of its own, where nobody else has the port.
# shellcheck disable=SC2016 # For the shell inside.
inside unshare --net setpriv --reuid doyen --regid doyen --init-groups sh -c '
    mkdir /tmp/witness && doyen-witness --config /etc/doyen-witness/witness.conf --state-dir /tmp/witness --check' \
    >"$work/check.log" 2>&1 || { cat "$work/check.log" >&2; fail "the installed configuration of the witness is not sound"; }
inside rm -r /tmp/witness

inside systemd-analyze verify /lib/systemd/system/doyen-run@.service >"$work/verify.log" 2>&1 || true
if grep -v "Command 'man " "$work/verify.log" | grep doyen-run@ >&2; then
    fail "the unit of jobs is not sound"
fi
[ -d "$root/etc/doyen/run" ] || fail "there is no /etc/doyen/run for jobs"

# --- Three nodes of the installed files -----------------------------------------------------------

# shellcheck disable=SC2016 # For the shell inside.
inside sh -ec '
    install -d -m 0755 /run/doyen
    install -d -m 0700 /nodes
    pids=
    trap "kill \$pids 2>/dev/null; wait" EXIT
    doyend --make-key /nodes/key
    for name in athens byzantium cyrene; do
        port=$((port + 1))
        doyend --name $name --key /nodes/key --listen 127.77.0.1:1742$port --seed 127.77.0.1:17421 2>/nodes/$name.log &
        pids="$pids $!"
    done
    for name in athens byzantium cyrene; do
        doyen --control /run/doyen/$name.sock wait --members 3 --timeout 30s
    done
    DOYEN_CONTROL=/run/doyen/cyrene.sock python3 -c "
import doyen
with doyen.Client() as client:
    assert len(client.view().members) == 3
"
    DOYEN_CONTROL=/run/doyen/athens.sock node --input-type=module -e "
import { Client } from \"/usr/share/nodejs/doyen/index.js\";
await new Client().leading((lead) => lead.sleep(100), { timeoutMs: 30000 });
"
' >"$work/cluster.log" 2>&1 || { cat "$work/cluster.log" >&2; fail "three installed nodes form no cluster"; }
inside rm -rf /nodes /run/doyen

# --- A program of one's own -----------------------------------------------------------------------

# The guide's program, by the guide's flags, with what libdoyen-dev brings and nothing else; and a member inside a program.
install -d "$root/programs"
# shellcheck disable=SC2016 # A fence of Markdown.
sed -n '/^```c three.c$/,/^```$/{//!p}' docs/guide/run-a-job.md >"$root/programs/three.c"
# shellcheck disable=SC2016 # For the shell inside.
inside sh -ec '
    cd /programs
    grep -q doyen_wait three.c
    echo "#include <doyen/node.h>
int main(void) { return doyen_node_start(0, 0, 0, 0) == 0; }" >node.c
    cc three.c -o three $(pkg-config --cflags --libs doyen)
    cc node.c -o node $(pkg-config --cflags --libs doyen-node)
    cc three.c -o static /usr/lib/*/libdoyen.a $(pkg-config --static --cflags --libs doyen)
' >"$work/compile.log" 2>&1 || { cat "$work/compile.log" >&2; fail "programs in C do not build from the packages"; }
rm -r "$root/programs"

# --- Upgrade and purge ----------------------------------------------------------------------------

echo '; changed by its owner' >>"$root/etc/doyen/doyend.conf"
sed -i 's/^Version: .*/&+next/' "$work/next/tree/DEBIAN/control"
dpkg-deb --root-owner-group -b "$work/next/tree" "$root/packages/next.deb" >/dev/null
install_packages /packages/next.deb
grep -q 'changed by its owner' "$root/etc/doyen/doyend.conf" || fail "an upgrade overwrites the configuration"
install -d "$root/var/lib/doyen"
inside apt-get purge --yes --quiet doyen doyen-witness libdoyen-dev libdoyen0 libdoyen-node0 python3-doyen node-doyen golang-doyen-dev >"$work/apt.log" 2>&1 ||
    { tail "$work/apt.log" >&2; fail "purge failed"; }
inside apt-get autoremove --purge --yes --quiet >>"$work/apt.log" 2>&1
(cd "$root" && find etc usr var run lib -xdev | sort) >"$work/after"
left=$(comm -13 "$work/before" "$work/after" | grep -i doyen || true)
[ -z "$left" ] || fail "purge leaves these behind: $left"

echo "package: sound"

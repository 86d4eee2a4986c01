#!/usr/bin/env bash
# The pages of docs/guide, and the README, as they are printed: what they tell to run is run, and says
# what they show. The README begins with the five members that scripts/bootstrap leaves running.
#
#   test/scripts/guide.sh BUILD PAGE   runs one, with the programs of that build
#   test/scripts/guide.sh --list       names them
#
# A block fenced as `sh` is run: all those of a page by one shell, in order, where every command has
# to succeed. A block fenced as `output` is what the block before it writes, where times, addresses,
# process numbers and cursors may differ, as the blanks between columns may; … stands for anything,
# and on a line of its own for any lines. A block fenced as `c FILE` or `python FILE` is put into
# that file first. All other blocks are only shown.
set -euo pipefail
shopt -s extglob

top=$(cd "$(dirname "$0")/../.." && pwd)
pages=$top/docs/guide

if [ "${1-}" = --list ]; then
    cd "$pages"
    printf '%s\n' README.md *.md | sed 's/\.md$//'
    exit
fi
page=$pages/${2-}.md
[ "${2-}" != README ] || page=$top/README.md
if [ $# -ne 2 ] || [ ! -f "$page" ]; then
    echo "usage: test/scripts/guide.sh BUILD PAGE | --list" >&2
    exit 64
fi

unset "${!DOYEN_@}"
build=$(cd "$1" && pwd)
folder=$(mktemp -d)
clone=$folder/clone # what the reader has: a clone that is built
session=0

clean_up()
{
    [ "$session" = 0 ] || kill -- "-$session" 2>/dev/null || true # What the page left behind.
    DOYEN_CLUSTER_DIR=$clone/build/members "$clone/scripts/cluster" down >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap clean_up EXIT

# shellcheck source=test/scripts/free_ports.sh
source "$top/test/scripts/free_ports.sh"

# --- Vocabulary -----------------------------------------------------------------------------------

fail()
{
    echo "guide.sh: $1" >&2
    exit 1
}

make_clone()
{
    local name
    mkdir -p "$clone/build" "$clone/scripts" "$clone/src"
    ln -s "$top/examples" "$clone/examples"
    cp "$top/scripts/cluster" "$clone/scripts/"
    ln -s "$top/include" "$clone/include"
    ln -s "$top/src/bindings" "$clone/src/bindings"
    for name in doyend doyen doyen-witness libdoyen.so libdoyen.so.0; do
        [ -e "$build/$name" ] || fail "no $name in $build; build it first"
        ln -s "$build/$name" "$clone/build/$name"
    done
}

# take_apart: the page's files into the clone; N.sh, N.line and, if it shows what it writes, N.output
# of each block that is run into the folder; the last N is in `blocks`.
take_apart()
{
    awk -v folder="$folder" -v clone="$clone" '
        function open(kind, file) {
            if (kind == "sh") {
                path = folder "/" ++blocks ".sh"
                print NR > (folder "/" blocks ".line")
            } else if (kind == "output") {
                if (!adjoins) exit failed = bad("output of no block")
                path = folder "/" blocks ".output"
            } else if (file ~ /^[a-z-]+\.(c|py)$/) {
                path = clone "/" file
            } else path = ""
            printed = kind
        }
        function bad(what) { print NR ": " what > "/dev/stderr"; return 1 }
        /^```/ && !inside { inside = 1; open(substr($1, 4), $2); next }
        /^```/ { inside = 0; adjoins = printed == "sh"; if (path) close(path); next }
        inside { if (path) print > path; next }
        /./ { if (printed != "sh") adjoins = 0 }
        END { if (!failed && inside) failed = bad("a block without an end"); print blocks + 0; exit failed }
    ' "$page"
}

# same_for_all: without what differs from run to run, and without the shell's word of a process that
# was killed, which comes whenever the shell looks.
same_for_all()
{
    sed -E '/: line [0-9]+: +[0-9]+ Killed /d
        s/20[0-9]{2}-[0-9]{2}-[0-9]{2} //g
        s/[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}/TIME/g
        s/127\.0\.0\.1:[0-9]+/ADDRESS/g
        s/pid [0-9]+/pid N/g
        s/\b[0-9a-f]{8}-[0-9]+\b/CURSOR/g
        s/\b[0-9]+(\.[0-9]+)? (ms|s|min)\b/SPAN/g
        s/[[:blank:]]+/ /g
        s/ - (ADDRESS|TIME)/ SPAN \1/g
        s/^ //; s/ $//' "$1"
}

# check NUMBER: has the block written what the page shows?
check()
{
    local expected actual pattern line=$'\n'
    expected=$(same_for_all "$folder/$1.output")
    actual=$(same_for_all "$folder/$1.written")
    # shellcheck disable=SC2001 # Each of them is kept.
    pattern=$line$(sed 's/[][\\*?()|]/\\&/g' <<<"$expected")$line
    pattern=${pattern//"$line…$line"/"$line?(*$line)"}
    pattern=${pattern//…/"*([!$line])"}
    # shellcheck disable=SC2053 # A pattern is meant.
    [[ $line$actual$line == $pattern ]] ||
        fail "line $(<"$folder/$1.line") of ${page#"$top/"} writes something else than is shown:
$(diff <(echo "$expected") <(echo "$actual"))"
}

# A page for Kubernetes gets a stand-in for it, and the manifest.
stand_in_for_kubernetes()
{
    if ! /usr/bin/python3 -c 'import yaml' 2>/dev/null ||
        ! { unshare --mount true || unshare --user --map-root-user --mount true; } 2>/dev/null; then
        echo "skipped: there is no python3-yaml (scripts/packages test), or nothing may be mounted here"
        exit 77
    fi
    mkdir "$folder/bin"
    cp "$top/test/scripts/kubectl.py" "$folder/bin/kubectl"
    ln -s "$top/packaging" "$clone/packaging"
    export KUBECTL_FOLDER=$folder/pods KUBECTL_IMAGE=$build PATH=$folder/bin:$PATH
}

# A page that makes hosts out of network namespaces gets one of its own for them, and a folder for
# their names, so that none of them is left behind.
in_namespaces=()
set_namespaces_apart()
{
    in_namespaces=(unshare --net --mount)
    [ "$(id -u)" -eq 0 ] || in_namespaces+=(--user --map-root-user)
    # shellcheck disable=SC2016 # For the shell inside.
    in_namespaces+=(bash -c '
        mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && ip link set lo up && exec "$@"' -)
    if ! "${in_namespaces[@]}" bash -c 'ip netns add try && chrt -f 1 true' >/dev/null 2>&1; then
        echo "skipped: here is no ip of iproute2, or no right to make hosts of it and to go before others"
        exit 77
    fi
}

# A page with PostgreSQL runs it as its own account, which has to get at what is there.
look_for_postgresql()
{
    chmod 755 "$folder"
    if [ ! -x /usr/lib/postgresql/15/bin/initdb ] || [ ! -e /usr/include/postgresql/libpq-fe.h ] || [ "$(id -u)" -ne 0 ] ||
        ! runuser -u postgres -- test -x "$build/doyend" -a -r "$top/examples/postgresql.py" 2>/dev/null; then
        echo "skipped: PostgreSQL 15 and libpq-dev are not installed, or the account postgres may not look in here"
        exit 77
    fi
}

# HAProxy is that of the system, or is taken out of Debian's package, once for each build.
take_haproxy()
{
    PATH=$PATH:/usr/sbin:$build/tools
    if [ -n "$(command -v haproxy)" ]; then
        return
    fi
    if ! { [ -n "$(command -v apt-get)" ] && "$top/scripts/packages" --take haproxy "$build/tools" &&
        haproxy -v; } >/dev/null 2>&1; then
        echo "skipped: HAProxy is not installed, and Debian's package is not to be had"
        exit 77
    fi
}

# --- The page -------------------------------------------------------------------------------------

make_clone
! grep -q 'haproxy -f' "$page" || take_haproxy
! grep -q initdb "$page" || look_for_postgresql
! grep -q 'ip netns' "$page" || set_namespaces_apart
! grep -q kubectl "$page" || stand_in_for_kubernetes
DOYEN_CLUSTER_PORT=$(free_ports 8) # Three for the cluster, and some for those who are added.
export DOYEN_CLUSTER_PORT
[ "$page" != "$top/README.md" ] ||
    DOYEN_CLUSTER_DIR=$clone/build/members "$clone/scripts/cluster" up 5 >/dev/null
blocks=$(take_apart) || fail "${page#"$top/"} is not as it must be, see above"
[ "$blocks" -gt 0 ] || fail "${page#"$top/"} runs nothing"

# A program that the page calls short is.
for program in "$clone"/*.c "$clone"/*.py; do
    case $program in
    *.c) most=14 ;;
    *) most=9 ;;
    esac
    [ ! -f "$program" ] || [ "$(wc -l <"$program")" -le $most ] ||
        fail "${program##*/} has more than $most lines"
done

{
    echo 'set -eu'
    echo "cd $(printf %q "$clone")"
    for ((number = 1; number <= blocks; number++)); do
        printf 'echo %d >%q\n' $number "$folder/at"
        printf 'exec >%q 2>&1\n' "$folder/$number.written"
        cat "$folder/$number.sh"
    done
    echo "echo all >$(printf %q "$folder/at")"
} >"$folder/page.sh"

setsid "${in_namespaces[@]}" bash "$folder/page.sh" </dev/null &
session=$!
if ! wait $session || [ "$(<"$folder/at")" != all ]; then
    at=$(<"$folder/at")
    fail "line $(<"$folder/$at.line") of ${page#"$top/"} fails: $(tail -n 20 "$folder/$at.written")"
fi
for ((number = 1; number <= blocks; number++)); do
    [ ! -f "$folder/$number.output" ] || check $number
done
echo "${page##*/}: $blocks blocks run"

#!/usr/bin/env bash
# What an epoch is good for: a command of doyen run that is stopped together with its watchdog and
# with doyen run, as with its whole host, goes on when another node has long acted, and writes.
# Whoever does not look at the epoch loses what the other one wrote; whoever does refuses it.
#
#   test/scripts/fencing.sh BUILD CASE   runs one, with the programs of that build
#   test/scripts/fencing.sh --list       names them
#
# Status 77: it cannot be run here, and the last line says why.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)

if [ "${1-}" = --list ]; then
    sed -n 's/^case_\(.*\)()$/\1/p' "$0"
    exit
fi
if [ $# -ne 2 ] || ! grep -qx "case_$2()" "$0"; then
    echo "usage: test/scripts/fencing.sh BUILD CASE | --list" >&2
    exit 64
fi

unset "${!DOYEN_@}"
build=$(cd "$1" && pwd)
folder=$(mktemp -d)
chmod 755 "$folder"
names=(athens byzantium cyrene)
export folder # for the commands
processes=()  # what clean_up ends

clean_up()
{
    local process
    for process in "${processes[@]}"; do
        kill -CONT "$process" 2>/dev/null || true
        kill "$process" 2>/dev/null || true
    done
    wait
    rm -rf "$folder"
}
trap clean_up EXIT

# shellcheck source=test/scripts/free_ports.sh
source "$top/test/scripts/free_ports.sh"

# --- Vocabulary -----------------------------------------------------------------------------------

fail()
{
    echo "fencing.sh: $1" >&2
    tail -n 5 "$folder"/*.said >&2 || true
    exit 1
}

# soon COMMAND...: until it succeeds.
soon()
{
    local until=$((SECONDS + 30))
    until "$@"; do
        [ $SECONDS -lt $until ] || fail "not within 30 s: $*"
        sleep 0.02
    done
}

# is TEXT EXPECTED WHAT
is()
{
    [ "$1" = "$2" ] || fail "$3: '$1', not '$2'"
}

# --- The cluster, and a writer on each node -------------------------------------------------------

declare -A daemon run # Process ids by name.

# start WRITER: three voters, and for each a doyen run with this script.
start()
{
    local port i seeds=()
    port=$(free_ports 3)
    for i in 0 1 2; do
        seeds+=(--seed "127.0.0.1:$((port + i))")
    done
    for i in 0 1 2; do
        local name=${names[i]}
        "$build/doyend" --name "$name" --listen "127.0.0.1:$((port + i))" "${seeds[@]}" \
            --control "$folder/$name.sock" --state-dir "$folder/$name.state" \
            --guard strict --voters athens,byzantium,cyrene 2>"$folder/$name.log" &
        daemon[$name]=$!
        "$build/doyen" --control "$folder/$name.sock" run -- bash -c "$1" 2>"$folder/$name.said" &
        run[$name]=$!
        processes+=("${daemon[$name]}" "${run[$name]}")
    done
    soon is_complete
}

is_complete()
{
    local name
    for name in "${names[@]}"; do
        "$build/doyen" --control "$folder/$name.sock" wait --members 3 --timeout 1ms \
            2>/dev/null || return 1
    done
}

# The writer does all that it does in `writes`, when it is let go; before, it says that it is there.
# shellcheck disable=SC2016 # For the command's shell.
writer='
    echo "$$ $PPID $DOYEN_EPOCH" >"$folder/$DOYEN_NODE.ready.new"
    mv "$folder/$DOYEN_NODE.ready.new" "$folder/$DOYEN_NODE.ready"
    until [ -e "$folder/$DOYEN_NODE.go" ]; do sleep 0.02; done
    writes >"$folder/$DOYEN_NODE.wrote.new" 2>&1
    mv "$folder/$DOYEN_NODE.wrote.new" "$folder/$DOYEN_NODE.wrote"
    sleep 1000'

# somebody_is_ready BUT: sets `found` to the node whose writer is there, but for that one.
somebody_is_ready()
{
    for found in "${names[@]}"; do
        [ "$found" = "$1" ] || [ ! -e "$folder/$found.ready" ] || return 0
    done
    return 1
}

let_write()
{
    : >"$folder/$1.go"
    soon test -e "$folder/$1.wrote"
}

# The story. Sets `old` and `new`, the two nodes that wrote, in this order by their epochs; but the
# old one wrote last.
stop_and_go_on()
{
    local command watchdog epoch successor_epoch rest
    soon somebody_is_ready ""
    old=$found
    read -r command watchdog epoch <"$folder/$old.ready"

    kill -STOP "${run[$old]}" "$watchdog" "-$command"
    kill -KILL "${daemon[$old]}"
    soon somebody_is_ready "$old"
    new=$found
    read -r rest rest successor_epoch <"$folder/$new.ready"
    [ "$successor_epoch" -gt "$epoch" ] || fail "epoch $successor_epoch after $epoch"
    let_write "$new"

    : >"$folder/$old.go"
    kill -CONT "-$command"
    soon test -e "$folder/$old.wrote"
    kill -CONT "$watchdog" "${run[$old]}"
    soon is_gone "$command"
}

is_gone()
{
    ! kill -0 "$1" 2>/dev/null
}

# --- A file server --------------------------------------------------------------------------------

case_files()
{
    local port
    port=$(free_ports 1)
    mkdir "$folder/files"
    "$top/examples/fenced-files.py" "$folder/files" "$port" 2>"$folder/files.log" &
    processes+=($!)
    soon curl -so "$folder/none" "http://127.0.0.1:$port/" # It is there, and the port is its own.
    # shellcheck disable=SC2016 # For the command's shell.
    start '
    writes()
    {
        echo "$DOYEN_NODE" >"$folder/unfenced"
        curl -sX PUT --data "$DOYEN_NODE" -H "Doyen-Epoch: $DOYEN_EPOCH" \
            -o "$folder/$DOYEN_NODE.answer" -w "%{http_code}" "http://127.0.0.1:'"$port"'/report"
    }'"$writer"
    stop_and_go_on

    is "$(<"$folder/unfenced")" "$old" "the file that nobody guards"
    is "$(<"$folder/$new.wrote")" 204 "the answer to the new one"
    is "$(<"$folder/$old.wrote")" 409 "the answer to the old one"
    grep -q "epoch .* is over" "$folder/$old.answer" || fail "no reason: $(<"$folder/$old.answer")"
    is "$(<"$folder/files/report")" "$new" "the file that the epoch guards"
}

# --- PostgreSQL -----------------------------------------------------------------------------------

# PostgreSQL does not run as root.
as_user=()
[ "$(id -u)" -ne 0 ] || as_user=(setpriv --reuid nobody --regid nogroup --clear-groups)

case_postgres()
{
    local bin=/usr/lib/postgresql/15/bin
    if [ ! -x $bin/postgres ]; then
        echo "skipped: PostgreSQL 15 is not installed (apt-get install postgresql-15)"
        exit 77
    fi
    export database=$folder/database PATH=$bin:$PATH PGHOST=$folder/database PGUSER=doyen \
        PGDATABASE=postgres
    mkdir "$database"
    [ "$(id -u)" -ne 0 ] || chown nobody "$database"
    "${as_user[@]}" initdb --auth trust --username doyen --no-sync "$database/data" >"$folder/initdb.log"
    "${as_user[@]}" postgres -D "$database/data" -c listen_addresses= -c fsync=off \
        -c unix_socket_directories="$database" 2>"$folder/postgres.log" &
    processes+=($!)
    soon psql -qc "CREATE TABLE unfenced (owner text);
        CREATE TABLE fenced (owner text, epoch bigint NOT NULL);
        INSERT INTO unfenced VALUES (NULL); INSERT INTO fenced VALUES (NULL, 0)" 2>/dev/null
    # shellcheck disable=SC2016 # For the command's shell.
    start '
    writes()
    {
        psql -v owner="$DOYEN_NODE" -v epoch="$DOYEN_EPOCH" <<"SQL"
            UPDATE unfenced SET owner = :'\''owner'\'';
            UPDATE fenced SET owner = :'\''owner'\'', epoch = :epoch WHERE epoch <= :epoch;
SQL
    }'"$writer"
    stop_and_go_on

    is "$(psql -Atc 'SELECT owner FROM unfenced')" "$old" "the row that nobody guards"
    is "$(tr '\n' ' ' <"$folder/$new.wrote")" "UPDATE 1 UPDATE 1 " "the answers to the new one"
    is "$(tr '\n' ' ' <"$folder/$old.wrote")" "UPDATE 1 UPDATE 0 " "the answers to the old one"
    is "$(psql -Atc 'SELECT owner FROM fenced')" "$new" "the row that the epoch guards"
}

"case_$2"

#!/usr/bin/env bash
# What scripts/cluster does when it is used in ways that are not the tour's.
#
#   test/scripts/cluster.sh BUILD CASE   runs one, with the programs of that build
#   test/scripts/cluster.sh --list       names them
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)

if [ "${1-}" = --list ]; then
    sed -n 's/^case_\(.*\)()$/\1/p' "$0"
    exit
fi
if [ $# -ne 2 ] || ! grep -qx "case_$2()" "$0"; then
    echo "usage: test/scripts/cluster.sh BUILD CASE | --list" >&2
    exit 64
fi

unset "${!DOYEN_@}"
DOYEN_BUILD=$(cd "$1" && pwd)
export DOYEN_BUILD
folder=$(mktemp -d)
export DOYEN_CLUSTER_DIR=$folder/members
export XDG_RUNTIME_DIR=$folder
cluster=$top/scripts/cluster

clean_up()
{
    "$cluster" down >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap clean_up EXIT

# shellcheck source=test/scripts/free_ports.sh
source "$top/test/scripts/free_ports.sh"

# --- Vocabulary -----------------------------------------------------------------------------------

fail()
{
    echo "cluster.sh: $1" >&2
    exit 1
}

# run CODE ARGUMENT...: scripts/cluster, which must end with that status; what it printed is in
# `out` and `err`.
run()
{
    local expected=$1 status=0
    shift
    "$cluster" "$@" >"$folder/out" 2>"$folder/err" || status=$?
    out=$(<"$folder/out")
    err=$(<"$folder/err")
    [ $status = "$expected" ] ||
        fail "scripts/cluster $*: status $status, not $expected: $out $err"
}

# has TEXT WORDS
has()
{
    [[ $1 == *"$2"* ]] || fail "'$2' is not in: $1"
}

has_not()
{
    [[ $1 != *"$2"* ]] || fail "'$2' is in: $1"
}

# one_line TEXT: a refusal is one line.
one_line()
{
    [[ $1 =~ ^[^$'\n']+$ ]] || fail "not one line: $1"
}

# processes: the doyends whose sockets are in the folder, counted without the script's help.
processes()
{
    local process count=0
    for process in /proc/[0-9]*; do
        ! tr '\0' '\n' 2>/dev/null <"$process/cmdline" | grep -q "^$DOYEN_CLUSTER_DIR/.*\.sock$" ||
            count=$((count + 1))
    done
    echo $count
}

# --- The cases ------------------------------------------------------------------------------------

case_two_at_once_take_turns()
{
    "$cluster" up 3 >"$folder/other" 2>&1 &
    local other=$!
    run 0 up 3
    wait $other || fail "the other one failed: $(<"$folder/other")"
    [ "$(processes)" = 3 ] || fail "$(processes) processes, not 3"
    has "$out$(<"$folder/other")" "runs already"
    run 0 down
    [ "$(processes)" = 0 ] || fail "$(processes) processes left"
}

case_daemons_do_not_keep_the_turn()
{
    run 0 up 1
    flock --nonblock "$DOYEN_CLUSTER_DIR" true || fail "somebody holds the lock still"
}

case_a_pid_file_of_another_process_is_not_believed()
{
    run 0 up 1
    run 0 kill athens
    echo $$ >"$DOYEN_CLUSTER_DIR/athens.pid"
    run 0 status
    has "$out" "not running"
    run 1 kill athens
    run 0 up 1
    has "$out" "all 1 agree"
}

case_down_ends_processes_without_pid_files()
{
    run 0 up 2
    rm "$DOYEN_CLUSTER_DIR"/*.pid
    run 1 up 2
    one_line "$err"
    has "$err" "scripts/cluster down"
    run 0 down
    local deadline=$((SECONDS + 20))
    while [ "$(processes)" != 0 ]; do
        [ $SECONDS -lt $deadline ] || fail "$(processes) processes left"
        sleep 0.1
    done
}

case_demo_works_beside_a_running_cluster()
{
    run 0 up 1
    run 0 demo
    has "$out" "the five leave in good order"
    run 0 status
    has "$out" "coordinator athens"
    [ -z "$(find "$folder" -name 'doyen-demo-*')" ] || fail "the demonstration left its folder"
}

case_other_settings_are_refused_while_members_run()
{
    run 0 up 2
    DOYEN_CLUSTER_ARGS="--guard 2" run 1 up 3
    one_line "$err"
    has "$err" "--guard 2"
    has "$err" "scripts/cluster down"
    DOYEN_CLUSTER_PORT=$((DOYEN_CLUSTER_PORT + 100)) run 1 up 3
    has "$err" "port"
    run 0 up 3
    has "$out" "all 3 agree"
}

case_voters_found_the_cluster_together()
{
    DOYEN_CLUSTER_ARGS="--guard strict --voters athens,byzantium,cyrene" run 0 up 3
    has "$out" "all 3 agree"
    run 0 rolling-restart
    has "$out" "the coordinator changed once"
    run 0 up 4
    has "$out" "all 4 agree"
}

case_settings_that_nobody_starts_with_are_forgotten()
{
    DOYEN_CLUSTER_ARGS="--nonsense" run 1 up 2
    run 0 up 2
    has "$out" "all 2 agree"
}

case_settings_for_one_member_are_for_that_one_alone()
{
    run 0 up 2
    DOYEN_CLUSTER_ARGS="--tag role=spare" run 0 add
    has "$("$DOYEN_BUILD/doyen" --control "$DOYEN_CLUSTER_DIR/athens.sock" members --json)" spare
    run 0 restart cyrene
    has_not "$("$DOYEN_BUILD/doyen" --control "$DOYEN_CLUSTER_DIR/athens.sock" members --json)" \
        spare
}

# Every process is another one, and the coordinator has changed once.
case_a_rolling_restart_changes_the_coordinator_once()
{
    local before
    run 0 up 3
    before=$(cat "$DOYEN_CLUSTER_DIR"/*.pid | sort)
    run 0 rolling-restart
    has "$out" "cyrene coordinates now, in place of athens"
    has "$out" "3 restarted in"
    has "$out" "the coordinator changed once"
    [ -z "$(comm -12 <(echo "$before") <(cat "$DOYEN_CLUSTER_DIR"/*.pid | sort))" ] ||
        fail "somebody was not restarted"
    run 0 status
    [ "$(grep -c "members 3   coordinator cyrene" <<<"$out")" = 3 ] || fail "not all agree: $out"
}

case_a_rolling_restart_warns_of_a_guard_that_would_not_be_met()
{
    DOYEN_CLUSTER_ARGS="--guard 2" run 0 up 2
    run 0 rolling-restart
    has "$err" "nobody acts while one of them restarts"
    run 0 kill athens
    run 1 rolling-restart
    has "$err" "it takes two"
}

case_partition_refuses_blanks_before_it_touches_a_link()
{
    run 0 up 3
    run 0 partition athens
    run 64 partition 'athens byzantium'
    one_line "$err"
    has "$err" "commas"
    has "$("$DOYEN_BUILD/doyen" --control "$DOYEN_CLUSTER_DIR/athens.sock" status --json)" \
        '"faults":[{'
}

case_a_member_that_is_refused_is_not_waited_for()
{
    run 0 up 1
    DOYEN_CLUSTER_ARGS="--guard 2" run 1 add
    has "$err" "turned this node away"
    has "$err" "--guard"
    [ "$(processes)" = 1 ] || fail "the refused one runs on"
    run 0 restart byzantium
    has "$out" member
}

case_a_full_cluster_is_not_waited_for()
{
    DOYEN_CLUSTER_ARGS="--guard majority --size 2" run 1 up 3
    has "$out" "byzantium"
    has "$err" "no room for more than 2"
    [ "$(processes)" = 2 ] || fail "the refused one runs on"
}

case_a_tag_is_not_taken_for_the_coordinator()
{
    DOYEN_CLUSTER_ARGS="--tag coordinator=x --tag phase=y" run 0 up 2
    run 0 status
    has "$out" "coordinator athens"
    has_not "$out" "coordinator x"
}

case_without_jq_one_line_says_so()
{
    local name
    mkdir "$folder/bin"
    for name in bash sed dirname; do
        ln -s "$(command -v $name)" "$folder/bin/$name"
    done
    PATH=$folder/bin run 1 up 2
    one_line "$err"
    has "$err" "apt-get install jq"
}

case_after_down_the_hint_is_up()
{
    run 0 up 1
    run 0 down
    for verb in members matrix; do
        run 1 $verb
        one_line "$err"
        has "$err" "scripts/cluster up"
    done
}

case_when_all_are_paused_the_hint_is_resume()
{
    run 0 up 1
    run 0 pause athens
    run 1 members
    has "$err" "resume athens"
    run 0 resume athens
    run 0 members
}

case_a_mistyped_verb_gets_a_suggestion()
{
    local pair
    for pair in kil:kill stauts:status stop:down start:up restrat:restart dwon:down; do
        run 64 "${pair%:*}"
        one_line "$err"
        has "$err" "did you mean '${pair#*:}'"
    done
    run 64 up --htpt 3
    one_line "$err"
    has "$err" "there is no such option; for a page for each: scripts/cluster up --http"
    run 64 abracadabra
    has_not "$err" "did you mean"
}

case_help_is_whole()
{
    run 0 --help
    has "$out" "not named form a side of their own"
    for word in DIR PORT PROFILE ARGS; do
        has "$out" "DOYEN_CLUSTER_$word"
    done
    has_not "$out" "set -euo"
}

case_hints_quote_a_folder_with_blanks()
{
    export DOYEN_CLUSTER_DIR="$folder/of the team"
    run 0 up 2
    local hint
    hint=$(grep -- ' curl ' <<<"$out")
    [[ $(eval "$hint") == *athens* ]] || fail "this hint does not work: $hint"
}

case_a_folder_for_everybody_is_refused()
{
    mkdir "$folder/public"
    chmod 1777 "$folder/public"
    DOYEN_CLUSTER_DIR=$folder/public run 1 up 1
    one_line "$err"
    [ -z "$(ls -A "$folder/public")" ] || fail "files were left there"
}

case_each_member_has_a_page()
{
    local port=$DOYEN_CLUSTER_PORT
    run 0 up --http 2
    has "$out" "In a browser: http://127.0.0.1:$((port + 1000))/ http://127.0.0.1:$((port + 1001))/"
    run 0 add cyrene
    run 0 restart athens
    for name in athens byzantium cyrene; do
        [[ $(curl -sf "http://127.0.0.1:$((port + 1000))/") == *" at $name "* ]] ||
            fail "$name has no page at $((port + 1000))"
        port=$((port + 1))
    done
}

DOYEN_CLUSTER_PORT=$(free_ports 8)
export DOYEN_CLUSTER_PORT
"case_$2"

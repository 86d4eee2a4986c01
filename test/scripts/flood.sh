#!/usr/bin/env bash
# Floods of five members with a key, on one machine, in a network namespace of their own: nobody is
# suspected, the death of a member is seen, and an address that is not proved gets no more bytes
# than it sends.
#
#   test/scripts/flood.sh BUILD CASE [--at NAME] [--split] [--rate N] [--seconds S] [--json]
#   test/scripts/flood.sh --list
#
# The cases are what is sent: forged (frames whose tag does not hold), join and pull (sealed, to
# whoever lives there, from an address that is not proved), plain (JOINs without a key), member-join and
# member-pull (of who holds the key, from a proved address; what comes back is not counted). Without
# --rate it is one that any machine stands, for a few seconds; the figures of docs/security.md are
# those of --rate 300000 --seconds 60 (forged) and --rate 20000 --seconds 60 (the others). All five
# get an equal share, or that member all of it. How long a death takes to be seen is told, not judged,
# and how many frames came through to the members: what the machine cannot do is lost in the buffers
# of their sockets. With --split nobody dies; a split heals three times in quiet, and three times
# under the flood. In the case rotate all go from one key to another under forged frames.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)

usage()
{
    echo "usage: test/scripts/flood.sh BUILD forged|[member-]join|[member-]pull|plain|rotate [--at NAME]" \
        "[--split] [--rate N] [--seconds S] [--json]" >&2
    exit 64
}

if [ "${1-}" = --list ]; then
    printf '%s\n' forged join pull plain member-join rotate
    exit 0
fi
[ $# -ge 2 ] || usage
arguments=("$@")
build=$(cd "$1" && pwd)
case=$2
rate=2000
seconds=4
json=0
split=0
rotate=0
at=
shift 2
while [ $# -gt 0 ]; do
    case $1 in
    --rate | --seconds)
        [[ ${2-} =~ ^[1-9][0-9]{0,6}$ ]] || usage
        declare "${1#--}=$2"
        shift
        ;;
    --at)
        [[ ${2-} =~ ^(athens|byzantium|delphi|ephesus)$ ]] || usage
        at=$2
        shift
        ;;
    --json) json=1 ;;
    --split) split=1 ;;
    *) usage ;;
    esac
    shift
done
if [ "$case" = rotate ]; then
    case=forged
    rotate=1
fi
[[ $case =~ ^(forged|plain|(member-)?(join|pull))$ ]] || usage

# The namespace is left with all that was started in it when this script ends.
if [ -z "${DOYEN_FLOOD_INSIDE-}" ]; then
    if ! unshare --net --map-root-user --pid --fork --mount-proc ip link set lo up 2>/dev/null; then
        echo "skipped: this machine permits no network namespaces, or has no ip"
        exit 77
    fi
    DOYEN_FLOOD_INSIDE=1 exec unshare --net --map-root-user --pid --fork --kill-child --mount-proc \
        "$0" "${arguments[@]}"
fi
unset DOYEN_FLOOD_INSIDE
ip link set lo up

fail()
{
    echo "flood: error: $1" >&2
    exit 1
}

folder=$(mktemp -d)
export DOYEN_BUILD=$build DOYEN_CLUSTER_DIR=$folder/members
stop()
{
    "$top/scripts/cluster" down >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap stop EXIT

names=(athens byzantium cyrene delphi ephesus)

# members NAME: the document of that member.
members()
{
    "$build/doyen" --control "$DOYEN_CLUSTER_DIR/$1.sock" --json members
}

# cpu_ticks: user and system time of all members, in ticks.
cpu_ticks()
{
    local name total=0 fields
    for name in "${names[@]}"; do
        [ -r "/proc/$(<"$DOYEN_CLUSTER_DIR/$name.pid")/stat" ] || continue
        read -ra fields <"/proc/$(<"$DOYEN_CLUSTER_DIR/$name.pid")/stat"
        total=$((total + fields[13] + fields[14]))
    done
    echo "$total"
}

# came: how many frames of strangers the members have turned away, all together, or, of who holds the
# key, how many JOINs and PULLs they have heard, of which some were handed on by another.
came()
{
    local name
    for name in "${names[@]}"; do
        "$build/doyen" --control "$DOYEN_CLUSTER_DIR/$name.sock" --json status
    done | python3 -c '
import json, sys
counters = [json.loads(line)["counters"] for line in sys.stdin]
if sys.argv[1].startswith("member-"):
    print(sum(each["received"].get("join", 0) + each["received"].get("pull", 0) for each in counters))
else:
    print(sum(sum(each["not_opened"].values()) + each["without_key"] for each in counters))' "$case"
}

# suspected: how many suspicions the logs tell of.
suspected()
{
    cat "$DOYEN_CLUSTER_DIR"/*.log | grep -c ' suspect: ' || true
}

# sees NAME NAME...: that member has just these in its view.
sees()
{
    local of=$1
    shift
    [ "$(members "$of" 2>/dev/null | python3 -c '
import json, sys
print(*sorted(member["name"] for member in json.load(sys.stdin)["members"]))')" = "$*" ]
}

# soon COMMAND...: waits until it succeeds.
soon()
{
    local until=$((SECONDS + 30))
    until "$@"; do
        [ "$SECONDS" -lt "$until" ] || fail "not within 30 s: $*"
    done
}

# healing_ms: splits the cluster, heals it, and prints how long it took to be one again.
healing_ms()
{
    local since
    "$top/scripts/cluster" partition athens,byzantium,cyrene delphi,ephesus >/dev/null
    soon sees athens athens byzantium cyrene
    soon sees delphi delphi ephesus
    since=${EPOCHREALTIME/./}
    "$top/scripts/cluster" heal >/dev/null
    soon sees athens "${names[@]}"
    soon sees delphi "${names[@]}"
    echo $(((${EPOCHREALTIME/./} - since) / 1000))
}

# healings: three of them.
healings()
{
    local first second
    first=$(healing_ms)
    second=$(healing_ms)
    echo "$first, $second, $(healing_ms)"
}

"$top/scripts/cluster" up 5 >/dev/null || fail "the cluster does not form"
targets=
while read -r name address id; do
    [ -n "$at" ] && [ "$name" != "$at" ] || targets+=${targets:+,}${address##*:}:${id:0:2}
done < <(members athens | python3 -c '
import json, sys
for member in json.load(sys.stdin)["members"]:
    print(member["name"], member["address"], member["id"])')
kind=$case
key=("$DOYEN_CLUSTER_DIR/key")
if [ "$case" = plain ]; then
    kind="join"
    key=()
fi

if [ $split -eq 1 ]; then
    quiet=$(healings)
    "$build/doyen_flood" "$kind" 127.0.0.1 "$targets" "$rate" 600 "${key[@]}" >"$folder/sent" &
    flood=$!
    flooded=$(healings)
    kill "$flood"
    printf '{"case": "%s", "rate": %s, "healed_quiet_ms": [%s], "healed_flooded_ms": [%s]}\n' "$case" \
        "$rate" "$quiet" "$flooded"
    exit 0
fi

# keys NAME WORD...: doyen keys at that member.
keys()
{
    local of=$1
    shift
    "$build/doyen" --control "$DOYEN_CLUSTER_DIR/$of.sock" keys "$@"
}

# all_hold KEY: every member knows that all five have it.
all_hold()
{
    local name
    for name in "${names[@]}"; do
        keys "$name" | grep -q "^$1 .*by 5 of 5" || return 1
    done
}

# rotate: goes from the key in use to a new one. The members share the file.
rotate()
{
    local file=$DOYEN_CLUSTER_DIR/key name old new
    "$build/doyend" --make-key "$folder/new" >/dev/null
    cat "$folder/new" >>"$file"
    for name in "${names[@]}"; do
        keys "$name" reload >/dev/null
    done
    { read -r old _ && read -r new _; } < <(keys athens --json | python3 -c '
import json, sys
print(*[each["key"] for each in json.load(sys.stdin)["keys"]], sep="\n")')
    soon all_hold "$new"
    for name in "${names[@]}"; do
        keys "$name" use "$new" >/dev/null
    done
    for name in "${names[@]}"; do
        soon removed "$name" "$old"
    done
}

# removed NAME KEY: that member has given the key up, at the latest now.
removed()
{
    keys "$1" remove "$2" >/dev/null 2>&1 || ! keys "$1" | grep -q "^$2 "
}

if [ $rotate -eq 1 ]; then
    "$build/doyen_flood" "$kind" 127.0.0.1 "$targets" "$rate" 600 "${key[@]}" >"$folder/sent" &
    flood=$!
    view=$(members athens | python3 -c 'import json, sys; print(json.load(sys.stdin)["view"])')
    since=${EPOCHREALTIME/./}
    rotate
    took=$(((${EPOCHREALTIME/./} - since) / 1000))
    kill "$flood"
    [ "$(suspected)" -eq 0 ] || fail "$(suspected) suspicions while the keys went over"
    [ "$view" = "$(members ephesus |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["view"])')" ] || fail "another view"
    printf '{"case": "%s", "rate": %s, "rotated_ms": %s, "suspicions": 0}\n' "$case" "$rate" "$took"
    exit 0
fi

before=$(suspected)
ticks=$(cpu_ticks)
came=$(came)
since=${EPOCHREALTIME/./}
"$build/doyen_flood" "$kind" 127.0.0.1 "$targets" "$rate" "$seconds" "${key[@]}" >"$folder/sent" &
flood=$!
# The member dies when half of the flood is over.
python3 -c 'import sys, time; time.sleep(float(sys.argv[1]) / 2)' "$seconds"
middle=$(suspected)
[ "$middle" -eq "$before" ] || fail "$((middle - before)) suspicions under the flood"
used=$(($(cpu_ticks) - ticks))
came=$((($(came) - came) * 1000000 / (${EPOCHREALTIME/./} - since)))
seen=$(python3 - "$build/doyen" "$DOYEN_CLUSTER_DIR" <<'END'
import json, os, signal, subprocess, sys, time
doyen, folder = sys.argv[1:]
ask = [doyen, "--control", folder + "/athens.sock", "--json", "members"]
os.kill(int(open(folder + "/cyrene.pid").read()), signal.SIGKILL)
since = time.monotonic()
while time.monotonic() - since < 20:
    answer = subprocess.run(ask, capture_output=True, text=True)
    if answer.returncode == 0 and all(
        member["name"] != "cyrene" for member in json.loads(answer.stdout)["members"]
    ):
        print(round((time.monotonic() - since) * 1000))
        sys.exit()
print("never")
END
)
wait "$flood" || fail "doyen_flood failed"
[ "$seen" != never ] || fail "the death of a member was not seen within 20 s"
false_alarms=$(cat "$DOYEN_CLUSTER_DIR"/*.log | grep ' suspect: ' | grep -vc name=cyrene || true)
[ "$false_alarms" -eq "$before" ] || fail "$false_alarms suspicions of members that live"
members athens | python3 -c '
import json, sys
names = [member["name"] for member in json.load(sys.stdin)["members"]]
sys.exit(names != ["athens", "byzantium", "delphi", "ephesus"])' || fail "somebody else is gone, too"

python3 - "$folder/sent" "$case" "$seconds" "$seen" "$used" "$came" "$json" <<'END'
import json, sys
path, case, seconds, seen, used, came, as_json = sys.argv[1:]
sent = json.load(open(path))
figures = {"case": case, "frames_per_s": round(sent["sent"] / int(seconds)),
           "came_through_per_s": int(came),
           "bytes_out": sent["bytes_out"], "bytes_back": sent["bytes_in"], "death_seen_ms": int(seen),
           "members_cpu_percent": round(int(used) / (int(seconds) / 2), 1), "suspicions": 0}
if as_json == "1":
    print(json.dumps(figures))
else:
    print(f"{case}: {figures['frames_per_s']} frames/s, of which {figures['came_through_per_s']} came through, death seen in {seen} ms, "
          f"{figures['members_cpu_percent']} % CPU for all members, "
          f"{sent['bytes_in']} bytes back for {sent['bytes_out']}")
if sent["bytes_in"] > sent["bytes_out"]:
    print("flood: error: more bytes came back than were sent", file=sys.stderr)
    sys.exit(1)
END

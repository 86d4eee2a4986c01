#!/usr/bin/env bash
# libdoyen as `cmake --install BUILD` puts it in place: programs of others find it, are built against
# it, and see nothing of it but doyen_*. The examples of the manual pages are such programs.
#
#   test/scripts/library.sh BUILD
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:?usage: test/scripts/library.sh BUILD}
build=$(cd "$build" && pwd)
folder=$(mktemp -d)
daemon=0
trap '[ "$daemon" -eq 0 ] || kill "$daemon" 2>/dev/null || true; rm -rf "$folder"' EXIT

prefix=$folder/prefix
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
cc=${CC:-cc}

# shellcheck source=test/scripts/free_ports.sh
source "$top/test/scripts/free_ports.sh"

fail()
{
    echo "library: error: $1" >&2
    exit 1
}

# others OF_NM...: what is defined for others to see and is not ours.
others()
{
    nm "$@" | awk '$2 != "A" && $3 != "" { print $3 }' | sed 's/@.*//' | grep -v '^doyen_' || true
}

cmake --install "$build" --prefix "$prefix" >/dev/null
library=$(find "$prefix" -name 'libdoyen.so')
[ -n "$library" ] || fail "no libdoyen.so"
libdir=$(dirname "$library")
archive=$libdir/libdoyen.a

# --- Names, soname, what it needs ---

[ -z "$(others -D --defined-only "$library")" ] || fail "libdoyen.so exports $(others -D --defined-only "$library" | xargs)"
nm -D --defined-only "$library" | grep -q ' doyen_open@@DOYEN_0$' || fail "libdoyen.so does not export doyen_open"
[ -e "$archive" ] || fail "no libdoyen.a"
[ -z "$(others -g --defined-only "$archive")" ] || fail "libdoyen.a shows $(others -g --defined-only "$archive" | xargs)"
# Each function that the header declares is there, and no other.
# compare NAME HEADER...: what the headers declare is what the library exports.
compare()
{
    local name=$1 declared exported
    shift
    declared=$(cd "$prefix/include/doyen" && grep -ohE 'DOYEN_API [^(]*\(' "$@" | grep -oE 'doyen_[a-z_]+\($' | tr -d '(' | sort)
    exported=$(nm -D --defined-only "$libdir/$name.so" | awk '$2 == "T" { print $3 }' | sed 's/@.*//' | sort)
    [ "$declared" = "$exported" ] || fail "$* and $name.so differ: $(diff <(echo "$declared") <(echo "$exported") | xargs)"
    readelf -d "$libdir/$name.so" | grep -q "SONAME.*\[$name\.so\.0\]" || fail "the soname of $name is not $name.so.0"
}
compare libdoyen client.h
compare libdoyen-node client.h node.h
needed=$(readelf -d "$library" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | grep -vE '^(libjansson\.so\.4|libc\.so\.6)$' || true)
[ -z "$needed" ] || fail "libdoyen.so needs $needed"
if nm -D --undefined-only "$library" | grep -E ' (pthread_create|sigaction|signal|printf|fprintf|puts|stdout|stderr)(@|$)'; then
    fail "libdoyen.so starts threads, handles signals or prints"
fi

# --- Headers by themselves ---

for header in client lease node; do
    printf '#include <doyen/%s.h>\n' "$header" >"$folder/header.c"
    "$cc" -std=gnu11 "${warnings[@]}" -I "$prefix/include" -fsyntax-only "$folder/header.c" ||
        fail "doyen/$header.h does not compile by itself"
    if command -v "${CXX:-c++}" >/dev/null; then
        "${CXX:-c++}" -std=gnu++11 -Wall -Wextra -Werror -I "$prefix/include" -fsyntax-only -x c++ "$folder/header.c" ||
            fail "doyen/$header.h is no C++"
    fi
done
printf '#include <doyen/client.h>\nint main(void) { return 0; }\n' >"$folder/strict.c"
"$cc" -std=c99 "${warnings[@]}" -I "$prefix/include" -fsyntax-only "$folder/strict.c" || fail "doyen/client.h wants more than C99"

# --- The examples of the manual pages, by pkg-config ---

examples=0
flags_of()
{
    PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs "$1"
}
for page in doyen-client.3 doyen-lease.3 doyen-node.3; do
    while read -r name; do
        sed -n "/^\.\\\\\" example: $name\$/,/^\.\\\\\" end\$/p" "$prefix/share/man/man3/$page" |
            grep -v '^\.' | sed 's/\\-/-/g; s/\\e/\\/g' >"$folder/$name"
        flags=$(flags_of doyen)
        [ "$page" != doyen-node.3 ] || flags=$(flags_of doyen-node)
        # shellcheck disable=SC2086 # They are words.
        "$cc" -std=gnu11 "${warnings[@]}" "$folder/$name" -o "$folder/${name%.c}" $flags ||
            fail "the example $name of $page does not compile"
        examples=$((examples + 1))
    done < <(sed -nE 's/^\.\\" example: (.*)/\1/p' "$prefix/share/man/man3/$page")
done
[ "$examples" -ge 6 ] || fail "only $examples examples in the manual pages"

# --- Those of examples/ ---

for source in "$top"/examples/*.c; do
    name=$(basename "$source" .c)
    others=
    if grep -q libpq "$source"; then
        others=$(pkg-config --cflags --libs libpq 2>/dev/null) || continue # It is not installed.
    fi
    # shellcheck disable=SC2046,SC2086 # They are words.
    "$cc" -std=gnu11 "${warnings[@]}" "$source" -o "$folder/example-$name" $(flags_of doyen) $others ||
        fail "examples/$name.c does not compile"
done

# --- A project that uses the CMake package, both kinds of library ---

mkdir "$folder/project"
cp "$folder/wait.c" "$folder/project/"
cat >"$folder/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(doyen 0.3 REQUIRED)
add_executable(with_shared wait.c)
target_link_libraries(with_shared doyen::doyen)
add_executable(with_static wait.c)
target_link_libraries(with_static doyen::static)
add_executable(with_node wait.c)
target_link_libraries(with_node doyen::node)
END
if ! { cmake -S "$folder/project" -B "$folder/project/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" &&
    cmake --build "$folder/project/build"; } >"$folder/cmake.log" 2>&1; then
    cat "$folder/cmake.log" >&2
    fail "find_package(doyen) does not do"
fi

# --- They run ---

export LD_LIBRARY_PATH=$libdir DOYEN_CONTROL=$folder/athens.sock
port=$(free_ports 4)
"$prefix/bin/doyend" --name athens --listen "127.0.0.1:$port" --control "$DOYEN_CONTROL" --log-level error &
daemon=$!
"$prefix/bin/doyen" wait --members 1 --acting --timeout 20s
sed -i 's/members = 3/members = 1/' "$folder/wait.c" "$folder/project/wait.c"
# shellcheck disable=SC2046
"$cc" "$folder/wait.c" -o "$folder/wait" $(flags_of doyen)
cmake --build "$folder/project/build" >/dev/null
for program in "$folder/wait" "$folder/project/build/with_shared" "$folder/project/build/with_static" "$folder/project/build/with_node"; do
    "$program" || fail "${program##*/} does not see the daemon"
done
[[ $("$folder/loop" </dev/null) == "1 members" ]] || fail "the example loop.c does not see the daemon"
[[ $("$folder/work" | head -n 1) == "a piece of work under epoch"* ]] || fail "the example work.c does not act"
"$folder/node" "127.0.0.1:$((port + 1))" >"$folder/told" || fail "the example node.c does not end well"
grep -q '^snapshot ' "$folder/told" || fail "the example node.c tells nothing"
grep -q '^acting under epoch ' "$folder/told" || fail "the example node.c does not act"
"$folder/hello" athens "127.0.0.1:$((port + 2))" >"$folder/athens-told" &
hello=($!)
"$folder/hello" byzantium "127.0.0.1:$((port + 3))" "127.0.0.1:$((port + 2))" >"$folder/byzantium-told" &
hello+=($!)
for ((i = 0; i < 400; i++)); do
    [ ! -s "$folder/athens-told" ] || [ ! -s "$folder/byzantium-told" ] || break
    sleep 0.05
done
kill "${hello[@]}"
[[ $(head -n 1 "$folder/byzantium-told") == "athens says hello" ]] || fail "the example hello.c is not told anything"
[[ $(head -n 1 "$folder/athens-told") == "byzantium says hello" ]] || fail "the first hello.c is not told anything"
[[ $("$folder/lease" "$DOYEN_CONTROL") == "this node acts for"* ]] || fail "the example lease.c does not act"
for expected in "watch=snapshot: " "lead=works under epoch " "campaign=works under token "; do
    name=${expected%%=*}
    "$folder/example-$name" >"$folder/$name-said" &
    example=$!
    for ((i = 0; i < 400; i++)); do
        [ ! -s "$folder/$name-said" ] || break
        sleep 0.05
    done
    kill "$example"
    [[ $(head -n 1 "$folder/$name-said") == "${expected#*=}"* ]] || fail "examples/$name.c does not say \"${expected#*=}\""
done
[[ $(printf '2 a\n1 b\n' | "$folder/example-fence" | tail -n 1) == "refused: epoch 1 is over"* ]] || fail "examples/fence.c lets in what is over"
"$folder/watch" >"$folder/events" &
watch=$!
for ((i = 0; i < 400; i++)); do
    [ ! -s "$folder/events" ] || break
    sleep 0.05
done
kill "$watch"
[[ $(head -n 1 "$folder/events") == "snapshot "* ]] || fail "the example watch.c sees no snapshot"

#!/usr/bin/env bash
# Builds the daemon of the commit that was landed before what is here, for test/e2e/test_former.c.
#
#   test/scripts/former.sh FOLDER [COMMIT]    puts it into FOLDER/build/doyend, unless it is there
#
# Without COMMIT it is that of the main branch from which this one began; on the main branch itself,
# or where that says nothing else to other members, the newest one before that does: whose core,
# codec, sealing or runtime differ from what is here. Without git, or the history that far back, as
# in a tarball and in a shallow clone, there is none: then the last line says so, and the status is 77.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd -P)

if [ $# -lt 1 ]; then
    echo "usage: test/scripts/former.sh FOLDER [COMMIT]" >&2
    exit 64
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)

# What a member says to others, and when.
said=(src/core src/election src/node src/partition src/runtime src/seal 'proto/*.c' 'proto/*.h')

history()
{
    git -c safe.directory="$top" -C "$top" "$@"
}

skip()
{
    echo "skipped: $1"
    exit 77
}

# The newest commit from there back that says something else than what is here.
newest_other()
{
    local commit
    while read -r commit; do
        if ! history diff --quiet "$commit" -- "${said[@]}"; then
            echo "$commit"
            return
        fi
    done < <(history log --first-parent --max-count=50 --format=%H "$1" -- "${said[@]}")
}

command -v git >/dev/null || skip "no former build beside this one: git is not installed"
[ "$(history rev-parse --show-toplevel 2>/dev/null)" = "$top" ] ||
    skip "no former build beside this one: this is no clone, so there is no former commit"
commit=${2-}
if [ -z "$commit" ]; then
    landed=$(history merge-base HEAD origin/main 2>/dev/null ||
        history merge-base HEAD main 2>/dev/null || echo HEAD)
    commit=$(newest_other "$landed")
fi
[ -n "$commit" ] ||
    skip "no former build beside this one: this clone knows no other commit (git fetch --unshallow)"
commit=$(history rev-parse "$commit^{commit}")
history log -1 --format='former: %h %s' "$commit"

if [ "$(cat "$folder/commit" 2>/dev/null)" = "$commit" ]; then
    exit 0
fi
rm -rf "$folder/source" "$folder/build" "$folder/commit"
mkdir "$folder/source"
history archive "$commit" | tar -x -C "$folder/source"
cmake -S "$folder/source" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DDOYEN_TESTS=OFF
cmake --build "$folder/build" --target doyend
echo "$commit" >"$folder/commit"

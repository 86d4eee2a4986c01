#!/usr/bin/env bash
# Runs the seeds that once failed again (test/sim/seeds.txt), several at a time.
#
#   test/scripts/seeds.sh BUILD
#
# Says for each that fails what went wrong, and then fails.
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."

replay()
{
    local seed=${1%% *} options=${1#* } said

    options=${options%%#*}
    # The options are words.
    # shellcheck disable=SC2086
    if ! said=$("$build/doyen_swarm" --replay "$seed" $options 2>&1); then
        printf '%s\n' "${1#*# }" "$said" | cut -c 1-300 >&2
        return 1
    fi
}
export -f replay
export build

# The command is for the shell that it is given to.
# shellcheck disable=SC2016
grep -v '^#' test/sim/seeds.txt | tr '\n' '\0' |
    xargs -0 -n 1 -P "$(nproc)" bash -c 'set -eu; replay "$1"' replay

#!/usr/bin/env bash
# The tests of the bindings, against the daemons of a build.
#
#   test/scripts/bindings.sh BUILD [TEST]   such as test_client.Watch
set -euo pipefail

build=$(cd "${1:?usage: test/scripts/bindings.sh BUILD [TEST]}" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
shift
cd "$top/test/bindings"
export DOYEN_BUILD=$build PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top/src/bindings/python
if [ $# -gt 0 ]; then
    exec python3 -W error -m unittest --verbose "$@"
fi
exec python3 -W error -m unittest discover --verbose

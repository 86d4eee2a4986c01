#!/usr/bin/env bash
# The tests of the bindings, against the daemons of a build.
#
#   test/scripts/bindings.sh BUILD [TEST]   such as test_client.Watch
set -euo pipefail

build=$(cd "${1:?usage: test/scripts/bindings.sh BUILD [TEST]}" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
shift

# The folder is one that pip installs.
version=$(sed -nE 's/^project\(doyen VERSION ([0-9.]+).*/\1/p' "$top/CMakeLists.txt")
grep -q "^version = \"$version\"" "$top/src/bindings/python/pyproject.toml" || {
    echo "bindings: error: pyproject.toml and CMakeLists.txt ($version) differ" >&2
    exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$top/src/bindings/python" "$folder/source"
/usr/bin/python3 -m pip install --quiet --no-index --no-deps --no-build-isolation --disable-pip-version-check \
    --root-user-action=ignore --target "$folder/installed" "$folder/source"
(cd / && PYTHONPATH=$folder/installed /usr/bin/python3 -c "import doyen, doyen.aio; doyen.Client(control='/none')")
test -e "$folder/installed/doyen/py.typed"

cd "$top/test/bindings"
export DOYEN_BUILD=$build PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top/src/bindings/python
if [ $# -gt 0 ]; then
    python3 -W error -m unittest --verbose "$@"
    exit
fi

# A process for each class of tests and four at a time, as most of them wait most of the time.
# shellcheck disable=SC2016 # For the shell of xargs.
python3 -W error -c '
import unittest

def classes(tests):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from classes(test)
        else:
            yield f"{type(test).__module__}.{type(test).__qualname__}"

print(*sorted(set(classes(unittest.defaultTestLoader.discover(".")))), sep="\0", end="")
' | xargs -0 -n 1 -P 4 sh -c 'said=$(python3 -W error -m unittest --verbose "$1" 2>&1)
    status=$?
    printf "%s\n" "$said"
    exit $status' sh

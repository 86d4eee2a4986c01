#!/usr/bin/env bash
# What the programs answer to what is wrong (inputs.py).
#
#   test/scripts/inputs.sh BUILD [--show]
set -euo pipefail

[ $# -ge 1 ] || {
    echo "usage: test/scripts/inputs.sh BUILD [--show]" >&2
    exit 64
}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/scripts/free_ports.sh
source "$here/free_ports.sh"
unset "${!DOYEN_@}"
DOYEN_CLUSTER_PORT=$(free_ports 5)
export DOYEN_CLUSTER_PORT
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/inputs.py" "$@"

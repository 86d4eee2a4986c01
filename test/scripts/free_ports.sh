# shellcheck shell=bash
# To be sourced.

# free_ports COUNT: prints the first of so many ports in a row, at most eight, where nobody on this
# host listens. Each try is a block of eight, so that scripts that run at once rarely overlap; the
# blocks end below the ports that the system gives to outgoing connections.
free_ports()
{
    local first port
    while :; do
        first=$((20000 + RANDOM % 1400 * 8))
        for ((port = first; port < first + $1; port++)); do
            ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || continue 2
        done
        echo "$first"
        return
    done
}

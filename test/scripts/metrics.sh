#!/usr/bin/env bash
# What is packaged for Prometheus and Grafana goes with what a running doyend tells at /metrics.
#
#   test/scripts/metrics.sh BUILD CASE
#   test/scripts/metrics.sh --list
#
# promtool is that of Prometheus. Where it is not installed, it is taken out of Debian's package
# (19 MB to download, once for each build); where that is not Debian, its case is skipped.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
alerts=$top/packaging/prometheus/alerts.yml
board=$top/packaging/grafana/doyen.json

if [ "${1-}" = --list ]; then
    printf '%s\n' names promtool targets
    exit 0
fi
build=$(cd "${1:?usage: test/scripts/metrics.sh BUILD CASE}" && pwd)
case=${2:?usage: test/scripts/metrics.sh BUILD CASE}

fail()
{
    echo "metrics: error: $1" >&2
    exit 1
}

folder=$(mktemp -d)
pid=
client=
stop()
{
    local one

    for one in $client $pid; do
        kill "$one" 2>/dev/null || true
        wait "$one" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap stop EXIT

# get PATH: over the control socket, as a member answers it.
get()
{
    curl --silent --show-error --fail --unix-socket "$folder/athens.sock" "http://doyen$1"
}

# A client that holds a role, so that the families of roles are there, too.
stand()
{
    local tries=0

    "$build/doyen" -c "$folder/athens.sock" campaign job >"$folder/client" 2>&1 &
    client=$!
    until grep -q '^granted' "$folder/client"; do
        tries=$((tries + 1))
        if [ $tries -gt 400 ]; then
            cat "$folder/client" >&2
            fail "no client gets a role"
        fi
        sleep 0.05
    done
}

# A node with a key, so that the families of keys are there too.
start_node()
{
    local tries=0

    "$build/doyend" --make-key "$folder/key" >/dev/null
    host=127.77.$((RANDOM % 250)).$((RANDOM % 250 + 1))
    "$build/doyend" --name athens --listen "$host:7420" --http "$host:8420" --tag zone=a --key "$folder/key" --control "$folder/athens.sock" 2>"$folder/log" &
    pid=$!
    until get /readyz >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ $tries -gt 400 ] || ! kill -0 "$pid" 2>/dev/null; then
            cat "$folder/log" >&2
            fail "the node does not get ready"
        fi
        sleep 0.05
    done
    stand
    get /metrics >"$folder/metrics"
}

# Each name that an expression uses is served, each alert is in the tests, and each label value that
# an expression asks for exactly is there. docs/guide/alerts.md has a row for each alert.
case_names()
{
    local used name alert

    jq --exit-status '.panels | length > 10' "$board" >/dev/null || fail "$board is no board"
    start_node
    used=$({
        grep -v '^ *\(#\|summary\|description\)' "$alerts"
        jq -r '.panels[].targets[].expr, (.templating.list[].query | objects | .query)' "$board"
    } | grep -oE '\b(doyen|process)_[a-z_]+\b' | sort -u)
    [ "$(wc -l <<<"$used")" -gt 20 ] || fail "no names were found in the rules and the board"
    for name in $used; do
        grep -qE "^$name(\{| )" "$folder/metrics" || fail "$name is used, and not served"
    done
    for name in 'doyen_frames_not_opened_total{reason="other key"}' \
        'doyen_voter{status="no record"}' 'doyen_voter{status="damaged record"}' \
        'doyen_voter{status="cannot write"}' 'doyen_acting_left_ratio_bucket{le="0.00"}' \
        'doyen_acting_left_ratio_bucket{le="0.25"}'; do
        grep -qF "$name" "$folder/metrics" || fail "$name is used, and not served"
    done
    for name in doyen_role_candidates doyen_role_held; do
        grep -qxF "$name{role=\"job\"} 1" "$folder/metrics" || fail "$name is wrong"
    done
    grep -qxF 'doyen_role_changes_total{change="granted"} 1' "$folder/metrics" || fail "no grant is counted"
    # These are read from /proc, which a node in its sandbox cannot open any more.
    for name in process_open_fds process_resident_memory_bytes process_cpu_seconds_total; do
        grep -qE "^$name [0-9.]*[1-9]" "$folder/metrics" || fail "$name is not known"
    done
    while read -r alert; do
        grep -q "alertname=\"$alert\"" "$top/test/prometheus/alerts_test.yml" ||
            fail "$alert is not in test/prometheus/alerts_test.yml"
        grep -q "^| \`$alert\` |" "$top/docs/guide/alerts.md" || fail "$alert is not in docs/guide/alerts.md"
    done < <(sed -nE 's/^ *- alert: (.*)$/\1/p' "$alerts")
}

take_promtool()
{
    local tools=$build/tools
    PATH=$PATH:$tools
    if [ -z "$(command -v promtool)" ]; then
        if [ -z "$(command -v apt-get)" ]; then
            echo "skipped: promtool is not installed, and this is no Debian"
            exit 77
        fi
        "$top/scripts/packages" --take promtool "$tools" || fail "there is no promtool"
    fi
}

case_promtool()
{
    take_promtool
    start_node
    promtool check metrics <"$folder/metrics" || fail "promtool check metrics complains"
    promtool check rules "$alerts" || fail "promtool check rules complains"
    # The board's expressions, as rules: JSON is YAML.
    jq '{groups: [{name: "board", rules: [.panels[].targets[].expr] | to_entries | map({
            record: "board:expression:\(.key)", expr: (.value | gsub("\\$__rate_interval"; "5m"))})}]}' \
        "$board" >"$folder/board.yml"
    promtool check rules "$folder/board.yml" || fail "an expression of the board is wrong"
    (cd "$top/test/prometheus" && promtool test rules alerts_test.yml) || fail "an alert is wrong"
}

# Prometheus takes the members of /v1/targets for its targets, and their names and tags for labels.
case_targets()
{
    take_promtool
    start_node
    cat >"$folder/prometheus.yml" <<END
scrape_configs:
  - job_name: doyen
    http_sd_configs:
      - url: http://$host:8420/v1/targets
    relabel_configs:
      - {source_labels: [__meta_doyen_name], target_label: node}
      - {source_labels: [__meta_doyen_tag_zone], target_label: zone}
END
    promtool check config "$folder/prometheus.yml" >/dev/null || fail "the configuration is wrong"
    promtool check service-discovery --timeout 20s "$folder/prometheus.yml" doyen >"$folder/found" ||
        fail "promtool check service-discovery complains"
    jq --exit-status --arg target "$host:8420" '.[0].labels | .__address__ == $target and .node == "athens"
        and .zone == "a"' "$folder/found" >/dev/null || fail "what was found is $(<"$folder/found")"
    get '/v1/targets?port=9100' | jq --exit-status --arg target "$host:9100" '.[0].targets == [$target]' \
        >/dev/null || fail "?port=9100 is not heeded"
    ! get '/v1/targets?port=0' 2>/dev/null || fail "?port=0 is taken"
}

case $case in
names) case_names ;;
promtool) case_promtool ;;
targets) case_targets ;;
*) fail "there is no case '$case'; --list names them" ;;
esac

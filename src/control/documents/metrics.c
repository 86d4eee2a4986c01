#include "control/documents/metrics.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "control/documents/health.h"
#include "proto/wire.h"
#include "runtime/options/options.h"
#include "runtime/options/value.h"
#include "seal/seal.h"
#include "words/acting.h"
#include "words/notice_text.h"
#include "words/terms_text.h"
#include "words/voter_text.h"

/* --- The format --- */

/* Begins a family: its samples follow. `help` has no backslash and no line feed. */
static void begin(struct text_builder *text, const char *name, const char *type, const char *help)
{
    text_builder_add(text, "# HELP ");
    text_builder_add(text, name);
    text_builder_add(text, " ");
    text_builder_add(text, help);
    text_builder_add(text, "\n# TYPE ");
    text_builder_add(text, name);
    text_builder_add(text, " ");
    text_builder_add(text, type);
    text_builder_add(text, "\n");
}

static void add_value(struct text_builder *text, uint64_t value)
{
    text_builder_add(text, " ");
    text_builder_add_u64(text, value);
    text_builder_add(text, "\n");
}

/* A duration in the unit of the format, seconds; `per_second` is a power of ten. */
static void add_seconds(struct text_builder *text, uint64_t value, uint64_t per_second)
{
    const uint64_t rest = value % per_second;

    text_builder_add(text, " ");
    text_builder_add_u64(text, value / per_second);
    text_builder_add(text, ".");
    for (uint64_t unit = per_second / 10; unit > rest && unit > 1; unit /= 10) {
        text_builder_add(text, "0");
    }
    text_builder_add_u64(text, rest);
    text_builder_add(text, "\n");
}

static void gauge(struct text_builder *text, const char *name, const char *help, uint64_t value)
{
    begin(text, name, "gauge", help);
    text_builder_add(text, name);
    add_value(text, value);
}

static void gauge_seconds(struct text_builder *text, const char *name, const char *help,
                          uint64_t value, uint64_t per_second)
{
    begin(text, name, "gauge", help);
    text_builder_add(text, name);
    add_seconds(text, value, per_second);
}

static void counter(struct text_builder *text, const char *name, const char *help, uint64_t value)
{
    begin(text, name, "counter", help);
    text_builder_add(text, name);
    add_value(text, value);
}

/* `before` is what separates it from the label before: "{" or ",". */
static void add_label(struct text_builder *text, const char *before, const char *label,
                      const char *value)
{
    text_builder_add(text, before);
    text_builder_add(text, label);
    text_builder_add(text, "=\"");
    for (const char *at = value; *at != '\0';) {
        const size_t plain = strcspn(at, "\\\"\n");
        text_builder_add_bytes(text, at, plain);
        at += plain;
        if (*at != '\0') {
            text_builder_add(text, *at == '\n' ? "\\n" : *at == '"' ? "\\\"" : "\\\\");
            at++;
        }
    }
    text_builder_add(text, "\"");
}

static void sample(struct text_builder *text, const char *name, const char *label,
                   const char *label_value, uint64_t value)
{
    text_builder_add(text, name);
    add_label(text, "{", label, label_value);
    text_builder_add(text, "}");
    add_value(text, value);
}

/* --- What is shown --- */

static void write_identity(const struct facts *facts, struct text_builder *text)
{
    char guard[GUARD_TEXT_MAX];
    char protocol[DECIMAL_DIGITS_MAX + 1];

    protocol[decimal_write(protocol, wire_versions().high + 1U)] = '\0';
    guard_text(&facts->guard.guard, guard);
    begin(text, "doyen_build_info", "gauge", "The version of this doyend and of its protocol.");
    text_builder_add(text, "doyen_build_info");
    add_label(text, "{", "version", DOYEN_VERSION);
    add_label(text, ",", "protocol", protocol);
    text_builder_add(text, "}");
    add_value(text, 1);
    begin(text, "doyen_node_info", "gauge", "The names and terms of this node.");
    text_builder_add(text, "doyen_node_info");
    add_label(text, "{", "cluster", facts->config->cluster);
    add_label(text, ",", "name", facts->self->name);
    add_label(text, ",", "profile", profile_text(facts->terms->profile));
    add_label(text, ",", "guard", guard);
    add_label(text, ",", "acting", acting_kind_text(facts->advisory));
    text_builder_add(text, "}");
    add_value(text, 1);
}

static void write_phase(const struct facts *facts, struct text_builder *text)
{
    const struct health health = health_ready(facts);

    begin(text, "doyen_phase", "gauge", "1 for the phase that this node is in.");
    for (unsigned i = 0; i <= PHASE_STOPPED; i++) {
        sample(text, "doyen_phase", "phase", phase_text((enum phase)i), facts->phase == i);
    }
    gauge(text, "doyen_ready", "Whether /readyz holds: a member whose view is not stale.",
          health_is_good(&health));
    gauge(text, "doyen_merging", "Whether this node's part asks another to absorb it.",
          facts->merging);
}

/* What doyen status says first, by its word. */
static void write_whole(const struct whole *whole, struct text_builder *text)
{
    begin(text, "doyen_whole", "gauge",
          "1 for the state of the whole, as this node knows it and doyen status says it.");
    for (int i = 0; i < WHOLE_STATES; i++) {
        const enum whole_state state = (enum whole_state)i;
        text_builder_add(text, "doyen_whole");
        add_label(text, "{", "state", whole_state_text(state));
        add_label(text, ",", "severity", whole_severity_text(whole_severity(state)));
        text_builder_add(text, "}");
        add_value(text, whole->state == state);
    }
}

static void write_members(const struct facts *facts, struct text_builder *text)
{
    uint64_t suspected = 0;
    uint64_t silent = 0;
    uint64_t linked = 0;
    uint64_t longest_ms = 0;
    uint64_t drained = 0;
    uint64_t gone[2] = {0}; /* failed, left */

    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        const struct member *member = &facts->view->members[i];
        const struct peer_state *peer = &facts->peers[i];
        drained += member->drained;
        if (id_equal(&member->id, &facts->self->id)) {
            continue;
        }
        suspected += peer->verdict != VERDICT_NONE;
        silent += facts->silent[i];
        linked += peer->linked;
        if (peer->heard_ms_ago != NEVER_MS && peer->heard_ms_ago > longest_ms) {
            longest_ms = peer->heard_ms_ago;
        }
    }
    for (uint32_t i = 0; i < facts->view->gone_count; i++) {
        gone[facts->view->gone[i].reason == GONE_LEFT]++;
    }
    gauge(text, "doyen_members", "Members of this node's view, itself included.",
          facts->view->member_count);
    gauge(text, "doyen_members_suspected", "Members that this node holds a verdict against.",
          suspected);
    gauge(text, "doyen_members_silent",
          "Members that this node has not heard for longer than the profile's patience.", silent);
    gauge(text, "doyen_members_drained", "Members that do not coordinate while any other can.",
          drained);
    begin(text, "doyen_members_gone", "gauge",
          "Former members that the view still lists, failed or left in good order.");
    sample(text, "doyen_members_gone", "state", "failed", gone[0]);
    sample(text, "doyen_members_gone", "state", "left", gone[1]);
    gauge(text, "doyen_lifelines_up", "Members that this node has a connection with.", linked);
    gauge_seconds(text, "doyen_heard_longest_seconds",
                  "Since the member that has been silent longest was heard.", longest_ms, 1000);
}

static void write_margin(const struct lease_margin *margin, struct text_builder *text)
{
    uint64_t count = 0;

    begin(text, "doyen_acting_left_ratio", "histogram",
          "What was left of the right to act when it was renewed, as a part of the whole.");
    for (int i = 0; i < LEASE_MARGIN_BOUNDS; i++) {
        count += margin->counts[i];
        text_builder_format(
            text, "doyen_acting_left_ratio_bucket{le=\"%" PRIu32 ".%02" PRIu32 "\"} %" PRIu64 "\n",
            lease_margin_bounds[i] / 100, lease_margin_bounds[i] % 100, count);
    }
    text_builder_format(text,
                        "doyen_acting_left_ratio_bucket{le=\"+Inf\"} %" PRIu64
                        "\ndoyen_acting_left_ratio_sum %.4f\ndoyen_acting_left_ratio_count "
                        "%" PRIu64 "\n",
                        count, margin->sum, count);
}

static void write_view(const struct facts *facts, struct text_builder *text)
{
    const bool known = facts->coordinator != NULL;

    gauge(text, "doyen_epoch", "Epoch of the view, the token to act under; 0 without a view.",
          facts->view->epoch);
    gauge(text, "doyen_view_version", "Version of the view; 0 without a view.",
          facts->view->version);
    gauge(text, "doyen_view_acked_members", "Members that are known to hold this node's view.",
          facts->acked);
    gauge(text, "doyen_coordinator_known", "Whether there is a coordinator to be named.", known);
    gauge(text, "doyen_coordinator_is_self", "Whether this node coordinates.",
          known && id_equal(&facts->coordinator->id, &facts->self->id));
    gauge(text, "doyen_acting", "Whether this node may act as coordinator.", facts->acting);
    gauge_seconds(text, "doyen_acting_left_seconds",
                  "What is certainly left of this node's right to act, unless it is renewed.",
                  facts->acting_ms, 1000);
    gauge(text, "doyen_guard_met",
          "Whether as many are heard as the guard asks for: members, under strict voters.",
          facts->guard.met);
    gauge(text, "doyen_guard_fresh_members",
          "Members heard lately, as the guard counts them; under strict voters.",
          facts->guard.fresh);
    gauge(text, "doyen_guard_needed_members",
          "Members that the guard asks for; under strict voters.", facts->guard.needed);
}

static void write_events(const struct facts *facts, struct text_builder *text)
{
    const struct core_counters *core = facts->counters;

    begin(text, "doyen_events_total", "counter",
          "What happened on this node, by event of /v1/events; suspect counts suspicions.");
    for (unsigned i = 0; i < JOURNAL_TYPES; i++) {
        sample(text, "doyen_events_total", "event", notice_event((enum notice_type)i),
               journal_count(facts->journal, (enum notice_type)i));
    }
    counter(text, "doyen_views_installed_total", "Views that this node has installed.",
            core->views_installed);
    counter(text, "doyen_view_mismatches_total", "Two contents seen under one view's number.",
            core->mismatches);
    counter(text, "doyen_late_wakeups_total",
            "Times that this node was late itself, so that it accused nobody for a while.",
            core->late_wakeups);
}

static void write_messages(const struct facts *facts, struct text_builder *text)
{
    const struct core_counters *core = facts->counters;

    begin(text, "doyen_messages_received_total", "counter", "Messages received, by type.");
    for (unsigned i = 1; i < MESSAGE_TYPE_COUNT; i++) {
        sample(text, "doyen_messages_received_total", "type", message_text((enum message_type)i),
               core->received[i]);
    }
    begin(text, "doyen_messages_sent_total", "counter", "Messages sent, by type.");
    for (unsigned i = 1; i < MESSAGE_TYPE_COUNT; i++) {
        sample(text, "doyen_messages_sent_total", "type", message_text((enum message_type)i),
               core->sent[i]);
    }
    begin(text, "doyen_messages_refused_total", "counter",
          "Messages not acted on, by reason and clause of the protocol; what comes twice is "
          "refused once.");
    for (unsigned i = 0; i < REFUSED_COUNT; i++) {
        text_builder_add(text, "doyen_messages_refused_total");
        add_label(text, "{", "reason", refusal_name((enum refusal)i));
        add_label(text, ",", "rule", refusal_clause((enum refusal)i));
        text_builder_add(text, "}");
        add_value(text, core->refused[i]);
    }
    counter(text, "doyen_messages_relayed_total", "Messages handed on between two other members.",
            core->relayed);
    counter(text, "doyen_messages_cut_total",
            "Messages not sent because one step of the protocol had too many effects.",
            core->sends_cut);
}

static void write_refused_frames(const struct node_traffic *traffic, struct text_builder *text)
{
    begin(text, "doyen_frames_malformed_total", "counter", "Frames that are no message, by fault.");
    for (unsigned i = WIRE_OK + 1; i < WIRE_ERROR_COUNT; i++) {
        sample(text, "doyen_frames_malformed_total", "reason", wire_error_text((enum wire_error)i),
               traffic->malformed[i]);
    }
    counter(text, "doyen_messages_of_later_version_total",
            "Messages with fields of a later version, which were skipped.", traffic->skipped);
    counter(text, "doyen_changes_without_base_total",
            "Changes of a view that this node did not hold; it is shown the whole.",
            traffic->without_base);
    begin(text, "doyen_frames_not_opened_total", "counter",
          "Sealed frames that were not opened, by reason.");
    for (unsigned i = SEAL_OK + 1; i < SEAL_RESULTS; i++) {
        sample(text, "doyen_frames_not_opened_total", "reason",
               seal_result_text((enum seal_result)i), traffic->sealed_refused[i]);
    }
    begin(text, "doyen_beats_refused_total", "counter",
          "Beats that were taken for no heartbeat, by reason.");
    for (unsigned i = BEAT_TAKEN + 1; i < BEAT_REFUSALS; i++) {
        sample(text, "doyen_beats_refused_total", "reason", beat_refusal_text((enum beat_refusal)i),
               traffic->beats_refused[i]);
    }
    counter(text, "doyen_frames_without_key_total",
            "Frames without a key that came to a node that has one.", traffic->plain_refused);
    counter(text, "doyen_strangers_cut_total",
            "Messages of strangers beyond what a node without a key takes in a second.",
            traffic->strangers_cut);
    counter(text, "doyen_challenges_sent_total",
            "Notes that ask the sender of a sealed frame to prove its address.",
            traffic->challenges_out);
    counter(text, "doyen_counts_asked_total",
            "Questions to senders whose frames seemed to be played back.", traffic->counts_asked);
    counter(text, "doyen_hints_sent_total", "Notes to senders with another key, or none.",
            traffic->hints_out);
}

static void write_user_messages(const struct node_traffic *traffic, struct text_builder *text)
{
    counter(text, "doyen_user_messages_received_total",
            "Messages of other members' programs that were handed on.", traffic->user_in);
    counter(text, "doyen_user_messages_sent_total",
            "Messages that this program sent to other members.", traffic->user_out);
    begin(text, "doyen_user_messages_refused_total", "counter",
          "Messages of programs that were not handed on, by reason.");
    for (unsigned i = USER_TAKEN + 1; i < USER_REFUSALS; i++) {
        sample(text, "doyen_user_messages_refused_total", "reason",
               user_refusal_text((enum user_refusal)i), traffic->user_refused[i]);
    }
}

static void write_traffic(const struct node_traffic *traffic, struct text_builder *text)
{
    counter(text, "doyen_datagrams_received_total", "Datagrams received from other nodes.",
            traffic->datagrams_in);
    counter(text, "doyen_datagrams_sent_total", "Datagrams sent to other nodes.",
            traffic->datagrams_out);
    counter(text, "doyen_beats_received_total", "Datagrams received that were beats.",
            traffic->beats_in);
    counter(text, "doyen_beats_sent_total", "Datagrams sent that were beats.", traffic->beats_out);
    gauge(text, "doyen_beats_wait",
          "1 while beats are read when the loop wakes for something else.", traffic->beats_wait);
    counter(text, "doyen_stream_frames_received_total", "Frames received over connections.",
            traffic->frames_in);
    counter(text, "doyen_stream_frames_sent_total", "Frames sent over connections.",
            traffic->frames_out);
    counter(text, "doyen_received_bytes_total",
            "Bytes received from other nodes, without the headers of UDP, TCP and IP.",
            traffic->bytes_in);
    counter(text, "doyen_sent_bytes_total",
            "Bytes sent to other nodes, without the headers of UDP, TCP and IP.",
            traffic->bytes_out);
    counter(text, "doyen_sends_failed_total", "Datagrams that the system did not send.",
            traffic->send_failed);
    gauge(text, "doyen_streams_open", "Connections with other nodes.", traffic->streams_open);
    counter(text, "doyen_streams_refused_total",
            "Connections closed: over a cap, too slow, or not of a node.",
            traffic->streams_refused);
    counter(text, "doyen_streams_starved_total",
            "Connections of members given up for lack of file descriptors.", traffic->starved);
}

static void write_keys(const struct metrics *metrics, struct text_builder *text)
{
    char fingerprint[FINGERPRINT_TEXT_MAX];

    gauge(text, "doyen_keys", "Keys that this node holds; 0: its frames are not sealed.",
          metrics->key_count);
    if (metrics->key_count == 0) {
        return; /* A family without samples is not announced. */
    }
    begin(text, "doyen_key_held_members", "gauge",
          "Members that said that they hold the key, this node included, by its fingerprint.");
    for (uint32_t i = 0; i < metrics->key_count; i++) {
        sample(text, "doyen_key_held_members", "key",
               fingerprint_text(metrics->keys[i].fingerprint, fingerprint), metrics->keys[i].held);
    }
    begin(text, "doyen_key_seals", "gauge", "Whether this node seals with the key.");
    for (uint32_t i = 0; i < metrics->key_count; i++) {
        sample(text, "doyen_key_seals", "key",
               fingerprint_text(metrics->keys[i].fingerprint, fingerprint), metrics->keys[i].seals);
    }
}

/* The list that is being left counts while there is one. */
static void write_voter_lists(const struct metrics *metrics, struct text_builder *text)
{
    const struct voter_lists *lists = metrics->facts->voters;
    uint32_t before = 0;

    for (uint8_t i = 0; i < lists->count; i++) {
        before += lists->voters[i].before;
    }
    begin(text, "doyen_voters", "gauge",
          "Voters of guard strict, in the list that holds or is being entered, and in the one that "
          "is being left; 0 under another guard.");
    sample(text, "doyen_voters", "list", "now", voter_lists_length(lists));
    sample(text, "doyen_voters", "list", "old", before);
    gauge(text, "doyen_voters_change", "Whether the voters are being changed.",
          voter_lists_are_joint(lists));
    gauge(text, "doyen_voters_target", "Voters that there are to be; 0: as many as there are.",
          metrics->facts->autopilot.target);
    gauge(
        text, "doyen_voters_lacking",
        "Whether this node coordinates, and a voter does not vote or there are fewer than the target.",
        metrics->facts->autopilot.lacks);
    begin(text, "doyen_voters_replaced_total", "counter",
          "Voters replaced by changes that this node began and settled as coordinator.");
    sample(text, "doyen_voters_replaced_total", "by", "operator",
           metrics->facts->counters->voters_replaced[WISHER_OPERATOR]);
    sample(text, "doyen_voters_replaced_total", "by", "autopilot",
           metrics->facts->counters->voters_replaced[WISHER_AUTOPILOT]);
    gauge(text, "doyen_voters_spare", "Voters that vote and are not needed: so many may be lost.",
          metrics->whole->spare);
}

/* Only who coordinates asks them (Z16b). */
static void write_witnesses(const struct facts *facts, struct text_builder *text)
{
    begin(text, "doyen_witness_last_answer_seconds", "gauge",
          "Since the witness answered this node, which coordinates, last.");
    for (uint8_t i = 0; i < facts->voters->count; i++) {
        const uint64_t ms = facts->contacts[i].answered_ms_ago;
        if (facts->voters->voters[i].witness && ms != NEVER_MS) {
            text_builder_add(text, "doyen_witness_last_answer_seconds");
            add_label(text, "{", "voter", facts->voters->voters[i].name);
            text_builder_add(text, "}");
            add_seconds(text, ms, 1000);
        }
    }
}

static void write_voter(const struct metrics *metrics, struct text_builder *text)
{
    const struct facts *facts = metrics->facts;

    write_voter_lists(metrics, text);
    write_witnesses(facts, text);
    begin(text, "doyen_voter", "gauge",
          "1 for how this node stands as a voter of guard strict; none: it is no voter.");
    for (unsigned i = 0; i <= VOTER_OLDER; i++) {
        const char *status = voter_status_text((enum voter_status)i);
        sample(text, "doyen_voter", "status", status == NULL ? "none" : status,
               facts->voter.status == i);
    }
    counter(text, "doyen_voter_syncs_total", "Writes of this voter's record to its disk.",
            facts->voter.syncs);
    counter(text, "doyen_voter_sync_failures_total", "Writes of it that failed.",
            facts->voter.sync_failures);
    gauge_seconds(text, "doyen_voter_sync_last_seconds", "How long the last write of it took.",
                  facts->voter_times.last_us, 1000000);
    gauge_seconds(text, "doyen_voter_sync_slowest_seconds",
                  "How long the slowest write of it took.", facts->voter_times.slowest_us, 1000000);
}

/* Advice, which elections of messages give (docs/elections.md). */
static void write_leader(const struct metrics *metrics, struct text_builder *text)
{
    const struct member *leader = metrics->leader;

    gauge(text, "doyen_leader_known", "Whether this node knows an elected leader.", leader != NULL);
    gauge(text, "doyen_leader_is_self", "Whether this node is the elected leader, as it knows.",
          leader != NULL && id_equal(&leader->id, &metrics->facts->self->id));
}

static void write_roles(const struct metrics *metrics, struct text_builder *text)
{
    begin(text, "doyen_role_changes_total", "counter",
          "Times that a client of this node got a role, and lost one.");
    sample(text, "doyen_role_changes_total", "change", "granted", metrics->roles_granted);
    sample(text, "doyen_role_changes_total", "change", "lost", metrics->roles_lost);
    if (metrics->role_count == 0) {
        return; /* A family without samples is not announced. */
    }
    begin(text, "doyen_role_candidates", "gauge",
          "Clients of this node that stand for the role, or hold it.");
    for (uint32_t i = 0; i < metrics->role_count; i++) {
        sample(text, "doyen_role_candidates", "role", metrics->roles[i].role,
               metrics->roles[i].candidates);
    }
    begin(text, "doyen_role_held", "gauge", "Clients of this node that hold the role.");
    for (uint32_t i = 0; i < metrics->role_count; i++) {
        sample(text, "doyen_role_held", "role", metrics->roles[i].role, metrics->roles[i].held);
    }
}

static void write_control(const struct metrics *metrics, struct text_builder *text)
{
    begin(text, "doyen_control_connections", "gauge",
          "Connections of clients, by listening socket.");
    sample(text, "doyen_control_connections", "socket", "unix", metrics->connections_unix);
    sample(text, "doyen_control_connections", "socket", "tcp", metrics->connections_tcp);
    gauge(text, "doyen_control_watchers", "Clients that watch /v1/events.", metrics->watchers);
    gauge(text, "doyen_control_lease_clients", "Clients that hold the lease page.",
          metrics->lease_clients);
    begin(text, "doyen_log_lines_lost_total", "counter",
          "Lines of the log that were not written: nobody read it, or there were too many.");
    sample(text, "doyen_log_lines_lost_total", "reason", "unread", metrics->log->dropped_ever);
    sample(text, "doyen_log_lines_lost_total", "reason", "rate", metrics->log->left_out_ever);
}

/* Under the names that Prometheus has for every process. */
static void write_process(const struct process_usage *process, struct text_builder *text)
{
    begin(text, "process_cpu_seconds_total", "counter",
          "CPU time of the process, user and system.");
    text_builder_add(text, "process_cpu_seconds_total");
    add_seconds(text, process->cpu_us, 1000000);
    gauge(text, "process_resident_memory_bytes", "Memory of the process that is in RAM.",
          process->resident_bytes);
    gauge(text, "process_open_fds", "Open file descriptors.", process->descriptors);
    gauge(text, "process_max_fds", "File descriptors that the process may have open.",
          process->descriptors_max);
    gauge_seconds(text, "process_start_time_seconds", "Unix time at which the process began.",
                  (uint64_t)process->started_wall_ms, 1000);
}

/* The entry of the role, a new one if need be; NULL: there is no room, which cannot be. */
static struct metrics_role *role_of(struct metrics *metrics, const char *role)
{
    for (uint32_t i = 0; i < metrics->role_count; i++) {
        if (text_equal(metrics->roles[i].role, role)) {
            return &metrics->roles[i];
        }
    }
    if (metrics->role_count == ROLE_OWN_MAX) {
        return NULL;
    }
    metrics->roles[metrics->role_count].role = role;
    return &metrics->roles[metrics->role_count++];
}

void metrics_collect_roles(struct metrics *metrics, const struct role_clients *clients)
{
    metrics->roles_granted = clients->granted;
    metrics->roles_lost = clients->lost;
    for (const struct role_client *client = clients->first; client != NULL; client = client->next) {
        struct metrics_role *role = client->state == ROLE_CLIENT_ENDED
                                        ? NULL
                                        : role_of(metrics, client->campaign.role);
        if (role != NULL) {
            role->candidates++;
            role->held += client->state == ROLE_CLIENT_HOLDS;
        }
    }
}

/* Advice, too (docs/partitions.md). */
static void write_partitions(const struct keeper *keeper, struct text_builder *text)
{
    gauge(text, "doyen_partitions_owned", "Partitions that this node owns, as it knows.",
          keeper == NULL ? 0 : keeper_owned(keeper));
    gauge(text, "doyen_partitions_settled",
          "Whether this node has the table of partitions of its view.",
          keeper != NULL && keeper->settled);
}

void metrics_write(const struct metrics *metrics, struct text_builder *text)
{
    const struct facts *facts = metrics->facts;

    write_identity(facts, text);
    write_phase(facts, text);
    write_whole(metrics->whole, text);
    write_members(facts, text);
    write_view(facts, text);
    write_margin(&metrics->margin, text);
    write_events(facts, text);
    write_messages(facts, text);
    write_refused_frames(facts->traffic, text);
    write_traffic(facts->traffic, text);
    write_user_messages(facts->traffic, text);
    write_keys(metrics, text);
    write_voter(metrics, text);
    write_leader(metrics, text);
    write_partitions(metrics->keeper, text);
    write_roles(metrics, text);
    write_control(metrics, text);
    write_process(&metrics->process, text);
}

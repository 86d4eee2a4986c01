#include "control/documents/report_doctor.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "control/documents/report_peers.h"
#include "control/documents/report_terms.h"
#include "control/documents/whole_facts.h"
#include "control/text/json.h"
#include "runtime/options/budget.h"
#include "words/notice_text.h"
#include "words/terms_text.h"
#include "words/way_text.h"

enum {
    US_PER_MS = 1000,
    US_PER_S = 1000000,
    WIRE_EXTRA_BYTES = 42, /* of a datagram: Ethernet, IPv4 and UDP */
    CLOCK_PPM_MAX = 1000000 / 9,
    TEXT_MAX = 240,
    KEY_MAX = 32,
};

/* All of it at its worst, over all members, as one measurement found it. */
struct finding {
    const struct facts *facts;
    const struct measure *measure;
    const struct inquiry *inquiry;
    const struct timing *timing;
    uint32_t others;
    uint64_t sent;
    uint64_t answered;
    uint32_t silent; /* others that answered no probe */
    uint64_t trip_us_min;
    uint64_t trip_us_max;
    uint64_t unreached_us_max;
    int64_t ppm; /* of the clock that is furthest off */
    uint64_t ppm_unsure;
    uint32_t rates;
    const char *silent_name;  /* of one of each; NULL: none */
    enum way_fault udp_fault; /* what is wrong with the way to those two */
    enum way_fault tcp_fault;
    const struct member *without_tcp; /* one whose datagrams answer, and which does not connect */
    const struct member *without_udp; /* one of the silent that answered by TCP alone */
    const char *trip_name;
    const char *unreached_name;
    const char *clock_name;
    uint32_t tried[MEASURE_KINDS];    /* others to whom such probes were sent */
    const char *stuck[MEASURE_KINDS]; /* one of them that answered none */
    uint32_t packet_bytes; /* that pass to the others, as far as measured; 0: not measured */
    const char *narrow_name;
    struct promise promise;
};

static bool is_self(const struct facts *facts, uint32_t position)
{
    return id_equal(&facts->view->members[position].id, &facts->self->id);
}

/* --- What was found -------------------------------------------------------------------------- */

static int64_t magnitude(int64_t number)
{
    return number < 0 ? -number : number;
}

static void find_clock(struct finding *finding, const struct measured *member, const char *name)
{
    int64_t ppm = 0;
    uint64_t unsure_ppm = 0;

    if (!measured_rate(member, &ppm, &unsure_ppm)) {
        return;
    }
    finding->rates++;
    if (finding->clock_name == NULL || magnitude(ppm) > magnitude(finding->ppm)) {
        finding->ppm = ppm;
        finding->ppm_unsure = unsure_ppm;
        finding->clock_name = name;
    }
}

/* The narrowest of the paths. */
static void find_packet(struct finding *finding, const struct measured *member, const char *name)
{
    const uint32_t bytes = measured_packet_bytes(member);

    if (bytes > 0 && (finding->packet_bytes == 0 || bytes < finding->packet_bytes)) {
        finding->packet_bytes = bytes;
        finding->narrow_name = name;
    }
}

static void find_member(struct finding *finding, const struct measured *member, const char *name)
{
    finding->sent += member->sent;
    finding->answered += member->answered;
    if (member->answered == 0) {
        finding->silent++;
        finding->silent_name = name;
        return;
    }
    if (finding->trip_name == NULL || member->trip_us_max > finding->trip_us_max) {
        finding->trip_us_max = member->trip_us_max;
        finding->trip_us_min = member->trip_us_min;
        finding->trip_name = name;
    }
    if (member->unreached_us_max > finding->unreached_us_max) {
        finding->unreached_us_max = member->unreached_us_max;
        finding->unreached_name = name;
    }
    for (int kind = MEASURE_DATAGRAM; kind < MEASURE_KINDS; kind++) {
        finding->tried[kind] += member->long_ones[kind].sent > 0 ? 1 : 0;
        if (member->long_ones[kind].sent > 0 && member->long_ones[kind].answered == 0) {
            finding->stuck[kind] = name;
        }
    }
    find_packet(finding, member, name);
    find_clock(finding, member, name);
}

/* The small probes are datagrams. */
static bool answers_by_tcp_alone(const struct measured *member)
{
    return member->answered == 0 && member->long_ones[MEASURE_DATAGRAM].answered == 0 &&
           member->long_ones[MEASURE_STREAM].answered > 0;
}

/* Which of the two does not pass, and why? */
static void find_way(struct finding *finding, const struct measured *measured,
                     const struct member *member)
{
    const enum way_fault fault = node_way(finding->facts->node, &member->id);

    if (fault == WAY_UDP_FORBIDDEN || answers_by_tcp_alone(measured)) {
        finding->without_udp = member;
        finding->udp_fault = fault == WAY_UDP_FORBIDDEN ? fault : WAY_UDP_DROPPED;
    }
    if (measured->long_ones[MEASURE_STREAM].answered == 0 &&
        (fault == WAY_TCP_FORBIDDEN || (fault == WAY_TCP_DROPPED && measured->answered > 0))) {
        finding->without_tcp = member;
        finding->tcp_fault = fault;
    }
}

static void find_all(struct finding *finding)
{
    const struct view *view = finding->facts->view;

    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct measured *member = measure_find(finding->measure, i);
        if (is_self(finding->facts, i)) {
            continue;
        }
        finding->others++;
        if (member != NULL && member->sent > 0) {
            find_member(finding, member, view->members[i].name);
            find_way(finding, member, &view->members[i]);
        }
    }
}

/* What a question and its answer may take, as it was measured, in whole milliseconds. */
static uint64_t answer_ms(const struct finding *finding)
{
    return (finding->trip_us_max + finding->measure->late_us_max + US_PER_MS - 1) / US_PER_MS;
}

/* --- The verdicts ---------------------------------------------------------------------------- */

struct judgement {
    bool holds;
    char text[TEXT_MAX];
};

__attribute__((format(printf, 3, 4))) static void judge(struct judgement *judgement, bool holds,
                                                        const char *format, ...)
{
    va_list arguments;

    judgement->holds = holds;
    va_start(arguments, format);
    (void)vsnprintf(judgement->text, sizeof judgement->text, format, arguments);
    va_end(arguments);
}

/* "12.3 ms" of microseconds. */
#define MS_FORMAT "%" PRIu64 ".%" PRIu64 " ms"
#define MS_OF(us) (us) / US_PER_MS, (us) % US_PER_MS / 100

static void judge_answers(const struct finding *finding, struct judgement *judgement)
{
    const struct member *without_udp = finding->without_udp;
    char text[WAY_TEXT_MAX];

    if (finding->silent == 0) {
        judge(judgement, true, "all %u others answered", finding->others);
    } else if (without_udp != NULL) {
        judge(judgement, false, "%u of %u others answered no datagram; %s", finding->silent,
              finding->others,
              way_text(finding->udp_fault, without_udp->name, &without_udp->address, text));
    } else {
        judge(
            judgement, false,
            "%u of %u others answered nothing, %.63s among them: stopped, cut off, overloaded, or "
            "of a version before 0.2",
            finding->silent, finding->others, finding->silent_name);
    }
}

/* Do two of those who answered say something else under one of the keys? */
static const char *differing(const struct finding *finding, const char *const *keys, size_t count)
{
    const struct view *view = finding->facts->view;
    json_t *first = NULL;
    const char *name = NULL;

    for (uint32_t i = 0; i < view->member_count && name == NULL; i++) {
        json_t *said = report_peer_said(finding->facts, finding->inquiry, i);
        for (size_t k = 0; first != NULL && said != NULL && k < count; k++) {
            if (!json_equal(json_object_get(first, keys[k]), json_object_get(said, keys[k]))) {
                name = view->members[i].name;
            }
        }
        if (first == NULL) {
            first = said;
        } else {
            json_decref(said);
        }
    }
    json_decref(first);
    return name;
}

static void judge_terms(const struct finding *finding, struct judgement *judgement)
{
    static const char *const keys[] = {"guard", "profile", "heartbeat_ms", "fail_after_ms",
                                       "capacity"};
    const char *name = differing(finding, keys, sizeof keys / sizeof keys[0]);

    if (name == NULL) {
        judge(judgement, true, "all have the same terms");
    } else {
        judge(judgement, false, "the terms of %.63s are others: doyen status --all shows them",
              name);
    }
}

/* What is not written down is forgotten with the state directory. */
static void judge_drift(const struct finding *finding, struct judgement *judgement)
{
    if (terms_drift(finding->facts)) {
        judge(judgement, false,
              "this node was started with other terms than are agreed: doyen change shows both; "
              "write what is agreed into its configuration");
    } else {
        judge(judgement, true, "the configuration of this node says what is agreed");
    }
}

/* Nothing is wrong with two versions for the time of an upgrade. */
static void judge_versions(const struct finding *finding, struct judgement *judgement)
{
    static const char *const keys[] = {"version", "protocol"};
    const char *name = differing(finding, keys, sizeof keys / sizeof keys[0]);

    if (name == NULL) {
        judge(judgement, true, "all run the same version");
    } else {
        judge(judgement, true, "%.63s runs another version: finish the upgrade", name);
    }
}

static void judge_keys(const struct finding *finding, struct judgement *judgement)
{
    static const char *const keys[] = {"key"};
    const char *name = differing(finding, keys, 1);

    if (name == NULL) {
        judge(judgement, true, "all seal alike");
    } else {
        judge(judgement, true, "%.63s seals with another key, or does not say: doyen keys", name);
    }
}

static void judge_lateness(const struct finding *finding, struct judgement *judgement)
{
    const struct measure *measure = finding->measure;
    const uint64_t most_ms = finding->timing->silent_ms / 2;
    const bool holds = measure->late_us_max < most_ms * US_PER_MS && measure->late_wakeups == 0;

    judge(judgement, holds,
          "this process ran " MS_FORMAT " late at worst; after %" PRIu64
          " ms it would not be believed%s",
          MS_OF(measure->late_us_max), most_ms,
          holds ? "" : ": give it a processor, or a longer --detect");
}

static void judge_trips(const struct finding *finding, struct judgement *judgement)
{
    const uint64_t most_ms = finding->timing->verify_ms / 2;
    const uint64_t took_ms = answer_ms(finding);
    const bool holds = took_ms <= most_ms;

    judge(judgement, holds,
          "a question and its answer took " MS_FORMAT
          " at worst, from %.63s; a question before a removal waits for %" PRIu64 " ms%s",
          MS_OF(finding->trip_us_max), finding->trip_name, most_ms,
          holds ? "" : ": take a profile for longer ways");
}

static void judge_jitter(const struct finding *finding, struct judgement *judgement)
{
    const struct timing *timing = finding->timing;
    const uint64_t spare_ms = timing->silent_ms - budget_gap_ms(timing);
    const uint64_t jitter_us = finding->trip_us_max - finding->trip_us_min +
                               finding->measure->late_us_max;
    const bool holds = jitter_us <= spare_ms * US_PER_MS;

    judge(judgement, holds,
          "a heartbeat may come up to " MS_FORMAT " later than usual; a silence is noted after "
          "%" PRIu64 " ms%s",
          MS_OF(jitter_us), spare_ms, holds ? "" : ": beat less often, with a longer --detect");
}

static void judge_loss(const struct finding *finding, struct judgement *judgement)
{
    const uint64_t lost = finding->sent - finding->answered;
    const uint64_t per_1000 = finding->sent == 0 ? 0 : lost * 1000 / finding->sent;
    const double removals = budget_removals_per_year(
        finding->timing, (uint32_t)finding->facts->config->watchers,
        finding->facts->view->member_count, lost, finding->sent);
    const bool holds = removals < 1;

    judge(judgement, holds,
          "%" PRIu64 " of %" PRIu64 " questions were lost (%" PRIu64 ".%" PRIu64
          " %%): by chance alone %s%s",
          lost, finding->sent, per_1000 / 10, per_1000 % 10,
          removals < 0.001 ? "no living member is removed in a thousand years"
          : holds          ? "less than one living member is removed in a year"
                           : "living members are removed each year",
          holds ? "" : ": mend the network, or take a longer --detect");
}

static void judge_outage(const struct finding *finding, struct judgement *judgement)
{
    /* Between two probes; twice that much passes where one is lost. */
    const uint64_t pause_us = finding->measure->span_us / (finding->measure->rounds + 1);
    const uint64_t outage_us = finding->unreached_us_max > 3 * pause_us
                                   ? finding->unreached_us_max - pause_us
                                   : 0;
    const bool holds = outage_us < finding->promise.survived_ms * US_PER_MS;

    if (finding->silent > 0) { /* Of those nothing was measured, but that they are out of reach. */
        judge(judgement, false, "%.63s was not reached at all in these %" PRIu64 " ms",
              finding->silent_name, finding->measure->span_us / US_PER_MS);
    } else if (outage_us == 0) {
        judge(judgement, true,
              "each of the %u others was reached all the while; an outage shorter than %" PRIu64
              " ms removes nobody",
              finding->others, finding->promise.survived_ms);
    } else {
        judge(judgement, holds,
              "%.63s was not reached for " MS_FORMAT "; an outage shorter than %" PRIu64
              " ms removes nobody%s",
              finding->unreached_name, MS_OF(outage_us), finding->promise.survived_ms,
              holds ? "" : ": take a longer --detect");
    }
}

static void judge_clocks(const struct finding *finding, struct judgement *judgement)
{
    if (finding->rates == 0) {
        judge(judgement, true, "no clock could be compared");
        return;
    }
    const bool holds = magnitude(finding->ppm) <= CLOCK_PPM_MAX + (int64_t)finding->ppm_unsure;

    judge(judgement, holds,
          "the clock of %.63s runs %+" PRId64 " millionths fast, give or take %" PRIu64
          "; up to a ninth is allowed for",
          finding->clock_name, finding->ppm, finding->ppm_unsure);
}

/* Of what was not measured nothing is said. */
static void judge_kind(const struct finding *finding, enum measure_kind kind, const char *what,
                       const char *remedy, struct judgement *judgement)
{
    if (finding->stuck[kind] != NULL) {
        judge(judgement, false, "%s passes to %.63s and back: %s", what, finding->stuck[kind],
              remedy);
    } else if (finding->tried[kind] < finding->others) {
        judge(judgement, true, "measured to %u of %u others only", finding->tried[kind],
              finding->others);
    } else {
        judge(judgement, true, "they pass to all others and back");
    }
}

static void judge_datagrams(const struct finding *finding, struct judgement *judgement)
{
    judge_kind(finding, MEASURE_DATAGRAM, "none of the longest datagrams",
               "a path has to pass packets of 576 bytes (596 with IPv6); look for a tunnel",
               judgement);
}

static void judge_streams(const struct finding *finding, struct judgement *judgement)
{
    const struct member *without_tcp = finding->without_tcp;
    char text[WAY_TEXT_MAX];

    if (without_tcp != NULL) {
        judge(judgement, false, "%s",
              way_text(finding->tcp_fault, without_tcp->name, &without_tcp->address, text));
        return;
    }
    judge_kind(
        finding, MEASURE_STREAM, "nothing long by TCP",
        "look for a firewall, or a tunnel: a path has to pass packets of 576 bytes (596 with "
        "IPv6)",
        judgement);
}

/* More than is needed: nothing of it is wrong, and other programs may suffer. */
static void judge_packets(const struct finding *finding, struct judgement *judgement)
{
    if (finding->packet_bytes == 0) {
        judge(judgement, true, "no longer packet was seen to pass");
    } else if (finding->stuck[MEASURE_PACKET_1280] != NULL ||
               finding->stuck[MEASURE_PACKET_1400] != NULL ||
               finding->stuck[MEASURE_PACKET_1500] != NULL) {
        judge(
            judgement, true,
            "of %u bytes pass to %.63s and back, and longer ones vanish, though the kernel knows of "
            "no such limit; 576 are enough here",
            finding->packet_bytes, finding->narrow_name);
    } else {
        judge(judgement, true, "of %u bytes pass to all that were measured; 576 are enough",
              finding->packet_bytes);
    }
}

static const struct check {
    const char *name;
    const char *rule; /* of proto/protocol.md */
    void (*judge)(const struct finding *finding, struct judgement *judgement);
} checks[] = {
    {"answers", NULL, judge_answers},    {"terms", "J2a", judge_terms},
    {"drift", "A5a", judge_drift},       {"versions", NULL, judge_versions},
    {"keys", NULL, judge_keys},          {"scheduling", "D4a", judge_lateness},
    {"round trips", "R1b", judge_trips}, {"jitter", "D2c", judge_jitter},
    {"loss", "D2b", judge_loss},         {"outages", "R1b", judge_outage},
    {"clocks", "Z2", judge_clocks},      {"datagrams", "U3a", judge_datagrams},
    {"streams", "U3d", judge_streams},   {"packets", NULL, judge_packets},
};

/* Of a network of which nothing came back, nothing can be said but that. */
static bool is_needed(const struct check *check, const struct finding *finding)
{
    return finding->answered > 0 || check->judge == judge_answers || check->judge == judge_terms ||
           check->judge == judge_lateness || check->judge == judge_drift;
}

static bool put_checks(json_t *object, const struct finding *finding)
{
    json_t *array = json_array();
    bool holds = true;
    bool complete = array != NULL;

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        const struct check *check = &checks[i];
        struct judgement judgement = {.holds = true};
        if (!is_needed(check, finding)) {
            continue;
        }
        check->judge(finding, &judgement);
        holds = holds && judgement.holds;
        json_t *line = json_object();
        complete = json_array_append_new(
                       array,
                       json_finished(
                           line, json_put(line, "check", json_of_word(check->name)) &&
                                     json_put(line, "rule", json_of_word(check->rule)) &&
                                     json_put(line, "holds", json_boolean(judgement.holds)) &&
                                     json_put(line, "text", json_of_word(judgement.text)))) == 0 &&
                   complete;
    }
    return json_put(object, "checks", array) && json_put(object, "holds", json_boolean(holds)) &&
           complete;
}

/* --- The document ---------------------------------------------------------------------------- */

static json_t *budget_json(const struct facts *facts)
{
    const struct timing *timing = core_timing(node_core(facts->node));
    json_t *object = json_object();

    return json_finished(
        object, json_put(object, "profile", json_of_word(profile_text(facts->terms->profile))) &&
                    json_put(object, "detect_ms", json_of_number(budget_detect_ms(timing))) &&
                    json_put(object, "heartbeat_ms", json_of_number(timing->heartbeat_ms)) &&
                    json_put(object, "silent_ms", json_of_number(timing->silent_ms)) &&
                    json_put(object, "fail_after_ms", json_of_number(timing->lost_ms)) &&
                    json_put(object, "verify_ms", json_of_number(timing->verify_ms)));
}

static json_t *promise_json(const struct promise *promise)
{
    json_t *object = json_object();

    return json_finished(
        object, json_put(object, "survived_ms", json_of_number(promise->survived_ms)) &&
                    json_put(object, "removed_ms_min", json_of_number(promise->removed_ms_min)) &&
                    json_put(object, "removed_ms_max", json_of_number(promise->removed_ms_max)));
}

static json_t *cost_json(const struct finding *finding)
{
    const struct measure *measure = finding->measure;
    const uint64_t span_us = measure->sent_span_us == 0 ? 1 : measure->sent_span_us;
    const uint64_t bytes = measure->bytes_out + measure->datagrams_out * WIRE_EXTRA_BYTES;
    json_t *object = json_object();

    return json_finished(
        object, json_put(object, "heartbeats_per_s",
                         json_of_number((budget_beats_per_1000_s(finding->timing,
                                                                 finding->facts->config->watchers,
                                                                 finding->others) +
                                         500) /
                                        1000)) &&
                    json_put(object, "packets_per_s",
                             json_of_number(measure->datagrams_out * US_PER_S / span_us)) &&
                    json_put(object, "bytes_per_s", json_of_number(bytes * US_PER_S / span_us)));
}

static json_t *own_json(const struct measure *measure)
{
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "late_us_mean",
                 json_of_number(measure->ticks == 0 ? 0 : measure->late_us_sum / measure->ticks)) &&
            json_put(object, "late_us_max", json_of_number(measure->late_us_max)) &&
            json_put(object, "late_wakeups", json_of_number(measure->late_wakeups)));
}

static bool put_rate(json_t *object, const struct measured *measured)
{
    int64_t ppm = 0;
    uint64_t unsure_ppm = 0;
    const bool known = measured_rate(measured, &ppm, &unsure_ppm);

    return json_put(object, "clock_ppm", known ? json_integer(ppm) : json_null()) &&
           json_put(object, "clock_ppm_unsure", known ? json_of_number(unsure_ppm) : json_null());
}

static json_t *number_if(bool known, uint64_t number)
{
    return known ? json_of_number(number) : json_null();
}

static bool put_kind(json_t *object, const char *name, const struct measured_kind *kind)
{
    char sent[KEY_MAX];
    char answered[KEY_MAX];

    (void)snprintf(sent, sizeof sent, "%s_sent", name);
    (void)snprintf(answered, sizeof answered, "%s_answered", name);
    return json_put(object, sent, json_of_number(kind->sent)) &&
           json_put(object, answered, json_of_number(kind->answered));
}

static bool put_measured(json_t *object, const struct measured *measured)
{
    const bool any = measured->answered > 0;
    const uint32_t packet_bytes = measured_packet_bytes(measured);

    return json_put(object, "sent", json_of_number(measured->sent)) &&
           json_put(object, "answered", json_of_number(measured->answered)) &&
           json_put(object, "trip_us_min", number_if(any, measured->trip_us_min)) &&
           json_put(object, "trip_us_mean",
                    number_if(any, measured->trip_us_sum / (any ? measured->answered : 1))) &&
           json_put(object, "trip_us_max", number_if(any, measured->trip_us_max)) &&
           json_put(object, "jitter_us",
                    number_if(measured->answered > 1,
                              measured->jitter_us_sum /
                                  (measured->answered > 1 ? measured->answered - 1 : 1))) &&
           json_put(object, "unreached_ms",
                    json_of_number(measured->unreached_us_max / US_PER_MS)) &&
           put_kind(object, "large", &measured->long_ones[MEASURE_DATAGRAM]) &&
           put_kind(object, "stream", &measured->long_ones[MEASURE_STREAM]) &&
           json_put(object, "packet_bytes", number_if(packet_bytes != 0, packet_bytes)) &&
           json_put(object, "path_mtu",
                    number_if(measured->path_bytes != 0, measured->path_bytes)) &&
           put_rate(object, measured);
}

static json_t *member_json(const struct finding *finding, uint32_t position)
{
    const struct member *member = &finding->facts->view->members[position];
    const struct measured *measured = measure_find(finding->measure, position);
    json_t *said = report_peer_said(finding->facts, finding->inquiry, position);
    json_t *object = json_object();

    return json_finished(object,
                         json_put(object, "name", json_of_word(member->name)) &&
                             json_put(object, "address", json_of_address(&member->address)) &&
                             put_measured(object, measured) &&
                             json_put(object, "answer", said == NULL ? json_null() : said));
}

static bool put_members(json_t *object, const struct finding *finding)
{
    json_t *array = json_array();
    bool complete = array != NULL;

    for (uint32_t i = 0; i < finding->facts->view->member_count; i++) {
        if (!is_self(finding->facts, i) && measure_find(finding->measure, i) != NULL) {
            complete = json_array_append_new(array, member_json(finding, i)) == 0 && complete;
        }
    }
    return json_put(object, "members", array) && complete;
}

static const char *state_word(const struct measure *measure)
{
    switch (measure->state) {
    case MEASURE_NONE:
        return "none";
    case MEASURE_RUNS:
    case MEASURE_WAITS:
        return "running";
    case MEASURE_DONE:
        return "done";
    }
    return "none";
}

json_t *report_doctor(const struct facts *facts, const struct measure *measure,
                      const struct inquiry *inquiry, const struct whole *whole)
{
    struct finding finding = {.facts = facts,
                              .measure = measure,
                              .inquiry = inquiry,
                              .timing = core_timing(node_core(facts->node))};
    json_t *object = json_object();
    bool complete = json_put(object, "schema", json_integer(1)) &&
                    json_put(object, "self", json_of_word(facts->self->name)) &&
                    json_put(object, "phase", json_of_word(phase_text(facts->phase))) &&
                    json_put(object, "whole", whole_json(whole)) &&
                    json_put(object, "state", json_of_word(state_word(measure))) &&
                    json_put(object, "left_ms", json_of_number(measure_left_ms(measure)));

    if (measure->state == MEASURE_DONE) {
        find_all(&finding);
        finding.promise = budget_promise(finding.timing, answer_ms(&finding));
        complete = complete &&
                   json_put(object, "span_ms", json_of_number(measure->span_us / US_PER_MS)) &&
                   json_put(object, "budget", budget_json(facts)) &&
                   json_put(object, "promise", promise_json(&finding.promise)) &&
                   json_put(object, "cost", cost_json(&finding)) &&
                   json_put(object, "own", own_json(measure)) && put_members(object, &finding) &&
                   put_checks(object, &finding);
    }
    return json_finished(object, complete);
}

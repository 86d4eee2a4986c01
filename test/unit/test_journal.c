/* The journal: cursors, the history of views, evidence; and the lines that the log makes of them.
 */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "runtime/process/log.h"
#include "words/address_text.h"
#include "words/journal.h"
#include "words/notice_text.h"

enum { LOG_READ_MAX = 4096 };

/* A journal beside a core that has founded a cluster alone: the notices are the tests' own. */
struct desk {
    struct journal *journal;
    struct core *core;
    uint64_t now_ms;
};

static void desk_open(struct desk *desk)
{
    const struct address address = {.bytes = {127, 0, 0, 1}, .port = 7420, .family = 4};
    const struct core_options options = {.name = "athens",
                                         .address = address,
                                         .guard = {.policy = GUARD_NONE},
                                         .profile = PROFILE_LAN,
                                         .watchers = WATCHERS_DEFAULT,
                                         .fanout = FANOUT_DEFAULT,
                                         .timing = timing_of(PROFILE_LAN),
                                         .capacity = 4,
                                         .random_seed = {1, 2, 3, 4}};
    void *block = calloc(1, core_bytes(4));

    cr_assert_not_null(block);
    *desk = (struct desk){.journal = journal_new(), .now_ms = 1000};
    cr_assert_not_null(desk->journal);
    desk->core = core_init(block, &options, desk->now_ms);
    (void)core_step(desk->core, &(struct event){.type = EVENT_TICK, .now_ms = desk->now_ms});
    cr_assert_not(view_is_empty(core_view(desk->core)), "founds at once, having nobody to ask");
}

static void desk_close(struct desk *desk)
{
    journal_free(desk->journal);
    free(desk->core);
}

static const struct journal_entry *tell(struct desk *desk, struct notice notice)
{
    desk->now_ms += 10;
    return journal_append(desk->journal, &notice, desk->core, desk->now_ms,
                          INT64_C(1769860800000) + (int64_t)desk->now_ms);
}

static struct subject subject_of(const char *name)
{
    struct subject subject = {.id = {.bytes = {1}}, .age = 3};

    snprintf(subject.name, sizeof subject.name, "%s", name);
    return subject;
}

static void tell_joined(struct desk *desk, const char *name)
{
    tell(desk, (struct notice){.type = NOTICE_JOINED, .subject = subject_of(name)});
}

static void tell_gone(struct desk *desk, const char *name, enum gone_reason reason,
                      enum verdict verdict)
{
    struct notice notice = {.type = NOTICE_GONE};

    notice.gone = (struct gone){.age = 1, .reason = reason, .verdict = verdict};
    snprintf(notice.gone.name, sizeof notice.gone.name, "%s", name);
    tell(desk, notice);
}

static const struct journal_entry *tell_view(struct desk *desk, enum view_cause cause)
{
    return tell(desk, (struct notice){.type = NOTICE_VIEW, .cause = cause});
}

/* --- Entries --------------------------------------------------------------------------------- */

Test(journal, cursors_rise_by_one_and_old_entries_are_overwritten)
{
    struct desk desk;

    desk_open(&desk);
    cr_expect_eq(journal_cursor(desk.journal), 0);
    cr_expect_null(journal_get(desk.journal, 0));
    cr_expect_null(journal_get(desk.journal, 1));
    for (uint64_t i = 1; i <= JOURNAL_ENTRIES_MAX + 5; i++) {
        const struct journal_entry *entry = tell(
            &desk, (struct notice){.type = NOTICE_LATE, .silent_ms = i});
        cr_assert_eq(entry->cursor, i);
    }

    cr_expect_null(journal_get(desk.journal, 5));
    const struct journal_entry *oldest = journal_get(desk.journal, 6);
    cr_assert_not_null(oldest);
    cr_expect_eq(oldest->cursor, 6);
    cr_expect_eq(oldest->notice.silent_ms, 6);
    cr_expect_null(journal_get(desk.journal, JOURNAL_ENTRIES_MAX + 6), "not there yet");
    desk_close(&desk);
}

static struct tags numbered_tags(uint64_t number)
{
    struct tags tags;

    tags.length =
        (uint16_t)(snprintf(tags.text, sizeof tags.text, "k=%llu", (unsigned long long)number) + 1);
    return tags;
}

/* A part that may have no coordinator asks for one each second: what came before stays to be read.
 */
Test(journal, tells_the_same_claim_ever_more_rarely)
{
    struct desk desk;
    uint32_t told = 0;
    desk_open(&desk);

    for (uint32_t i = 0; i < 1000; i++) {
        told += tell(&desk, (struct notice){.type = NOTICE_CLAIM,
                                            .subject = subject_of("byzantium"),
                                            .claim = CLAIM_STARTED}) != NULL;
        told += tell(&desk, (struct notice){.type = NOTICE_CLAIM,
                                            .subject = subject_of("byzantium"),
                                            .claim = CLAIM_LOST}) != NULL;
    }
    cr_assert_eq(told, 20, "none of them is handed on again in place of those that are left out");
    cr_assert_eq(journal_count(desk.journal, NOTICE_CLAIM), 2000);
    cr_assert_eq(journal_cursor(desk.journal), 20); /* the 1st, 2nd, 4th to 512th of each */
    cr_assert_eq(journal_get(desk.journal, 20)->times, 512);
    tell(&desk, (struct notice){.type = NOTICE_VIEW});
    const struct journal_entry *first = tell(
        &desk,
        (struct notice){.type = NOTICE_CLAIM, .subject = subject_of("b"), .claim = CLAIM_LOST});
    cr_assert_eq(journal_cursor(desk.journal), 22);
    cr_assert_eq(first->times, 1);
    desk_close(&desk);
}

/* The core takes back what it lent; the oldest change goes without its tags, not with others. */
Test(journal, keeps_the_tags_of_the_last_changes)
{
    struct desk desk;
    desk_open(&desk);

    for (uint64_t i = 1; i <= JOURNAL_TAGS_MAX + 1; i++) {
        struct tags before = numbered_tags(i - 1);
        struct tags now = numbered_tags(i);
        tell(&desk, (struct notice){.type = NOTICE_TAGS,
                                    .subject = subject_of("byzantium"),
                                    .tags_before = &before,
                                    .tags_now = &now});
        memset(&before, 'x', sizeof before);
        memset(&now, 'x', sizeof now);
    }
    const struct notice *oldest = &journal_get(desk.journal, 1)->notice;
    cr_expect_null(oldest->tags_before);
    cr_expect_null(oldest->tags_now);
    for (uint64_t i = 2; i <= JOURNAL_TAGS_MAX + 1; i++) {
        const struct notice *notice = &journal_get(desk.journal, i)->notice;
        const struct tags before = numbered_tags(i - 1);
        const struct tags now = numbered_tags(i);
        cr_assert(tags_equal(notice->tags_before, &before), "%llu", (unsigned long long)i);
        cr_assert(tags_equal(notice->tags_now, &now), "%llu", (unsigned long long)i);
    }
    desk_close(&desk);
}

/* The metrics count for ever, whatever the rings have room for. */
Test(journal, each_kind_of_entry_is_counted)
{
    struct desk desk;
    desk_open(&desk);

    for (int i = 0; i < JOURNAL_ENTRIES_MAX + 1; i++) {
        tell(&desk, (struct notice){.type = NOTICE_LATE, .silent_ms = 7});
    }
    tell_joined(&desk, "byzantium");
    cr_expect_eq(journal_count(desk.journal, NOTICE_LATE), JOURNAL_ENTRIES_MAX + 1);
    cr_expect_eq(journal_count(desk.journal, NOTICE_JOINED), 1);
    cr_expect_eq(journal_count(desk.journal, NOTICE_OTHER_TERMS), 0);
    desk_close(&desk);
}

/* --- History --------------------------------------------------------------------------------- */

Test(journal, a_view_is_recorded_with_what_it_changed)
{
    struct desk desk;

    desk_open(&desk);
    tell_joined(&desk, "athens");
    tell_view(&desk, CAUSE_FOUND);
    tell_joined(&desk, "delphi");
    tell_gone(&desk, "cyrene", GONE_FAILED, VERDICT_DEAD);
    tell_gone(&desk, "ephesus", GONE_LEFT, VERDICT_NONE);
    const struct journal_entry *entry = tell_view(&desk, CAUSE_CHANGE);

    cr_assert_eq(journal_history_count(desk.journal), 2);
    const struct view_record *first = journal_history(desk.journal, 0);
    const struct view_record *second = journal_history(desk.journal, 1);
    cr_expect_str_eq(first->change, "+athens");
    cr_expect_eq(first->lasted_ms, 40);
    cr_expect_str_eq(second->change, "+delphi -cyrene(dead) -ephesus(left)");
    cr_expect_str_eq(entry->change, second->change);
    cr_expect_eq(second->joined_count, 1);
    cr_expect_eq(second->gone_count, 2);
    cr_expect_eq(second->lasted_ms, 0);
    cr_expect_eq(second->cause, CAUSE_CHANGE);
    cr_expect_str_eq(second->coordinator, "athens");
    cr_expect_str_eq(entry->notice.subject.name, "athens");
    desk_close(&desk);
}

Test(journal, the_history_keeps_the_latest_views)
{
    struct desk desk;

    desk_open(&desk);
    for (unsigned i = 0; i < HISTORY_VIEWS_MAX + 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        tell_joined(&desk, name);
        tell_view(&desk, CAUSE_CHANGE);
    }
    cr_assert_eq(journal_history_count(desk.journal), HISTORY_VIEWS_MAX);
    cr_expect_str_eq(journal_history(desk.journal, 0)->change, "+n3");
    cr_expect_str_eq(journal_history(desk.journal, HISTORY_VIEWS_MAX - 1)->change, "+n258");
    desk_close(&desk);
}

Test(journal, a_change_too_long_to_tell_ends_in_dots)
{
    struct desk desk;

    desk_open(&desk);
    for (unsigned i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "node%u", i);
        tell_joined(&desk, name);
    }
    tell_view(&desk, CAUSE_CHANGE);

    const struct view_record *record = journal_history(desk.journal, 0);
    const size_t length = strlen(record->change);
    cr_expect_eq(record->joined_count, 100);
    cr_expect_lt(length, (size_t)CAUSE_TEXT_MAX);
    cr_expect_str_eq(record->change + length - 4, " ...");
    cr_expect_null(strstr(record->change, "... "), "dots once, at the end: %s", record->change);

    tell_joined(&desk, "next");
    tell_view(&desk, CAUSE_CHANGE);
    cr_expect_str_eq(journal_history(desk.journal, 1)->change, "+next");
    desk_close(&desk);
}

/* M8: what became of two parts is kept with the view that both ended in. */
Test(journal, a_merge_and_a_split_are_kept_with_their_view)
{
    struct desk desk;

    desk_open(&desk);
    tell_gone(&desk, "cyrene", GONE_FAILED, VERDICT_LOST);
    tell_view(&desk, CAUSE_CHANGE);
    tell(&desk, (struct notice){.type = NOTICE_SPLIT, .count = 3, .needed = 5});
    tell_joined(&desk, "cyrene");
    const struct journal_entry *view = tell_view(&desk, CAUSE_MERGE);
    cr_expect_str_eq(view->change, "0.0@? & 0.0@? +cyrene", "%s", view->change);
    const struct journal_entry *merge = tell(
        &desk, (struct notice){.type = NOTICE_MERGE,
                               .subject = subject_of("athens"),
                               .parents = {{.coordinator = core_self(desk.core)->id}},
                               .apart_ms = 30000,
                               .lost = true});

    cr_expect_str_eq(merge->names[0], "athens");
    cr_expect_str_empty(merge->names[1], "a coordinator that is not known has no name");
    const struct view_record *first = journal_history(desk.journal, 0);
    const struct view_record *second = journal_history(desk.journal, 1);
    cr_expect_eq(first->split_lost, 3);
    cr_expect_eq(first->split_of, 5);
    cr_expect_eq(second->split_lost, 0);
    cr_expect_eq(second->apart_ms, 30000);
    cr_expect(second->taken_up);
    desk_close(&desk);
}

/* A suspicion belongs to the view in which it arose, though the step that tells of it may end in
 * the next; what the next brings belongs to that one. */
Test(journal, an_entry_has_the_view_in_which_it_happened)
{
    struct desk desk;

    desk_open(&desk); /* The core holds view 1.1; the journal has not been told yet. */
    const struct journal_entry *suspect = tell(
        &desk, (struct notice){.type = NOTICE_SUSPECT, .subject = subject_of("cyrene")});
    cr_expect_eq(suspect->epoch, 0);
    cr_expect_eq(suspect->member_count, 0);
    tell_gone(&desk, "cyrene", GONE_FAILED, VERDICT_LOST);
    cr_expect_eq(journal_get(desk.journal, journal_cursor(desk.journal))->epoch, 1);
    tell_view(&desk, CAUSE_CHANGE);
    suspect = tell(&desk, (struct notice){.type = NOTICE_SUSPECT, .subject = subject_of("delphi")});
    cr_expect_eq(suspect->epoch, 1);

    tell(&desk, (struct notice){.type = NOTICE_PHASE, .phase = PHASE_JOINING});
    const struct journal_entry *none = tell(&desk, (struct notice){.type = NOTICE_COORDINATOR});
    cr_expect_eq(none->epoch, 0, "there is no view any more");
    desk_close(&desk);
}

/* Whoever asks later may find neither the accuser's age nor its name in the view. */
Test(journal, accusers_are_named_when_it_happens)
{
    struct desk desk;
    struct notice notice = {.type = NOTICE_GONE};

    desk_open(&desk);
    notice.gone = (struct gone){.age = 3, .accuser_count = 2, .accusers = {1, 77}};
    const struct journal_entry *entry = tell(&desk, notice);
    cr_expect_str_eq(entry->names[0], "athens");
    cr_expect_str_empty(entry->names[1]);
    desk_close(&desk);
}

Test(journal, a_phase_is_about_this_node)
{
    struct desk desk;

    desk_open(&desk);
    const struct journal_entry *entry = tell(
        &desk, (struct notice){.type = NOTICE_PHASE, .phase = PHASE_MEMBER});
    cr_expect_str_eq(entry->notice.subject.name, "athens");
    cr_expect_eq(journal_evidence_count(desk.journal), 1);
    desk_close(&desk);
}

/* --- The right to act ------------------------------------------------------------------------ */

Test(journal, an_acting_node_is_told_with_what_is_certainly_left)
{
    struct desk desk;

    desk_open(&desk);
    const struct journal_entry *entry = tell(&desk,
                                             (struct notice){.type = NOTICE_ACTING, .on = true});
    const uint64_t until_ms = core_acting_until_ms(desk.core, desk.now_ms);
    cr_assert_gt(until_ms, desk.now_ms, "alone, without a guard, it acts");
    cr_expect_eq(entry->acting_ms, until_ms - desk.now_ms - 1, "the last one may be all but over");
    cr_expect(entry->advisory);
    entry = tell(&desk, (struct notice){.type = NOTICE_ACTING, .on = false});
    cr_expect_eq(entry->acting_ms, 0);
    desk_close(&desk);
}

/* --- Evidence -------------------------------------------------------------------------------- */

Test(journal, evidence_outlives_the_ring_of_events)
{
    struct desk desk;

    desk_open(&desk);
    tell(&desk, (struct notice){.type = NOTICE_SUSPECT,
                                .subject = subject_of("cyrene"),
                                .verdict = VERDICT_LOST,
                                .silent_ms = 912});
    for (unsigned i = 0; i < 2 * JOURNAL_ENTRIES_MAX; i++) {
        tell(&desk, (struct notice){.type = NOTICE_ACTING, .on = true});
    }
    cr_expect_null(journal_get(desk.journal, 1));
    cr_assert_eq(journal_evidence_count(desk.journal), 1);
    cr_expect_eq(journal_evidence(desk.journal, 0)->notice.silent_ms, 912);
    desk_close(&desk);
}

Test(journal, evidence_keeps_the_latest)
{
    struct desk desk;

    desk_open(&desk);
    for (uint64_t i = 0; i < EVIDENCE_MAX + 10; i++) {
        tell(&desk, (struct notice){
                        .type = NOTICE_CLEARED, .subject = subject_of("cyrene"), .silent_ms = i});
    }
    cr_assert_eq(journal_evidence_count(desk.journal), EVIDENCE_MAX);
    cr_expect_eq(journal_evidence(desk.journal, 0)->notice.silent_ms, 10);
    cr_expect_eq(journal_evidence(desk.journal, EVIDENCE_MAX - 1)->notice.silent_ms,
                 EVIDENCE_MAX + 9);
    desk_close(&desk);
}

static void tell_turned_away(struct desk *desk, const char *name)
{
    tell(desk, (struct notice){.type = NOTICE_TURNED_AWAY,
                               .subject = subject_of(name),
                               .refused = {.reason = JOIN_REFUSED_FULL, .limit = 4}});
}

/* Joiners may ask as often and under as many names as they like. */
/* A node that was let in after all, removed, and is asking again has not been refused yet. */
Test(journal, the_refusal_of_an_earlier_life_is_not_told_again)
{
    const struct notice refusal = {.type = NOTICE_JOIN_REFUSED,
                                   .subject = subject_of("byzantium"),
                                   .refused = {.reason = JOIN_REFUSED_FULL, .limit = 3}};
    struct desk desk;

    desk_open(&desk);
    cr_expect_null(journal_refusal(desk.journal));
    tell(&desk, refusal);
    cr_assert_not_null(journal_refusal(desk.journal));
    cr_expect_eq(journal_refusal(desk.journal)->notice.refused.limit, 3);
    tell(&desk, (struct notice){.type = NOTICE_PHASE, .phase = PHASE_MEMBER});
    cr_expect_null(journal_refusal(desk.journal));
    tell(&desk, (struct notice){.type = NOTICE_PHASE, .phase = PHASE_JOINING});
    cr_expect_null(journal_refusal(desk.journal));
    tell(&desk, refusal);
    cr_expect_not_null(journal_refusal(desk.journal));
    desk_close(&desk);
}

Test(journal, refusals_do_not_wash_out_other_evidence)
{
    struct desk desk;

    desk_open(&desk);
    tell(&desk, (struct notice){.type = NOTICE_SUSPECT,
                                .subject = subject_of("cyrene"),
                                .verdict = VERDICT_DEAD,
                                .silent_ms = 3});
    for (unsigned i = 0; i < 2000; i++) {
        char name[16];
        snprintf(name, sizeof name, "stranger%u", i);
        tell_turned_away(&desk, name);
    }
    tell_turned_away(&desk, "stranger1999");
    tell_turned_away(&desk, "stranger1990");

    cr_assert_eq(journal_evidence_count(desk.journal), 1 + EVIDENCE_REFUSALS_MAX);
    cr_expect_eq(journal_evidence(desk.journal, 0)->notice.type, NOTICE_SUSPECT);
    cr_expect_str_eq(journal_evidence(desk.journal, EVIDENCE_REFUSALS_MAX)->notice.subject.name,
                     "stranger1990");
    cr_expect_str_eq(journal_evidence(desk.journal, 1)->notice.subject.name, "stranger1968");
    desk_close(&desk);
}

/* --- The log --------------------------------------------------------------------------------- */

struct pipe_log {
    struct log log;
    int read;
};

static void pipe_log_open(struct pipe_log *pipe_log, enum log_level level, enum log_format format)
{
    int ends[2];

    cr_assert_eq(pipe(ends), 0);
    pipe_log->read = ends[0];
    log_init(&pipe_log->log, ends[1], level, format, "athens");
}

static void pipe_log_close(struct pipe_log *pipe_log)
{
    close(pipe_log->read);
    close(pipe_log->log.fd);
}

static void pipe_log_read(struct pipe_log *pipe_log, char out[LOG_READ_MAX])
{
    const ssize_t got = read(pipe_log->read, out, LOG_READ_MAX - 1);

    cr_assert_geq(got, 0);
    out[got] = '\0';
}

Test(log, a_view_change_is_one_line_with_its_cause)
{
    struct desk desk;
    struct pipe_log pipe_log;
    char line[LOG_READ_MAX];

    desk_open(&desk);
    pipe_log_open(&pipe_log, LOG_INFO, LOG_TEXT);
    tell_gone(&desk, "cyrene", GONE_FAILED, VERDICT_DEAD);
    log_notice(&pipe_log.log, tell_view(&desk, CAUSE_CLAIM));
    pipe_log_read(&pipe_log, line);
    cr_expect_str_eq(line, "2026-01-31T12:00:01.020Z info  view: epoch=1 version=1 member_count=1 "
                           "coordinator=athens cause=claim -cyrene(dead)\n");
    pipe_log_close(&pipe_log);
    desk_close(&desk);
}

Test(log, a_suspicion_names_suspect_verdict_and_silence)
{
    struct desk desk;
    struct pipe_log pipe_log;
    char line[LOG_READ_MAX];

    desk_open(&desk);
    pipe_log_open(&pipe_log, LOG_INFO, LOG_TEXT);
    log_notice(&pipe_log.log, tell(&desk, (struct notice){.type = NOTICE_SUSPECT,
                                                          .subject = subject_of("cyrene"),
                                                          .verdict = VERDICT_LOST,
                                                          .silent_ms = 912}));
    pipe_log_read(&pipe_log, line);
    cr_expect_not_null(strstr(line, "suspect: name=cyrene verdict=lost silent_ms=912\n"), "%s",
                       line);
    pipe_log_close(&pipe_log);
    desk_close(&desk);
}

Test(log, a_merge_says_which_part_was_this_nodes)
{
    struct desk desk;
    struct pipe_log pipe_log;
    char line[LOG_READ_MAX];
    struct notice notice = {.type = NOTICE_MERGE,
                            .parents = {{.epoch = 4, .version = 9}, {.epoch = 3, .version = 7}},
                            .apart_ms = 30240,
                            .lost = true};

    desk_open(&desk);
    notice.parents[0].coordinator = core_self(desk.core)->id;
    pipe_log_open(&pipe_log, LOG_INFO, LOG_TEXT);
    log_notice(&pipe_log.log, tell(&desk, notice));
    pipe_log_read(&pipe_log, line);
    cr_expect_not_null(
        strstr(line, "info  merge: parent=4.9@athens merged=3.7@? taken_up=yes apart_ms=30240\n"),
        "%s", line);
    pipe_log_close(&pipe_log);
    desk_close(&desk);
}

Test(log, a_json_line_has_the_fields_of_its_notice)
{
    struct desk desk;
    struct pipe_log pipe_log;
    char line[LOG_READ_MAX];

    desk_open(&desk);
    pipe_log_open(&pipe_log, LOG_INFO, LOG_AUTO); /* A pipe is no terminal. */
    tell_joined(&desk, "delphi");
    log_notice(&pipe_log.log, tell_view(&desk, CAUSE_CHANGE));
    pipe_log_read(&pipe_log, line);

    json_t *object = json_loads(line, 0, NULL);
    cr_assert_not_null(object, "%s", line);
    cr_expect_str_eq(json_string_value(json_object_get(object, "level")), "info");
    cr_expect_str_eq(json_string_value(json_object_get(object, "node")), "athens");
    cr_expect_str_eq(json_string_value(json_object_get(object, "event")), "view");
    cr_expect_str_eq(json_string_value(json_object_get(object, "epoch")), "1");
    cr_expect_eq(json_integer_value(json_object_get(object, "member_count")), 1);
    cr_expect_str_eq(json_string_value(json_object_get(object, "change")), "+delphi");
    json_decref(object);
    pipe_log_close(&pipe_log);
    desk_close(&desk);
}

/* Whatever a message holds, a line stays one line, and a JSON line stays JSON. */
Test(log, hostile_text_stays_within_its_line)
{
    struct pipe_log pipe_log;
    char line[LOG_READ_MAX];
    char quotes[2 * LOG_MESSAGE_MAX];

    pipe_log_open(&pipe_log, LOG_INFO, LOG_JSON);
    memset(quotes, '"', sizeof quotes - 1);
    quotes[sizeof quotes - 1] = '\0';
    const char *const texts[] = {"a\nb\x1b[2J\"\\", "\xff\xfe \xe2\x82", quotes};
    for (size_t i = 0; i < 3; i++) {
        log_line(&pipe_log.log, LOG_WARN, "test", "%s", texts[i]);
        pipe_log_read(&pipe_log, line);
        json_t *object = json_loads(line, 0, NULL);
        cr_assert_not_null(object, "%s", line);
        json_decref(object);
        cr_expect_eq(strchr(line, '\n'), line + strlen(line) - 1);
    }

    pipe_log.log.json = false;
    log_line(&pipe_log.log, LOG_WARN, "test", "%s", texts[0]);
    pipe_log_read(&pipe_log, line);
    cr_expect_not_null(strstr(line, "warn  test: a?b?[2J\"\\\n"), "%s", line);
    pipe_log_close(&pipe_log);
}

Test(log, lines_below_the_level_are_not_written)
{
    struct pipe_log pipe_log;
    char line[LOG_READ_MAX];

    pipe_log_open(&pipe_log, LOG_WARN, LOG_TEXT);
    log_line(&pipe_log.log, LOG_INFO, "test", "no");
    log_line(&pipe_log.log, LOG_WARN, "test", "yes");
    pipe_log_read(&pipe_log, line);
    cr_expect_null(strstr(line, "no\n"));
    cr_expect_not_null(strstr(line, "yes\n"));
    pipe_log_close(&pipe_log);
}

Test(log, lines_that_nobody_reads_are_dropped_and_counted)
{
    struct pipe_log pipe_log;
    char buffer[70000];

    pipe_log_open(&pipe_log, LOG_INFO, LOG_TEXT);
    for (unsigned i = 0; i < 3000; i++) {
        pipe_log.log.second_ms = 0; /* Each in a second of its own. */
        log_line(&pipe_log.log, LOG_INFO, "test", "line %u of many, to fill the pipe up", i);
    }
    cr_expect_gt(pipe_log.log.dropped, 0);
    cr_assert_gt(read(pipe_log.read, buffer, sizeof buffer), 0);

    pipe_log.log.second_ms = 0;
    log_line(&pipe_log.log, LOG_INFO, "test", "somebody reads again");
    const ssize_t got = read(pipe_log.read, buffer, sizeof buffer - 1);
    cr_assert_gt(got, 0);
    buffer[got] = '\0';
    cr_expect_not_null(strstr(buffer, "lines_dropped="));
    cr_expect_not_null(strstr(buffer, "somebody reads again\n"));
    cr_expect_eq(pipe_log.log.dropped, 0);
    pipe_log_close(&pipe_log);
}

Test(log, a_refusal_that_repeats_itself_is_said_once)
{
    struct desk desk;
    struct pipe_log pipe_log;
    char line[LOG_READ_MAX];
    const struct notice refused = {
        .type = NOTICE_JOIN_REFUSED,
        .subject = {.address = {.bytes = {127, 0, 0, 1}, .port = 7420, .family = 4}},
        .refused = {.reason = JOIN_REFUSED_TERMS,
                    .terms = {.guard = {.policy = GUARD_COUNT, .count = 2},
                              .profile = PROFILE_WAN,
                              .watchers = 8,
                              .heartbeat_ms = 1000,
                              .lost_ms = 8000,
                              .capacity = 64}}};

    desk_open(&desk);
    pipe_log_open(&pipe_log, LOG_INFO, LOG_TEXT);
    for (unsigned i = 0; i < 5; i++) {
        log_notice(&pipe_log.log, tell(&desk, refused));
    }
    pipe_log_read(&pipe_log, line);
    cr_expect_not_null(
        strstr(line,
               "join_refused: address=127.0.0.1:7420 refusal=terms guard=2 "
               "profile=wan watchers=8 heartbeat_ms=1000 "
               "fail_after_ms=8000 capacity=64 -> start with the cluster's --guard 2 (here none)"),
        "%s", line);
    cr_expect_eq(strchr(line, '\n'), line + strlen(line) - 1);
    pipe_log_close(&pipe_log);
    desk_close(&desk);
}

/* What is said of each kind of notice: to people over the control socket, and in the log. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control/events/entry.h"
#include "runtime/process/log.h"
#include "view_builder.h"
#include "words/notice_fields.h"

struct words_case {
    struct notice notice;
    const char *sentence;
    const char *line;
};

/* B, member of age 2, as the subject of a notice. */
#define OF_B                                                                                       \
    {                                                                                              \
        .id = {{'B'}}, .age = 2, .name = "byzantium", .address = {                                 \
            .family = 4,                                                                           \
            .port = 7421,                                                                          \
            .bytes = {10, 0, 0, 2}                                                                 \
        }                                                                                          \
    }
#define ELSEWHERE                                                                                  \
    {                                                                                              \
        .family = 4, .port = 7422, .bytes = { 10, 0, 0, 3 }                                        \
    }
#define TERMS                                                                                      \
    {                                                                                              \
        .guard = {.policy = GUARD_MAJORITY, .count = 5}, .profile = PROFILE_WAN, .watchers = 4,    \
        .heartbeat_ms = 1000, .lost_ms = 8000, .capacity = 64                                      \
    }

static const struct tags zone_eu = {.length = 8, .text = "zone=eu"};
static const struct tags zone_and_role = {.length = 16, .text = "zone=us\0role=db"};
static const struct tags no_tags = {.length = 0};

static const struct words_case cases[] = {
    {{.type = NOTICE_PHASE, .phase = PHASE_MEMBER, .reason = REASON_ADMITTED},
     "this node is in phase member: it was let in",
     "phase=member reason=admitted"},
    {{.type = NOTICE_VIEW, .subject = OF_B, .cause = CAUSE_CHANGE},
     "view 2.7 with 4 members holds (cause: change)",
     "epoch=2 version=7 member_count=4 coordinator=byzantium cause=change +byzantium"},
    {{.type = NOTICE_VIEW, .cause = CAUSE_CHANGE},
     "view 2.7 with 4 members holds (cause: change)",
     "epoch=2 version=7 member_count=4 coordinator=none cause=change +byzantium"},
    {{.type = NOTICE_JOINED, .subject = OF_B},
     "byzantium joined with age 2 from 10.0.0.2:7421",
     "name=byzantium address=10.0.0.2:7421 age=2"},
    {{.type = NOTICE_GONE,
      .gone = {.name = "byzantium",
               .age = 2,
               .reason = GONE_FAILED,
               .verdict = VERDICT_LOST,
               .silent_ms = 901,
               .accuser_count = 2,
               .accusers = {1, 3}}},

     "byzantium was removed: lost (neither the process nor its host's kernel answers), "
     "silent 901 ms, accused by athens and cyrene",
     "name=byzantium age=2 reason=failed verdict=lost silent_ms=901 "
     "accusers=athens,cyrene"},
    {{.type = NOTICE_GONE, .gone = {.name = "byzantium", .age = 2, .reason = GONE_LEFT}},
     "byzantium left in good order",
     "name=byzantium age=2 reason=left"},
    {{.type = NOTICE_GONE, .gone = {.name = "byzantium", .age = 2, .reason = GONE_MOVED}},
     "byzantium was removed: it follows another coordinator",
     "name=byzantium age=2 reason=moved"},
    {{.type = NOTICE_GONE, .gone = {.name = "byzantium", .age = 2, .reason = GONE_REPLACED}},

     "byzantium was replaced by a new life with its name or address",
     "name=byzantium age=2 reason=replaced"},
    {{.type = NOTICE_COORDINATOR, .subject = OF_B},
     "byzantium coordinates: it is the oldest member, of age 2",
     "name=byzantium"},
    {{.type = NOTICE_COORDINATOR}, "there is no coordinator now", "name=none"},
    {{.type = NOTICE_SUSPECT, .subject = OF_B, .verdict = VERDICT_STALLED, .silent_ms = 5000},

     "this node suspects byzantium: stalled (its host's kernel answers, the process is "
     "not heard), silent 5000 ms",
     "name=byzantium verdict=stalled silent_ms=5000"},
    {{.type = NOTICE_CLEARED, .subject = OF_B, .silent_ms = 1200},
     "byzantium is not suspected any more: heard again after 1200 ms",
     "name=byzantium silent_ms=1200"},
    {{.type = NOTICE_GUARD, .on = true, .count = 3, .needed = 3},
     "the guard is met: 3 fresh members, 3 needed",
     "met=yes fresh=3 needed=3"},
    {{.type = NOTICE_GUARD, .on = false, .count = 1, .needed = 3},
     "the guard is not met: 1 fresh member, 3 needed",
     "met=no fresh=1 needed=3"},
    {{.type = NOTICE_GUARD, .on = false, .count = 2, .needed = 2},
     "the guard is not met: 2 are heard, 2 needed, and none of them has said that it acts",
     "met=no fresh=2 needed=2"},
    {{.type = NOTICE_ACTING, .on = true}, "this node acts as coordinator now", "acting=yes"},
    {{.type = NOTICE_ACTING, .on = false},
     "this node does not act as coordinator any more",
     "acting=no"},
    {{.type = NOTICE_LATE, .silent_ms = 700},
     "this node itself was late by 700 ms and accuses nobody for a while",
     "late_ms=700"},
    {{.type = NOTICE_CLAIM, .subject = OF_B, .claim = CLAIM_STARTED, .epoch = 2},
     "byzantium asks to take over, because it suspects every older member (epoch 2)",
     "name=byzantium step=started claim_epoch=2"},
    {{.type = NOTICE_CLAIM, .subject = OF_B, .claim = CLAIM_WON, .epoch = 2},
     "byzantium took over: the others granted its claim (epoch 2)",
     "name=byzantium step=won claim_epoch=2 alone=no"},
    {{.type = NOTICE_CLAIM, .subject = OF_B, .claim = CLAIM_LOST, .epoch = 2},
     "byzantium did not take over: too few granted its claim (epoch 2)",
     "name=byzantium step=lost claim_epoch=2"},
    {{.type = NOTICE_CLAIM, .subject = OF_B, .claim = CLAIM_GRANTED, .epoch = 2},
     "this node granted the claim of byzantium (epoch 2)",
     "name=byzantium step=granted claim_epoch=2"},
    {{.type = NOTICE_CLAIM, .subject = OF_B, .claim = CLAIM_DECLINED, .epoch = 2},
     "this node refused the claim of byzantium (epoch 2)",
     "name=byzantium step=declined claim_epoch=2"},
    {{.type = NOTICE_AUTOPILOT, .subject = OF_B, .by = "autopilot", .goes = "cyrene"},
     "byzantium is to vote instead of cyrene, which has not voted for long",
     "comes=byzantium goes=cyrene by=autopilot"},
    {{.type = NOTICE_AUTOPILOT, .subject = OF_B, .by = "autopilot", .goes = "byzantium"},
     "byzantium is to get another record, for it has not voted for long",
     "comes=byzantium goes=byzantium by=autopilot"},
    {{.type = NOTICE_OLD_RECORD, .subject = OF_B},
     "this voter's record is older than what byzantium has heard of it, as after a restored "
     "backup: it does not vote; have another vote in its stead: doyen voters replace",
     "name=byzantium -> this voter's record is older than what byzantium has heard of it, as after "
     "a restored backup: it does not vote; have another vote in its stead: doyen voters replace"},
    {{.type = NOTICE_BAD_LINK, .subject = OF_B},
     "byzantium stays: others hear it, though this node does not; look at the link "
     "between the two",
     "name=byzantium"},
    {{.type = NOTICE_JOIN_REFUSED,
      .subject = OF_B,
      .refused = {.reason = JOIN_REFUSED_TERMS, .terms = TERMS}},

     "the member at 10.0.0.2:7421 turned this node away: the terms differ; the cluster has "
     "guard majority of 5, profile wan, heartbeat 1000ms, fail-after 8000ms, capacity 64, "
     "watchers 4; "
     "start with the cluster's terms",
     "address=10.0.0.2:7421 refusal=terms guard=majority size=5 "
     "profile=wan watchers=4 heartbeat_ms=1000 fail_after_ms=8000 capacity=64 "
     "-> start with the cluster's terms"},
    {{.type = NOTICE_JOIN_REFUSED,
      .subject = OF_B,
      .refused = {.reason = JOIN_REFUSED_NAME, .address = ELSEWHERE}},

     "the member at 10.0.0.2:7421 turned this node away: the name is in use at "
     "10.0.0.3:7422; choose another --name, or end the member that has it",
     "address=10.0.0.2:7421 refusal=name_in_use in_use_at=10.0.0.3:7422 -> choose another "
     "--name, or end the member that has it"},
    {{.type = NOTICE_TURNED_AWAY,
      .subject = OF_B,
      .refused = {.reason = JOIN_REFUSED_FULL, .limit = 5}},

     "byzantium at 10.0.0.2:7421 was turned away: there is no room for more than 5 members",
     "name=byzantium refusal=full limit=5"},
    {{.type = NOTICE_TURNED_AWAY,
      .subject = OF_B,
      .refused = {.reason = JOIN_REFUSED_NAME, .address = ELSEWHERE}},

     "byzantium at 10.0.0.2:7421 was turned away: the name is in use at 10.0.0.3:7422",
     "name=byzantium refusal=name_in_use in_use_at=10.0.0.3:7422"},
    {{.type = NOTICE_MISMATCH},
     "view 2.7 exists with two contents; the coordinator repairs it",
     "epoch=2 version=7 member_count=4"},
    {{.type = NOTICE_SPLIT, .count = 2, .needed = 5},
     "2 of 5 members were lost at once, as when a cluster splits",
     "lost=2 of=5"},
    {{.type = NOTICE_MERGE,
      .parents = {{.epoch = 4, .version = 9}, {.epoch = 3, .version = 7}},
      .apart_ms = 125000,
      .lost = true},

     "this node's part (cyrene, view 3.7) was absorbed by another (athens, view 4.9), "
     "apart for 2 min 5 s",
     "parent=4.9@athens merged=3.7@cyrene taken_up=yes apart_ms=125000"},
    {{.type = NOTICE_MERGE,
      .parents = {{.epoch = 4, .version = 9}, {.epoch = 3, .version = 7}},
      .apart_ms = 7500000},

     "this node's part (athens, view 4.9) absorbed another (cyrene, view 3.7), apart for 2 "
     "h 5 min",
     "parent=4.9@athens merged=3.7@cyrene taken_up=no apart_ms=7500000"},
    {{.type = NOTICE_MERGING, .subject = OF_B, .on = true},
     "this node's part asks the coordinator at 10.0.0.2:7421 to absorb it, and does not "
     "act meanwhile",
     "merging=yes with=10.0.0.2:7421"},
    {{.type = NOTICE_MERGING, .on = false},
     "the merge came to nothing, for no answer came: this node's part goes on as it was",
     "merging=no refusal=no_answer"},
    {{.type = NOTICE_TURNED_AWAY,
      .subject = OF_B,
      .refused = {.reason = JOIN_REFUSED_VERSIONS, .versions = {0, 1}, .joiner = {2, 2}}},
     "byzantium at 10.0.0.2:7421 was turned away: no version of the protocol is spoken by both: by "
     "the cluster 1-2, by the joiner 3",
     "name=byzantium refusal=versions cluster_speaks=1-2 joiner_speaks=3"},
    {{.type = NOTICE_MERGING, .refusal = MERGE_REFUSED_VERSIONS},
     "the merge came to nothing, for no version of the protocol is spoken by all members of both: "
     "this node's part goes on as it was",
     "merging=no refusal=versions"},
    {{.type = NOTICE_MERGING, .refusal = MERGE_REFUSED_FULL},
     "the merge came to nothing, for there is no room for both: this node's part goes on as "
     "it was",
     "merging=no refusal=full"},
    {{.type = NOTICE_OTHER_TERMS,
      .subject = OF_B,
      .refused = {.reason = JOIN_REFUSED_TERMS, .terms = TERMS}},
     "the part of the cluster at 10.0.0.2:7421 stays apart, for its nodes were started with "
     "other terms: guard majority of 5, profile wan, heartbeat 1000ms, fail-after 8000ms, "
     "capacity 64, watchers 4",
     "address=10.0.0.2:7421 refusal=terms guard=majority size=5 "
     "profile=wan watchers=4 heartbeat_ms=1000 fail_after_ms=8000 "
     "capacity=64"},
    {{.type = NOTICE_LEADER, .subject = OF_B},
     "byzantium is elected to lead (advisory)",
     "name=byzantium"},
    {{.type = NOTICE_LEADER}, "there is no elected leader now", "name=none"},
    {{.type = NOTICE_PARTITIONS,
      .partitions = {.moved = 54, .least = 53, .led = 52, .gained = 51, .lost = 3, .owned = 50}},
     "partitions: 54 copies moved, the least is 53; this node gained 51, lost 3 and owns 50",
     "moved=54 least=53 owners_changed=52 gained=51 lost=3 owned=50"},
    {{.type = NOTICE_OWNERS, .owners = {.incoming = 9, .held = 50}},
     "this node is to own 9 partitions more, and is not ready for them",
     "incoming=9 began=0 stopping=0 ended=0 held=50"},
    {{.type = NOTICE_OWNERS, .owners = {.began = 9, .held = 59}},
     "this node owns 9 partitions more, 59 now",
     "incoming=0 began=9 stopping=0 ended=0 held=59"},
    {{.type = NOTICE_OWNERS, .owners = {.stopping = 4, .held = 59}},
     "this node is to let go of 4 partitions, when its programs have done with them",
     "incoming=0 began=0 stopping=4 ended=0 held=59"},
    {{.type = NOTICE_OWNERS, .owners = {.ended = 4, .held = 55}},
     "this node owns 4 partitions less, 55 now",
     "incoming=0 began=0 stopping=0 ended=4 held=55"},
    {{.type = NOTICE_TAGS, .subject = OF_B, {.tags_before = &zone_eu, .tags_now = &zone_and_role}},
     "byzantium has other tags: zone=us,role=db, before: zone=eu",
     "name=byzantium tags=zone=us,role=db tags_before=zone=eu"},
    {{.type = NOTICE_TAGS, .subject = OF_B, {.tags_before = &zone_eu, .tags_now = &no_tags}},
     "byzantium has other tags: none, before: zone=eu",
     "name=byzantium tags_before=zone=eu"},
    {{.type = NOTICE_DRAINED, .subject = OF_B, .on = true},
     "byzantium is drained: it coordinates only if nobody else can",
     "name=byzantium drained=yes"},
    {{.type = NOTICE_DRAINED, .subject = OF_B},
     "byzantium is not drained any more: it may coordinate",
     "name=byzantium drained=no"},
    {{.type = NOTICE_FORGOTTEN, .subject = OF_B},
     "byzantium, which was gone, is forgotten: an operator wanted it",
     "name=byzantium"},
    {{.type = NOTICE_ADDRESS, .subject = OF_B},
     "10.0.0.2, by which the others know this node, is gone from its host: give the host that "
     "address back, or start doyend again, with another --listen and --advertise if they name it",
     "address=10.0.0.2:7421 here=no"},
    {{.type = NOTICE_ADDRESS,
      .subject = OF_B,
      {.another = {.family = 4, .port = 7421, .bytes = {10, 0, 0, 9}}}},
     "10.0.0.2, by which the others know this node, is gone from its host, which has 10.0.0.9 "
     "now: give the host that address back, or start doyend again, with another --listen and "
     "--advertise if they name it",
     "address=10.0.0.2:7421 here=no another=10.0.0.9:7421"},
    {{.type = NOTICE_ADDRESS, .subject = OF_B, {.here = true}},
     "10.0.0.2 is on this node's host again",
     "address=10.0.0.2:7421 here=yes"},
    {{.type = NOTICE_TAGS, .subject = OF_B}, "byzantium has other tags", "name=byzantium"},
};

static struct journal_entry entry_of(const struct notice *notice)
{
    struct journal_entry entry = {.cursor = 17,
                                  .wall_ms = INT64_C(1769860800123),
                                  .epoch = 2,
                                  .version = 7,
                                  .member_count = 4,
                                  .notice = *notice};

    if (notice->type == NOTICE_VIEW) {
        strcpy(entry.change, "+byzantium");
    }
    if (notice->type == NOTICE_GONE || notice->type == NOTICE_MERGE) {
        strcpy(entry.names[0], "athens");
        strcpy(entry.names[1], "cyrene");
    }
    return entry;
}

Test(notice_words, each_kind_has_its_sentence_and_its_line)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct journal_entry entry = entry_of(&cases[i].notice);
        json_t *object = entry_json(&entry, 1);
        struct notice_fields fields;
        char line[NOTICE_TEXT_MAX];

        notice_fields(&entry, &fields);
        notice_text(&entry, &fields, line);
        cr_expect_str_eq(json_string_value(json_object_get(object, "text")), cases[i].sentence);
        cr_expect_str_eq(line, cases[i].line);
        json_decref(object);
    }
}

/* Who has it to mend is told that one thing, and not seven of which six are right. */
Test(notice_words, of_other_terms_what_differs_is_named)
{
    const struct terms theirs = TERMS;
    struct terms ours = theirs;
    char text[TERMS_DIFFERENCE_MAX];

    terms_difference(&theirs, &ours, text);
    cr_expect_str_empty(text);
    ours.guard.count = 3;
    ours.capacity = 63;
    terms_difference(&theirs, &ours, text);
    cr_expect_str_eq(text, "--size 5 (here 3), --capacity 64 (here 63)");
    ours = theirs;
    ours.guard = (struct guard){.policy = GUARD_NONE};
    terms_difference(&theirs, &ours, text);
    cr_expect_str_eq(text, "--guard majority (here none), --size 5");

    struct terms strict = {.guard = {GUARD_STRICT, 3}, .voters = {3, {"a", "b", "c"}}};
    struct terms other = strict;
    strcpy(other.voters.names[1], "d");
    terms_difference(&strict, &other, text);
    cr_expect_str_eq(text, "--voters a,b,c (here a,d,c)");
}

enum { NOTICE_TYPES = NOTICE_OLD_RECORD + 1 };

/* The line of the log as an object, without what every line has. */
static json_t *logged(const struct journal_entry *entry)
{
    char line[LOG_LINE_MAX + 1];
    struct log log;
    int ends[2];

    cr_assert_eq(pipe(ends), 0);
    log_init(&log, ends[1], LOG_DEBUG, LOG_JSON, "athens");
    log_notice(&log, entry);
    const ssize_t got = read(ends[0], line, sizeof line - 1);
    cr_assert_gt(got, 0);
    line[got] = '\0';
    close(ends[0]);
    close(ends[1]);

    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(object, "%s", line);
    const char *const every[] = {"time", "level", "node", "event", "message"};
    for (size_t i = 0; i < sizeof every / sizeof every[0]; i++) {
        cr_assert_eq(json_object_del(object, every[i]), 0, "%s", line);
    }
    return object;
}

/* The event of the control socket, without what every event has. */
static json_t *told(const struct journal_entry *entry)
{
    json_t *object = entry_json(entry, 1);
    const char *const every[] = {"kind", "cursor", "time", "text"};

    cr_assert_not_null(object);
    for (size_t i = 0; i < sizeof every / sizeof every[0]; i++) {
        cr_assert_eq(json_object_del(object, every[i]), 0);
    }
    return object;
}

/* An event has its lists and views as such, the log has them in one word. */
static bool is_same(const json_t *told_value, const json_t *logged_value)
{
    return json_is_array(told_value) || json_is_object(told_value)
               ? json_is_string(logged_value)
               : json_equal(told_value, logged_value);
}

Test(notice_words, the_log_and_an_event_tell_the_same_under_the_same_keys)
{
    bool seen[NOTICE_TYPES] = {false};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct journal_entry entry = entry_of(&cases[i].notice);
        json_t *event = told(&entry);
        json_t *line = logged(&entry);
        const char *key;
        json_t *value;

        seen[cases[i].notice.type] = true;
        cr_expect_eq(json_object_size(event), json_object_size(line), "%s", cases[i].line);
        json_object_foreach(event, key, value)
        {
            cr_expect(is_same(value, json_object_get(line, key)), "%s of: %s", key, cases[i].line);
        }
        json_decref(event);
        json_decref(line);
    }
    for (int type = 0; type < NOTICE_TYPES; type++) {
        cr_expect(seen[type], "no case for notice type %d", type);
    }
}

/* What people read is a part of that: each word KEY=VALUE has the key of a field. */
Test(notice_words, the_line_for_people_has_no_keys_of_its_own)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct journal_entry entry = entry_of(&cases[i].notice);
        json_t *event = told(&entry);
        char line[NOTICE_TEXT_MAX];

        snprintf(line, sizeof line, "%s", cases[i].line);
        for (char *word = strtok(line, " "); word != NULL && strcmp(word, "->") != 0;
             word = strtok(NULL, " ")) {
            char *equals = strchr(word, '=');
            if (equals != NULL) {
                *equals = '\0';
                cr_expect_not_null(json_object_get(event, word), "%s of: %s", word, cases[i].line);
            }
        }
        json_decref(event);
    }
}

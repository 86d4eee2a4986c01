/* What is said of each kind of notice: to people over the control socket, and in the log. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#include "control/entry.h"
#include "view_builder.h"
#include "words/notice_text.h"

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
        .guard = {.policy = GUARD_MAJORITY, .count = 5}, .profile = PROFILE_WAN,                   \
        .heartbeat_ms = 1000, .lost_ms = 8000, .capacity = 64                                      \
    }

static const struct words_case cases[] = {
    {{.type = NOTICE_PHASE, .phase = PHASE_MEMBER, .reason = REASON_ADMITTED},
     "this node is in phase member: it was let in",
     "phase=member reason=admitted"},
    {{.type = NOTICE_VIEW, .subject = OF_B, .cause = CAUSE_CHANGE},
     "view 2.7 with 4 members holds (cause: change)",
     "epoch=2 version=7 members=4 coordinator=byzantium cause=change +byzantium"},
    {{.type = NOTICE_VIEW, .cause = CAUSE_CHANGE},
     "view 2.7 with 4 members holds (cause: change)",
     "epoch=2 version=7 members=4 coordinator=none cause=change +byzantium"},
    {{.type = NOTICE_JOINED, .subject = OF_B},
     "byzantium joined with age 2 from 10.0.0.2:7421",
     "member=byzantium age=2 address=10.0.0.2:7421"},
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
     "member=byzantium age=2 reason=failed verdict=lost silent_ms=901 "
     "accusers=athens,cyrene"},
    {{.type = NOTICE_GONE, .gone = {.name = "byzantium", .age = 2, .reason = GONE_LEFT}},
     "byzantium left in good order",
     "member=byzantium age=2 reason=left"},
    {{.type = NOTICE_GONE, .gone = {.name = "byzantium", .age = 2, .reason = GONE_MOVED}},
     "byzantium was removed: it follows another coordinator",
     "member=byzantium age=2 reason=moved"},
    {{.type = NOTICE_GONE, .gone = {.name = "byzantium", .age = 2, .reason = GONE_REPLACED}},

     "byzantium was replaced by a new life with its name or address",
     "member=byzantium age=2 reason=replaced"},
    {{.type = NOTICE_COORDINATOR, .subject = OF_B},
     "byzantium coordinates: it is the oldest member, of age 2",
     "coordinator=byzantium"},
    {{.type = NOTICE_COORDINATOR}, "there is no coordinator now", "coordinator=none"},
    {{.type = NOTICE_SUSPECT, .subject = OF_B, .verdict = VERDICT_STALLED, .silent_ms = 5000},

     "this node suspects byzantium: stalled (its host's kernel answers, the process says "
     "nothing), silent 5000 ms",
     "member=byzantium verdict=stalled silent_ms=5000"},
    {{.type = NOTICE_CLEARED, .subject = OF_B, .silent_ms = 1200},
     "byzantium is not suspected any more: heard again after 1200 ms",
     "suspect=byzantium silent_ms=1200"},
    {{.type = NOTICE_GUARD, .on = true, .count = 3, .needed = 3},
     "the guard is met: 3 fresh members, 3 needed",
     "met=yes fresh=3 needed=3"},
    {{.type = NOTICE_GUARD, .on = false, .count = 1, .needed = 3},
     "the guard is not met: 1 fresh member, 3 needed",
     "met=no fresh=1 needed=3"},
    {{.type = NOTICE_ACTING, .on = true}, "this node acts as coordinator now", "acting=yes"},
    {{.type = NOTICE_ACTING, .on = false},
     "this node does not act as coordinator any more",
     "acting=no"},
    {{.type = NOTICE_LATE, .silent_ms = 700},
     "this node itself was late by 700 ms and accuses nobody for a while",
     "late_ms=700"},
    {{.type = NOTICE_CLAIM, .subject = OF_B, .claim = CLAIM_STARTED, .epoch = 2},
     "byzantium asks to take over, because it suspects every older member (epoch 2)",
     "step=started claimant=byzantium epoch=2"},
    {{.type = NOTICE_CLAIM, .subject = OF_B, .claim = CLAIM_WON, .epoch = 2},
     "byzantium took over: the others granted its claim (epoch 2)",
     "step=won claimant=byzantium epoch=2"},
    {{.type = NOTICE_CLAIM, .subject = OF_B, .claim = CLAIM_LOST, .epoch = 2},
     "byzantium did not take over: its claim was refused (epoch 2)",
     "step=lost claimant=byzantium epoch=2"},
    {{.type = NOTICE_CLAIM, .subject = OF_B, .claim = CLAIM_GRANTED, .epoch = 2},
     "this node granted the claim of byzantium (epoch 2)",
     "step=granted claimant=byzantium epoch=2"},
    {{.type = NOTICE_CLAIM, .subject = OF_B, .claim = CLAIM_DECLINED, .epoch = 2},
     "this node refused the claim of byzantium (epoch 2)",
     "step=declined claimant=byzantium epoch=2"},
    {{.type = NOTICE_VOUCHED, .subject = OF_B},
     "byzantium stays: others hear it, though this node does not; look at the link "
     "between the two",
     "member=byzantium"},
    {{.type = NOTICE_JOIN_REFUSED,
      .subject = OF_B,
      .refused = {.reason = JOIN_REFUSED_TERMS, .terms = TERMS}},

     "the member at 10.0.0.2:7421 turned this node away: the terms differ; the cluster has "
     "guard majority of 5, profile wan, heartbeat 1000ms, fail-after 8000ms, capacity 64; "
     "start with the cluster's --guard, --size, --profile, --heartbeat, --fail-after and "
     "--capacity",
     "by=10.0.0.2:7421 reason=terms cluster_guard=majority cluster_size=5 "
     "cluster_profile=wan cluster_heartbeat_ms=1000 cluster_fail_after_ms=8000 cluster_capacity=64 "
     "-> start with the cluster's --guard, --size, --profile, --heartbeat, --fail-after and "
     "--capacity"},
    {{.type = NOTICE_JOIN_REFUSED,
      .subject = OF_B,
      .refused = {.reason = JOIN_REFUSED_NAME, .address = ELSEWHERE}},

     "the member at 10.0.0.2:7421 turned this node away: the name is in use at "
     "10.0.0.3:7422; choose another --name, or end the member that has it",
     "reason=name_in_use holder=10.0.0.3:7422 -> choose another --name, or end the member "
     "that has it"},
    {{.type = NOTICE_TURNED_AWAY,
      .subject = OF_B,
      .refused = {.reason = JOIN_REFUSED_FULL, .limit = 5}},

     "byzantium at 10.0.0.2:7421 was turned away: there is no room for more than 5 members",
     "member=byzantium reason=full capacity=5"},
    {{.type = NOTICE_TURNED_AWAY,
      .subject = OF_B,
      .refused = {.reason = JOIN_REFUSED_NAME, .address = ELSEWHERE}},

     "byzantium at 10.0.0.2:7421 was turned away: the name is in use at 10.0.0.3:7422",
     "member=byzantium reason=name_in_use holder=10.0.0.3:7422"},
    {{.type = NOTICE_MISMATCH},
     "view 2.7 exists with two contents; the coordinator repairs it",
     "epoch=2 version=7"},
    {{.type = NOTICE_SPLIT, .count = 2, .needed = 5},
     "the cluster may have split: 2 of 5 members were lost at once",
     "lost=2 of=5"},
    {{.type = NOTICE_MERGE,
      .parents = {{.epoch = 4, .version = 9}, {.epoch = 3, .version = 7}},
      .apart_ms = 125000,
      .lost = true},

     "this node's part (cyrene, view 3.7) was taken up by another (athens, view 4.9), "
     "apart for 2 min 5 s",
     "taken_up_by=4.9@athens this=3.7@cyrene apart_ms=125000"},
    {{.type = NOTICE_MERGE,
      .parents = {{.epoch = 4, .version = 9}, {.epoch = 3, .version = 7}},
      .apart_ms = 7500000},

     "this node's part (athens, view 4.9) took up another (cyrene, view 3.7), apart for 2 "
     "h 5 min",
     "this=4.9@athens took_up=3.7@cyrene apart_ms=7500000"},
    {{.type = NOTICE_MERGING, .subject = OF_B, .on = true},
     "this node's part asks the coordinator at 10.0.0.2:7421 to take it up, and does not "
     "act meanwhile",
     "merging=yes with=10.0.0.2:7421"},
    {{.type = NOTICE_MERGING, .on = false},
     "the merge came to nothing, for no answer came: this node's part goes on as it was",
     "merging=no refusal=no_answer"},
    {{.type = NOTICE_MERGING, .refusal = MERGE_REFUSED_FULL},
     "the merge came to nothing, for there is no room for both: this node's part goes on as "
     "it was",
     "merging=no refusal=full"},
    {{.type = NOTICE_OTHER_TERMS,
      .subject = OF_B,
      .refused = {.reason = JOIN_REFUSED_TERMS, .terms = TERMS}},
     "the part of the cluster at 10.0.0.2:7421 stays apart, for its nodes were started with "
     "other terms: guard majority of 5, profile wan, heartbeat 1000ms, fail-after 8000ms, "
     "capacity 64",
     "of=10.0.0.2:7421 reason=terms cluster_guard=majority cluster_size=5 "
     "cluster_profile=wan cluster_heartbeat_ms=1000 cluster_fail_after_ms=8000 "
     "cluster_capacity=64"},
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
        json_t *object = entry_json(&entry);
        struct notice_fields fields;
        char line[NOTICE_TEXT_MAX];

        notice_fields(&entry, &fields);
        notice_text(&entry, &fields, line);
        cr_expect_str_eq(json_string_value(json_object_get(object, "text")), cases[i].sentence);
        cr_expect_str_eq(line, cases[i].line);
        json_decref(object);
    }
}

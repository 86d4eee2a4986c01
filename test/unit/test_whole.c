/* The state of the whole: which of the states that hold is told, and in which words. */
#include <criterion/criterion.h>
#include <string.h>

#include "words/whole.h"

/* Five members, all heard, whose coordinator is another one and acts. */
static struct whole_facts five(void)
{
    return (struct whole_facts){.phase = PHASE_MEMBER,
                                .members = 5,
                                .heard = 5,
                                .guard = {.guard = {.policy = GUARD_NONE}, .fresh = 5, .met = true},
                                .coordinator = "athens",
                                .reign = REIGN_ACTING};
}

/* Three voters, all heard, under guard strict. */
static struct whole_facts voters(void)
{
    struct whole_facts facts = five();

    facts.members = facts.heard = 3;
    facts.voters = facts.voters_heard = 3;
    facts.guard = (struct guard_state){
        .guard = {.policy = GUARD_STRICT, .count = 3}, .needed = 2, .fresh = 3, .met = true};
    return facts;
}

static struct whole_facts joining(void)
{
    return (struct whole_facts){
        .phase = PHASE_JOINING, .waiting = {.met = 1}, .has_other_seed = true};
}

/* Three of five were lost at once, 3 s ago. */
static struct whole_facts split(enum guard_policy policy, uint32_t count, uint32_t needed)
{
    struct whole_facts facts = five();

    facts.members = facts.heard = 2;
    facts.missing = facts.missing_alive = facts.split_missing = facts.split_lost = 3;
    facts.split_of = 5;
    facts.split_ms = 3049;
    facts.missing_name = "ephesus";
    facts.guard = (struct guard_state){.guard = {.policy = policy, .count = count},
                                       .needed = needed,
                                       .fresh = 2,
                                       .met = needed <= 2};
    facts.coordinates = true;
    facts.reign = facts.guard.met ? REIGN_ACTING : REIGN_IDLE;
    return facts;
}

static void expect(const struct whole_facts *facts, enum whole_state state, const char *sentence,
                   const char *next)
{
    struct whole whole;

    whole_judge(facts, &whole);
    cr_expect_eq(whole.state, state, "%s, not %s", whole_state_text(whole.state),
                 whole_state_text(state));
    cr_expect_eq(whole.severity, whole_severity(state));
    cr_expect_str_eq(whole.sentence, sentence);
    cr_expect_not_null(strstr(whole.next, next), "no '%s' in '%s'", next, whole.next);
}

Test(whole, all_is_well)
{
    struct whole_facts facts = five();

    expect(&facts, WHOLE_HEALTHY, "healthy: 5 of 5", "nothing");
    facts.faults = 1; /* One is in force, and nobody has missed anything yet. */
    expect(&facts, WHOLE_HEALTHY, "healthy: 5 of 5; 1 fault is in force here on purpose",
           "doyen fault clear ends the fault");
    facts = voters();
    expect(&facts, WHOLE_HEALTHY, "healthy: 3 of 3", "nothing");
}

Test(whole, who_is_behind_is_named)
{
    struct whole_facts facts = five();

    facts.members_behind = 1;
    facts.member_behind = "cyrene";
    expect(&facts, WHOLE_MEMBER_BEHIND, "cyrene is behind: it does not get the present view",
           "doyen doctor measures");
    facts.members_behind = 2;
    expect(&facts, WHOLE_MEMBER_BEHIND,
           "2 of 5 members are behind: they do not get the present view", "doyen doctor measures");
    facts.behind = true;
    expect(&facts, WHOLE_BEHIND,
           "this node is behind: it does not get the view that the others hold",
           "doyen doctor measures");
}

Test(whole, a_node_that_is_not_in_says_why)
{
    struct whole_facts facts = joining();

    expect(&facts, WHOLE_NOT_IN, "this node is not in yet: it is asking its seeds", "seeds up?");
    facts.address_gone = "10.0.0.5, by which the others know this node, is gone from its host";
    expect(&facts, WHOLE_ADDRESS_GONE,
           "this node cannot be reached: 10.0.0.5, by which the others know this node, is gone "
           "from its host",
           "give the host that address back");
    facts.address_gone = NULL;
    facts.seeds = "1 of 1 seeds hung up: it is of another --cluster, or no doyend";
    expect(&facts, WHOLE_NOT_IN,
           "this node is not in: 1 of 1 seeds hung up: it is of another --cluster, or no doyend",
           "mend that");
    facts.other_key = "10.0.0.1:7420 answers, but holds another key: ours 8a2c, its e507";
    expect(&facts, WHOLE_NOT_IN,
           "this node is not in: 10.0.0.1:7420 answers, but holds another key: ours 8a2c, its e507",
           "same --key");
    facts.turned_away = "the terms differ; start with the cluster's --guard";
    expect(&facts, WHOLE_NOT_IN,
           "this node is not in: the terms differ; start with the cluster's --guard",
           "do what that says");
}

Test(whole, a_node_that_waits_says_for_whom)
{
    struct whole_facts facts = joining();

    facts.waiting.expect = 3;
    expect(&facts, WHOLE_NOT_IN,
           "this node is not in: it waits for 3 nodes to found together, and has met 1, itself "
           "included",
           "start the others");
    facts.waiting = (struct waiting_state){.met = 2};
    expect(&facts, WHOLE_NOT_IN,
           "this node is not in: 2 nodes wait for a member, and none of them may found",
           "--bootstrap-expect 2");
    facts.waiting.may_found = true;
    expect(&facts, WHOLE_NOT_IN,
           "this node is not in yet: one of those who wait founds, unless a cluster is found first",
           "nothing");
    facts.voters = 3;
    facts.guard = (struct guard_state){.guard = {.policy = GUARD_STRICT, .count = 3}, .needed = 2};
    facts.waiting.met = 1;
    expect(
        &facts, WHOLE_NOT_IN,
        "this node is not in: it has met 1 of those who wait, itself included, and 2 of 3 voters "
        "have to be there, the first time all",
        "start the voters");
    facts.seeds = "2 of 2 seeds hung up: it is of another --cluster, or no doyend";
    expect(&facts, WHOLE_NOT_IN,
           "this node is not in: it has met 1 of those who wait, itself included, and 2 of 3 "
           "voters have to be there, the first time all; 2 of 2 seeds hung up: it is of another "
           "--cluster, or no doyend",
           "start the voters");
    facts.seeds = NULL;
    facts.waiting.voters = 5; /* So its record has it, and not what it was started with. */
    expect(
        &facts, WHOLE_NOT_IN,
        "this node is not in: it has met 1 of those who wait, itself included, and 3 of 5 voters "
        "have to be there, the first time all",
        "start the voters");
    facts.waiting.voters = 1;
    expect(&facts, WHOLE_NOT_IN,
           "this node is not in: by its record it votes alone, and it begins by itself",
           "take a minute");
    facts.waiting.voters = 0;
    facts.has_other_seed = false;
    expect(
        &facts, WHOLE_NOT_IN,
        "this node is not in: it has met 1 of those who wait, itself included, and 2 of 3 voters "
        "have to be there, the first time all",
        "no seed but this node itself: name another voter as --seed");
    facts.waiting.met = 3; /* Their records may be lost: then nobody ever begins. */
    expect(&facts, WHOLE_NOT_IN,
           "this node is not in: it has met 3 of those who wait, itself included, and one of the "
           "3 voters begins where enough have their records, the first time where all are there",
           "doyend --recover-voters");
    facts.waiting.may_found = false;
    expect(&facts, WHOLE_NOT_IN,
           "this node is not in: it has met 3 of those who wait, itself included, and one of the "
           "3 voters begins where enough have their records, the first time where all are there",
           "wait a moment");
}

Test(whole, nobody_acts_where_too_few_are_heard)
{
    struct whole_facts facts = voters();

    facts.reign = REIGN_UNKNOWN;
    facts.voters_heard = 1;
    facts.guard.fresh = 1;
    facts.guard.met = false;
    facts.coordinator_silent = true; /* That is not the worst of it. */
    expect(&facts, WHOLE_NOBODY_ACTS,
           "nobody acts here: 1 of 3 voters is heard, 2 needed; 2 others may act, if they hear "
           "each other",
           "doyen voters");
    facts.voters_ended = 1; /* Its host says so: one alone cannot act. */
    expect(&facts, WHOLE_NOBODY_ACTS, "nobody acts here: 1 of 3 voters is heard, 2 needed",
           "doyen voters");
    facts.voters_ended = 0;
    facts.coordinator_silent = false;
    facts.coordinates = true;
    facts.reign = REIGN_IDLE;
    facts.voters_heard = 2; /* One of them has nothing to give. */
    facts.voters_lack = 1;
    facts.voter_lack = "no record";
    expect(&facts, WHOLE_NOBODY_ACTS,
           "nobody acts here: 2 of 3 voters are heard, of whom 1 does not vote (no record), 2 "
           "needed",
           "doyen voters");
    facts.voters_lack = 0; /* Or leases to another. */
    expect(
        &facts, WHOLE_NOBODY_ACTS,
        "nobody acts here: 2 of 3 voters are heard, 1 leases to this node, 2 needed; 2 others may "
        "act, if they hear each other",
        "mend the network");
    facts.coordinates = false; /* And this one wants to take over from one who is silent. */
    facts.reign = REIGN_UNKNOWN;
    facts.coordinator_silent = true;
    expect(
        &facts, WHOLE_NOBODY_ACTS,
        "nobody acts here: 2 of 3 voters are heard, 1 leases to this node, 2 needed; 2 others may "
        "act, if they hear each other",
        "mend the network");
    facts = split(GUARD_MAJORITY, 5, 3);
    expect(&facts, WHOLE_NOBODY_ACTS,
           "nobody acts here: 2 of 5 members are heard, 3 needed; 3 others may act, if they "
           "hear each other; may have split: 3 of 5 were lost at once",
           "start 1 more");
}

/* Enough are there, and nobody acts all the same: the coordinator says so, or this node does. */
Test(whole, nobody_acts_where_the_coordinator_does_not)
{
    struct whole_facts facts = five();

    facts.reign = REIGN_IDLE;
    expect(&facts, WHOLE_NOBODY_ACTS,
           "nobody acts here: the coordinator athens says that it does not act", "doyen why");
    facts.coordinates = true;
    expect(&facts, WHOLE_NOBODY_ACTS,
           "nobody acts here: this node coordinates, hears 5 of 5 members, itself counted, and has "
           "answers of too few of them",
           "questions or answers are lost");
    facts.guard = (struct guard_state){
        .guard = {.policy = GUARD_MAJORITY, .count = 5}, .needed = 3, .fresh = 1, .met = false};
    expect(&facts, WHOLE_NOBODY_ACTS,
           "nobody acts here: this node coordinates, hears 5 of 5 members, itself counted, and has "
           "answers of too few of them",
           "questions or answers are lost");
    facts.heard = 2;
    expect(&facts, WHOLE_NOBODY_ACTS,
           "nobody acts here: 2 of 5 members are heard, 3 needed; 3 others may act, if they hear "
           "each other",
           "start 1 more");
    facts = five();
    facts.reign = REIGN_IDLE;
    facts.coordinates = true;
    facts.handed_over = true;
    expect(&facts, WHOLE_NOBODY_ACTS,
           "nobody acts here: this node has handed over, and nobody has taken over yet",
           "doyen why");
    facts.heard = 1;
    expect(&facts, WHOLE_NOBODY_ACTS,
           "nobody acts here: none of the 4 others is heard by this node, which coordinates",
           "doyen matrix");
    facts = voters();
    facts.reign = REIGN_UNKNOWN;
    expect(&facts, WHOLE_NOBODY_ACTS,
           "nobody acts here: 3 of 3 voters are heard, and athens, the oldest member, has not said "
           "that it acts",
           "doyen voters");
}

/* Whether a follower hears enough does not matter where its coordinator acts, or may. */
Test(whole, somebody_acts_or_may)
{
    struct whole_facts facts = five();

    facts.guard = (struct guard_state){
        .guard = {.policy = GUARD_MAJORITY, .count = 5}, .needed = 3, .fresh = 2, .met = false};
    expect(&facts, WHOLE_HEALTHY, "healthy: 5 of 5", "nothing");
    facts.reign = REIGN_UNKNOWN; /* Others watch the coordinator, or it has not said so yet. */
    expect(&facts, WHOLE_HEALTHY, "healthy: 5 of 5", "nothing");
    facts.members = 2; /* They cannot be enough. */
    expect(&facts, WHOLE_NOBODY_ACTS,
           "nobody acts here: 2 of 5 members are heard, 3 needed; 3 others may act, if they "
           "hear each other",
           "start 1 more");
}

Test(whole, a_split_says_whether_the_others_may_act)
{
    struct whole_facts facts = split(GUARD_NONE, 0, 0);

    expect(&facts, WHOLE_SPLIT,
           "may have split: 3 of 5 were lost at once 3.0 s ago; they may act, too (guard none)",
           "doyen why ephesus");
    facts.split_ms = 25;
    facts.faults = 3; /* The likely cause is told with it. */
    facts.way = "TCP of cyrene answers and UDP does not";
    facts.way_next = "permit UDP";
    expect(&facts, WHOLE_SPLIT,
           "may have split: 3 of 5 were lost at once 25 ms ago; they may act, too (guard none); "
           "3 faults are in force here on purpose",
           "doyen fault clear ends the faults");
    facts = split(GUARD_COUNT, 2, 2);
    expect(
        &facts, WHOLE_SPLIT,
        "may have split: 3 of 5 were lost at once 3.0 s ago; they may act, too: they are as many "
        "as the guard asks for",
        "network");
    facts = split(GUARD_MAJORITY, 3, 2);
    expect(&facts, WHOLE_SPLIT,
           "may have split: 3 of 5 were lost at once 3.0 s ago; they cannot act: the majority is "
           "here",
           "network");
    facts = split(GUARD_NONE, 0, 0);
    facts.split_missing = facts.missing = facts.missing_alive = 1;
    expect(&facts, WHOLE_SPLIT,
           "may have split: 3 of 5 were lost at once 3.0 s ago; 1 of them may be alive "
           "elsewhere: they may act, too (guard none)",
           "network");
    facts.split_missing = facts.missing = facts.missing_alive = 0; /* All are back. */
    expect(&facts, WHOLE_HEALTHY, "healthy: 2 of 2", "nothing");
}

Test(whole, a_coordinator_that_is_not_heard)
{
    struct whole_facts facts = five();

    facts.coordinator_silent = true;
    facts.coordinator_heard_ms = 4252;
    facts.suspects = facts.bad_links = 1;
    facts.suspect = "athens";
    expect(&facts, WHOLE_UNHEARD, "coordinator athens, not heard for 4.2 s", "doyen matrix");
    facts.faults = 1;
    expect(&facts, WHOLE_UNHEARD,
           "coordinator athens, not heard for 4.2 s; 1 fault is in force here on purpose",
           "doyen fault clear");
    facts.faults = 0;
    facts.coordinator_heard_ms = NEVER_MS;
    expect(&facts, WHOLE_UNHEARD, "coordinator athens was not heard yet", "doyen matrix");

    facts = five();
    facts.coordinates = true;
    facts.members = facts.heard = 1;
    expect(&facts, WHOLE_HEALTHY, "healthy: 1 of 1", "nothing");
}

Test(whole, voters_that_do_not_vote_are_no_spare)
{
    struct whole_facts facts = voters();

    facts.voters_lack = 1;
    facts.voter_lack = "no record";
    expect(&facts, WHOLE_VOTERS_LACKING,
           "1 of 3 voters does not vote (no record): no further one can be lost", "doyen voters");
    facts = voters();
    facts.voters_heard = 2;
    expect(&facts, WHOLE_VOTERS_LACKING,
           "2 of 3 voters are heard, 2 needed: no further one can be lost", "doyen voters");
    facts.voters_heard = 1;
    facts.coordinates = true;
    expect(&facts, WHOLE_VOTERS_LACKING,
           "1 of 3 voters is heard, 2 needed: too few, and this node acts no longer than its lease "
           "lasts",
           "doyen voters");
    facts.coordinates = false;
    facts.voters = 5;
    facts.guard.needed = 3;
    facts.voters_heard = 4;
    facts.voters_lack = 0;
    expect(&facts, WHOLE_VOTERS_LACKING, "4 of 5 voters are heard, 3 needed", "doyen voters");
    facts.voters_lack = 2;
    facts.voter_lack = "damaged record";
    expect(&facts, WHOLE_VOTERS_LACKING,
           "2 of 5 voters do not vote (damaged record), 1 is not heard: no further one can be lost",
           "doyen voters");
}

Test(whole, warnings)
{
    struct whole_facts facts = five();

    facts.missing = 1;
    facts.missing_name = facts.missing_names[0] = "cyrene";
    facts.missing_ms = 12345;
    expect(&facts, WHOLE_MISSING, "5 of 6 are here: cyrene failed 12.3 s ago",
           "doyen why cyrene tells why it is gone");
    facts.missing_behind = true;
    expect(&facts, WHOLE_MISSING,
           "5 of 6 are here: cyrene was removed because it is behind 12.3 s ago", "doyen why");
    facts.missing_behind = false;
    facts.missing_alive = 1; /* Its host did not say that it ended. */
    expect(&facts, WHOLE_MISSING,
           "5 of 6 are here: cyrene failed 12.3 s ago; if alive, it may act, too (guard none)",
           "doyen why");
    facts.guard = (struct guard_state){
        .guard = {.policy = GUARD_MAJORITY, .count = 9}, .needed = 5, .fresh = 5, .met = true};
    facts.missing = 2;
    facts.missing_ms = 7200000;
    facts.missing_names[1] = "byzantium";
    expect(&facts, WHOLE_MISSING,
           "5 of 7 are here: cyrene and byzantium failed, the latest 2 h ago; not one more can be "
           "lost",
           "doyen why");
    facts.way = "TCP of cyrene answers and UDP does not";
    facts.way_next = "permit UDP";
    expect(&facts, WHOLE_MISSING,
           "5 of 7 are here: cyrene and byzantium failed, the latest 2 h ago; not one more can be "
           "lost; TCP of cyrene answers and UDP does not",
           "permit UDP");
    facts.missing = 0;
    expect(&facts, WHOLE_BLOCKED, "TCP of cyrene answers and UDP does not", "permit UDP");
    facts.missing = 2;
    facts.way = NULL;
    facts.starved = 3;
    expect(&facts, WHOLE_STARVED,
           "3 connections of this node were given up: no file descriptors left for them",
           "ulimit -n");
    facts.silent = 1; /* It is not suspected yet, and all are not well any more. */
    facts.silent_name = "ephesus";
    expect(&facts, WHOLE_SUSPECT, "ephesus is silent", "doyen why ephesus tells the evidence");
    facts.suspects = 2;
    expect(&facts, WHOLE_SUSPECT, "2 of 5 members are suspected", "doyen why");
    facts.suspects = 1;
    facts.suspect = "delphi";
    expect(&facts, WHOLE_SUSPECT, "delphi is suspected", "doyen why delphi tells the evidence");
    facts.bad_links = 1;
    facts.bad_link = "messages from a to b are lost";
    expect(&facts, WHOLE_BAD_LINK, "a link is bad: messages from a to b are lost", "doyen matrix");
    facts.bad_links = 2;
    expect(&facts, WHOLE_BAD_LINK, "2 links are bad", "doyen matrix");
    facts.merging = true;
    facts.reign = REIGN_IDLE;
    expect(&facts, WHOLE_MERGING,
           "this part is being absorbed by another, and nobody in it acts meanwhile", "nothing");
    facts.phase = PHASE_LEAVING;
    expect(&facts, WHOLE_LEAVING, "this node is leaving", "nothing");
}

/* Each by name where they are few; and those of whom it is known that they ended act nowhere. */
Test(whole, who_is_missing_is_named_or_counted)
{
    struct whole_facts facts = five();

    facts.missing = 3;
    facts.missing_alive = 2;
    facts.missing_ms = 400;
    facts.missing_names[0] = "athens";
    facts.missing_names[1] = "byzantium";
    facts.missing_name = facts.missing_names[2] = "cyrene";
    expect(&facts, WHOLE_MISSING,
           "5 of 8 are here: athens, byzantium and cyrene failed, the latest 400 ms ago; 2 of them "
           "may be alive, and act, too (guard none)",
           "doyen why");
    facts.missing = facts.missing_alive = 4;
    facts.missing_name = "delphi";
    expect(
        &facts, WHOLE_MISSING,
        "5 of 9 are here: 4 failed, delphi as the latest 400 ms ago; if alive, they may act, too "
        "(guard none)",
        "doyen why");
}

Test(whole, each_state_has_a_word_of_its_own)
{
    for (int i = 0; i < WHOLE_STATES; i++) {
        cr_assert_not_null(whole_state_text((enum whole_state)i));
        for (int j = 0; j < i; j++) {
            cr_assert_str_neq(whole_state_text((enum whole_state)i),
                              whole_state_text((enum whole_state)j));
        }
    }
}

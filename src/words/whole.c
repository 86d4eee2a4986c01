#include "words/whole.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "words/address_text.h"
#include "words/span_text.h"
#include "words/voter_text.h"

#define BEHIND_NEXT "doyen doctor measures whether long messages pass"

/* --- Words ----------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void say(char text[WHOLE_TEXT_MAX], const char *format,
                                                      ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, WHOLE_TEXT_MAX, format, arguments);
    va_end(arguments);
}

/* Appends. */
__attribute__((format(printf, 2, 3))) static void say_more(char text[WHOLE_TEXT_MAX],
                                                           const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text + length, WHOLE_TEXT_MAX - length, format, arguments);
    va_end(arguments);
}

/* For a command: the name that is known, or what people are to put there. */
static const char *named(const char *name)
{
    return name == NULL ? "NAME" : name;
}

static bool is_strict(const struct whole_facts *facts)
{
    return facts->guard.guard.policy == GUARD_STRICT;
}

static bool is_in(const struct whole_facts *facts)
{
    return facts->phase == PHASE_MEMBER;
}

/* --- Not to be reached ------------------------------------------------------------------------ */

static bool is_address_gone(const struct whole_facts *facts, struct whole *whole)
{
    if (facts->address_gone == NULL) {
        return false;
    }
    say(whole->sentence, "this node cannot be reached: %s", facts->address_gone);
    say(whole->next, ADDRESS_GONE_NEXT);
    return true;
}

/* --- Not in ---------------------------------------------------------------------------------- */

bool whole_awaits_voters(const struct waiting_state *waiting, const struct guard_state *guard,
                         uint32_t voters, bool has_other_seed, char sentence[WHOLE_TEXT_MAX],
                         char next[WHOLE_TEXT_MAX])
{
    const bool has_record = waiting->voters > 0;
    const uint32_t of = has_record ? waiting->voters : voters;
    const uint32_t needed = has_record ? of / 2 + 1 : guard->needed;

    if (guard->guard.policy != GUARD_STRICT) {
        return false;
    }
    if (has_record && of == 1) {
        say(sentence, "by its record it votes alone, and it begins by itself");
        say(next,
            "nothing: doyen watch shows when it is in; after doyend --recover-voters that may "
            "take a minute");
        return true;
    }
    if (waiting->met >= needed) { /* Of their records this node knows its own only. */
        say(sentence,
            "it has met %" PRIu32 " of those who wait, itself included, and one of the %" PRIu32
            " voters begins where enough have their records, the first time where all are there",
            waiting->met, of);
        say(next, "wait a moment; if it lasts, start the other voters, or recover one that has its "
                  "record (doyend --recover-voters); where none is left, stop all, remove the "
                  "files voter, and start all");
        return waiting->expect <= waiting->met && (waiting->met > 1 || waiting->may_found);
    }
    say(sentence,
        "it has met %" PRIu32 " of those who wait, itself included, and %" PRIu32 " of %" PRIu32
        " voters have to be there, the first time all",
        waiting->met, needed, of);
    say(next, "%s",
        has_other_seed
            ? "start the voters that are down, or mend the network; each has to have its record: "
              "doyen voters on each shows it"
            : "no seed but this node itself: name another voter as --seed, or start the others "
              "with this node as theirs");
    return true;
}

/* Whom it waits for, and what would end that. */
static void say_waiting(const struct whole_facts *facts, struct whole *whole)
{
    const struct waiting_state *waiting = &facts->waiting;
    char lack[WHOLE_TEXT_MAX];

    if (whole_awaits_voters(waiting, &facts->guard, facts->voters, facts->has_other_seed, lack,
                            whole->next)) {
        say(whole->sentence, "this node is not in: %s", lack);
        if (waiting->met <= 1 && waiting->voters != 1 && facts->seeds != NULL) {
            say_more(whole->sentence, "; %s", facts->seeds);
        }
    } else if (waiting->expect > waiting->met) {
        say(whole->sentence,
            "this node is not in: it waits for %" PRIu32
            " nodes to found together, and has met %" PRIu32 ", itself included",
            waiting->expect, waiting->met);
        say(whole->next, "start the others, with one of these among their seeds");
    } else if (waiting->may_found) {
        say(whole->sentence, "this node is not in yet: one of those who wait founds, unless a "
                             "cluster is found first");
        say(whole->next, "nothing: doyen watch shows when it is in");
    } else if (waiting->met > 1) {
        say(whole->sentence,
            "this node is not in: %" PRIu32 " nodes wait for a member, and none of them may found",
            waiting->met);
        say(whole->next,
            "if no member comes back, start these with --bootstrap-expect %" PRIu32
            ", or one of them with its own address as --seed",
            waiting->met);
    } else if (facts->seeds != NULL) {
        say(whole->sentence, "this node is not in: %s", facts->seeds);
        say(whole->next, "mend that, and it comes in by itself; doyen watch shows when it is in");
    } else {
        say(whole->sentence, "this node is not in yet: it is asking its seeds");
        say(whole->next, "is one of its seeds up? doyen watch shows when it is in");
    }
}

static bool is_not_in(const struct whole_facts *facts, struct whole *whole)
{
    if (facts->phase != PHASE_JOINING) {
        return false;
    }
    if (facts->turned_away != NULL) {
        say(whole->sentence, "this node is not in: %s", facts->turned_away);
        say(whole->next, "do what that says; doyen watch shows when it is in");
    } else if (facts->other_key != NULL) {
        say(whole->sentence, "this node is not in: %s", facts->other_key);
        say(whole->next, "give all nodes of a cluster the same --key; doyen keys on each shows it");
    } else {
        say_waiting(facts, whole);
    }
    return true;
}

static bool is_leaving(const struct whole_facts *facts, struct whole *whole)
{
    if (facts->phase != PHASE_LEAVING && facts->phase != PHASE_STOPPED) {
        return false;
    }
    say(whole->sentence,
        facts->phase == PHASE_LEAVING ? "this node is leaving" : "this node has left");
    say(whole->next, "nothing: it is leaving");
    return true;
}

/* --- Nobody acts, or two may ------------------------------------------------------------------ */

/* Of how many the guard is: of the voters, of the stated size, or of those whom this node knows. */
static uint32_t guard_of(const struct whole_facts *facts)
{
    const uint32_t known = facts->members + facts->missing;

    switch (facts->guard.guard.policy) {
    case GUARD_MAJORITY:
        return facts->guard.guard.count;
    case GUARD_STRICT:
        return facts->voters;
    case GUARD_NONE:
    case GUARD_COUNT:
        break;
    }
    return known > facts->guard.fresh ? known : facts->guard.fresh;
}

static const char *is_or_are(uint32_t count)
{
    return count == 1 ? "is" : "are";
}

static uint32_t voters_voting(const struct whole_facts *facts)
{
    return facts->voters_heard - facts->voters_lack;
}

/* Enough voters are heard, and lease to another, or answer nothing. */
static bool is_leased_elsewhere(const struct whole_facts *facts)
{
    return is_strict(facts) && voters_voting(facts) >= facts->guard.needed;
}

/* Voters that are heard may have no vote to give, or give it to another. */
static void say_voters_heard(const struct whole_facts *facts, struct whole *whole)
{
    say(whole->sentence, "nobody acts here: %" PRIu32 " of %" PRIu32 " voters %s heard",
        facts->voters_heard, facts->voters, is_or_are(facts->voters_heard));
    if (facts->voters_lack > 0) {
        say_more(whole->sentence, ", of whom %" PRIu32 " %s not vote (%s)", facts->voters_lack,
                 facts->voters_lack == 1 ? "does" : "do", facts->voter_lack);
    }
    if ((facts->coordinates && facts->guard.fresh < voters_voting(facts)) ||
        is_leased_elsewhere(facts)) {
        say_more(whole->sentence, ", %" PRIu32 " %s to this node", facts->guard.fresh,
                 facts->guard.fresh == 1 ? "leases" : "lease");
    }
}

/* A coordinator counts who answers it, and may hear more. */
static uint32_t heard_of(const struct whole_facts *facts)
{
    return facts->coordinates && facts->heard > facts->guard.fresh ? facts->heard
                                                                   : facts->guard.fresh;
}

static void say_guard_unmet(const struct whole_facts *facts, struct whole *whole)
{
    const uint32_t needed = facts->guard.needed;
    const uint32_t fresh = is_strict(facts) ? facts->voters_heard : heard_of(facts);
    const uint32_t of = guard_of(facts);
    const uint32_t ended = is_strict(facts) ? facts->voters_ended
                                            : facts->missing - facts->missing_alive;

    if (is_strict(facts)) {
        say_voters_heard(facts, whole);
    } else {
        say(whole->sentence, "nobody acts here: %" PRIu32 " of %" PRIu32 " members %s heard", fresh,
            of, is_or_are(fresh));
    }
    say_more(whole->sentence, ", %" PRIu32 " needed", needed);
    const uint32_t with_us = is_leased_elsewhere(facts) ? facts->guard.fresh : fresh;
    if (of >= with_us + ended + needed) { /* Whether they hear each other nobody here can know. */
        say_more(whole->sentence, "; %" PRIu32 " others may act, if they hear each other",
                 of - with_us - ended);
    }
    if (facts->split_missing > 0) {
        say_more(whole->sentence, "; may have split: %" PRIu32 " of %" PRIu32 " were lost at once",
                 facts->split_lost, facts->split_of);
    }
    if (is_leased_elsewhere(facts)) {
        say(whole->next, "wait a moment; if it lasts, mend the network: the voters lease to "
                         "another, or do not answer this node");
    } else if (is_strict(facts)) {
        say(whole->next,
            "start the voters that are down, or mend the network: %" PRIu32
            " have to be there, each with its record: doyen voters shows them",
            needed);
    } else {
        say(whole->next, "start %" PRIu32 " more, or mend the network",
            needed > fresh ? needed - fresh : 1);
    }
}

/* Can those whom this node hears not be as many as the guard asks for? What it hears is all that it
 * knows of where it does not hear the coordinator; where it does, that one may hear more. */
static bool is_guard_unmet(const struct whole_facts *facts)
{
    const bool may_hear_more = facts->reign == REIGN_UNKNOWN && !facts->coordinator_silent &&
                               !is_strict(facts);

    const uint32_t heard = is_strict(facts) ? facts->guard.fresh : heard_of(facts);

    return (may_hear_more ? facts->members : heard) < facts->guard.needed;
}

/* Enough are there, as far as this node knows. */
static void say_idle(const struct whole_facts *facts, struct whole *whole)
{
    say(whole->next, "wait a moment; if it lasts, doyen why tells what was seen");
    if (facts->coordinates && facts->heard <= 1) {
        say(whole->sentence,
            "nobody acts here: none of the %" PRIu32
            " others is heard by this node, which coordinates",
            facts->members - 1);
        say(whole->next, "doyen matrix shows who hears whom");
    } else if (facts->coordinates && facts->handed_over) {
        say(whole->sentence, "nobody acts here: this node has handed over, and nobody has taken "
                             "over yet");
    } else if (is_strict(facts)) {
        say(whole->sentence,
            "nobody acts here: %" PRIu32 " of %" PRIu32
            " voters %s heard, and %s, the oldest member, %s",
            facts->voters_heard, facts->voters, is_or_are(facts->voters_heard), facts->coordinator,
            facts->coordinates ? "does not have the leases of enough"
                               : "has not said that it acts");
        say(whole->next, "wait a moment; if it lasts, doyen voters shows who does not vote");
    } else if (facts->coordinates) {
        say(whole->sentence,
            "nobody acts here: this node coordinates, hears %" PRIu32 " of %" PRIu32
            " members, itself counted, and has answers of too few of them",
            facts->heard, facts->members);
        say(whole->next, "wait a moment; if it lasts, mend the network: questions or answers are "
                         "lost on the way");
    } else {
        say(whole->sentence, "nobody acts here: the coordinator %s says that it does not act",
            facts->coordinator);
    }
}

static bool nobody_acts(const struct whole_facts *facts, struct whole *whole)
{
    if (!is_in(facts) || facts->reign == REIGN_ACTING || facts->merging) {
        return false;
    }
    if (is_guard_unmet(facts)) {
        say_guard_unmet(facts, whole);
        return true;
    }
    if (facts->reign == REIGN_UNKNOWN && (!is_strict(facts) || facts->coordinator_silent)) {
        return false;
    }
    say_idle(facts, whole);
    return true;
}

/* May those who were lost act, under the guard? */
static const char *split_guard_text(const struct whole_facts *facts)
{
    switch (facts->guard.guard.policy) {
    case GUARD_NONE:
        return "they may act, too (guard none)";
    case GUARD_COUNT:
        return facts->split_missing >= facts->guard.needed
                   ? "they may act, too: they are as many as the guard asks for"
                   : "they are too few to act";
    case GUARD_MAJORITY:
    case GUARD_STRICT:
        return facts->guard.met ? "they cannot act: the majority is here"
                                : "they may act, if the majority is there";
    }
    return "they may act, too";
}

static bool may_have_split(const struct whole_facts *facts, struct whole *whole)
{
    char ago[SPAN_TEXT_MAX];

    if (!is_in(facts) || facts->split_missing == 0) {
        return false;
    }
    say(whole->sentence, "may have split: %" PRIu32 " of %" PRIu32 " were lost at once %s ago; ",
        facts->split_lost, facts->split_of, span_text(facts->split_ms, ago));
    if (facts->split_missing != facts->split_lost) { /* The others are back, or ended. */
        say_more(whole->sentence,
                 "%" PRIu32 " of them may be alive elsewhere: ", facts->split_missing);
    }
    say_more(whole->sentence, "%s", split_guard_text(facts));
    say(whole->next,
        "look at the network: the parts merge by themselves when it is whole; doyen why %s tells "
        "what was seen",
        named(facts->missing_name));
    return true;
}

static bool is_unheard(const struct whole_facts *facts, struct whole *whole)
{
    char span[SPAN_TEXT_MAX];

    if (!is_in(facts) || !facts->coordinator_silent) {
        return false;
    }
    if (facts->coordinator_heard_ms == NEVER_MS) {
        say(whole->sentence, "coordinator %s was not heard yet", facts->coordinator);
    } else {
        say(whole->sentence, "coordinator %s, not heard for %s", facts->coordinator,
            span_text(facts->coordinator_heard_ms, span));
    }
    say(whole->next, "doyen matrix shows who hears whom, doyen why the evidence");
    return true;
}

static bool is_behind(const struct whole_facts *facts, struct whole *whole)
{
    if (!is_in(facts) || !facts->behind) {
        return false;
    }
    say(whole->sentence, "this node is behind: it does not get the view that the others hold");
    say(whole->next, BEHIND_NEXT);
    return true;
}

static bool is_merging(const struct whole_facts *facts, struct whole *whole)
{
    if (!is_in(facts) || !facts->merging) {
        return false;
    }
    say(whole->sentence, "this part is being absorbed by another, and nobody in it acts meanwhile");
    say(whole->next, "nothing: doyen watch shows when it is done");
    return true;
}

/* --- Warnings -------------------------------------------------------------------------------- */

/* A record that looks sound is never given up for another (Z11e). */
static const char *remedy_for(const struct whole_facts *facts)
{
    if (facts->voters_lack == 0) {
        return "start it, or have another member vote: doyen voters replace NAME WITH";
    }
    return strcmp(facts->voter_lack, VOTER_OLDER_TEXT) == 0
               ? "have another member vote: doyen voters replace NAME WITH; or stop it, remove its "
                 "file voter, start it, and doyen voters replace NAME"
               : "doyen voters replace NAME gives it another record";
}

/* Where too few vote, who coordinates acts by the leases that it has had. */
static const char *what_may_be_lost(const struct whole_facts *facts, uint32_t votes)
{
    if (votes < facts->guard.needed && facts->coordinates) {
        return ": too few, and this node acts no longer than its lease lasts";
    }
    return votes <= facts->guard.needed ? ": no further one can be lost" : "";
}

static bool voters_lack(const struct whole_facts *facts, struct whole *whole)
{
    const uint32_t missing = facts->voters - facts->voters_heard;
    const uint32_t votes = facts->voters_heard - facts->voters_lack;

    if (!is_in(facts) || votes == facts->voters) {
        return false;
    }
    if (facts->voters_lack > 0) {
        say(whole->sentence, "%" PRIu32 " of %" PRIu32 " voters %s not vote (%s)",
            facts->voters_lack, facts->voters, facts->voters_lack == 1 ? "does" : "do",
            facts->voter_lack);
        if (missing > 0) {
            say_more(whole->sentence, ", %" PRIu32 " %s not heard", missing,
                     missing == 1 ? "is" : "are");
        }
    } else {
        say(whole->sentence, "%" PRIu32 " of %" PRIu32 " voters %s heard, %" PRIu32 " needed",
            facts->voters_heard, facts->voters, facts->voters_heard == 1 ? "is" : "are",
            facts->guard.needed);
    }
    say_more(whole->sentence, "%s", what_may_be_lost(facts, votes));
    say(whole->next, "doyen voters shows which; %s", remedy_for(facts));
    return true;
}

static bool has_bad_link(const struct whole_facts *facts, struct whole *whole)
{
    if (!is_in(facts) || facts->bad_links == 0) {
        return false;
    }
    if (facts->bad_links == 1 && facts->bad_link != NULL) {
        say(whole->sentence, "a link is bad: %s", facts->bad_link);
    } else {
        say(whole->sentence, "%" PRIu32 " links are bad", facts->bad_links);
    }
    say(whole->next, "doyen matrix shows the links that are bad");
    return true;
}

static bool has_member_behind(const struct whole_facts *facts, struct whole *whole)
{
    if (!is_in(facts) || facts->members_behind == 0) {
        return false;
    }
    if (facts->members_behind == 1) {
        say(whole->sentence, "%s is behind: it does not get the present view",
            facts->member_behind);
    } else {
        say(whole->sentence,
            "%" PRIu32 " of %" PRIu32 " members are behind: they do not get the present view",
            facts->members_behind, facts->members);
    }
    say(whole->next, BEHIND_NEXT);
    return true;
}

/* Suspected, or silent already. */
static bool has_suspect(const struct whole_facts *facts, struct whole *whole)
{
    const uint32_t count = facts->suspects > 0 ? facts->suspects : facts->silent;
    const char *name = facts->suspects > 0 ? facts->suspect : facts->silent_name;
    const char *word = facts->suspects > 0 ? "suspected" : "silent";

    if (!is_in(facts) || count == 0) {
        return false;
    }
    if (count == 1 && name != NULL) {
        say(whole->sentence, "%s is %s", name, word);
    } else {
        say(whole->sentence, "%" PRIu32 " of %" PRIu32 " members are %s", count, facts->members,
            word);
    }
    say(whole->next, "doyen why %s tells the evidence", named(name));
    return true;
}

static bool is_starved(const struct whole_facts *facts, struct whole *whole)
{
    if (!is_in(facts) || facts->starved == 0) {
        return false;
    }
    say(whole->sentence,
        "%" PRIu64 " connections of this node were given up: no file descriptors left for them",
        facts->starved);
    say(whole->next, "start it anew with a higher limit of file descriptors (ulimit -n)");
    return true;
}

/* May any of those who are missing act elsewhere, without the others? */
static bool may_act_alone(const struct whole_facts *facts)
{
    return facts->guard.guard.policy == GUARD_NONE;
}

/* A few by name, and more by their number and the latest of them. */
static void say_who_is_missing(const struct whole_facts *facts, struct whole *whole)
{
    const uint32_t count = facts->missing;
    char ago[SPAN_TEXT_MAX];

    span_text(facts->missing_ms, ago);
    if (count > WHOLE_NAMED_MAX) {
        say_more(whole->sentence, "%" PRIu32 " failed, %s as the latest %s ago", count,
                 facts->missing_name, ago);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        say_more(whole->sentence, "%s%s",
                 i == 0           ? ""
                 : i + 1 == count ? " and "
                                  : ", ",
                 facts->missing_names[i]);
    }
    if (count == 1 && facts->missing_behind) {
        say_more(whole->sentence, " was removed because it is behind %s ago", ago);
    } else {
        say_more(whole->sentence, " failed%s %s ago", count > 1 ? ", the latest" : "", ago);
    }
}

static void say_if_alive(const struct whole_facts *facts, struct whole *whole)
{
    if (facts->missing_alive < facts->missing) { /* The others are known to have ended. */
        say_more(whole->sentence, "; %" PRIu32 " of them may be alive, and act, too (guard none)",
                 facts->missing_alive);
    } else {
        say_more(whole->sentence, "; if alive, %s may act, too (guard none)",
                 facts->missing > 1 ? "they" : "it");
    }
}

static bool has_missing(const struct whole_facts *facts, struct whole *whole)
{
    const uint32_t total = facts->members + facts->missing;
    const bool spare = facts->guard.needed == 0 || is_strict(facts) ||
                       facts->guard.fresh > facts->guard.needed;

    if (!is_in(facts) || facts->missing == 0) {
        return false;
    }
    say(whole->sentence, "%" PRIu32 " of %" PRIu32 " %s here: ", facts->members, total,
        is_or_are(facts->members));
    say_who_is_missing(facts, whole);
    say_more(whole->sentence, "%s", spare ? "" : "; not one more can be lost");
    if (facts->missing_alive > 0 && may_act_alone(facts)) {
        say_if_alive(facts, whole);
    }
    say(whole->next, "doyen why %s tells why it is gone", named(facts->missing_name));
    return true;
}

static bool is_blocked(const struct whole_facts *facts, struct whole *whole)
{
    if (!is_in(facts) || facts->way == NULL) {
        return false;
    }
    say(whole->sentence, "%s", facts->way);
    say(whole->next, "%s", facts->way_next);
    return true;
}

static bool is_healthy(const struct whole_facts *facts, struct whole *whole)
{
    say(whole->sentence, "healthy: %" PRIu32 " of %" PRIu32, facts->members, facts->members);
    say(whole->next, "nothing; doyen watch shows changes");
    return true;
}

/* --- All of them ----------------------------------------------------------------------------- */

/* In the order of the enum: of those that hold the first is told. */
static const struct row {
    const char *word;
    enum whole_severity severity;
    bool (*holds)(const struct whole_facts *facts, struct whole *whole); /* then it has said so */
} rows[WHOLE_STATES] = {
    [WHOLE_ADDRESS_GONE] = {"address gone", WHOLE_BAD, is_address_gone},
    [WHOLE_NOT_IN] = {"not in", WHOLE_BAD, is_not_in},
    [WHOLE_NOBODY_ACTS] = {"nobody acts", WHOLE_BAD, nobody_acts},
    [WHOLE_SPLIT] = {"split", WHOLE_BAD, may_have_split},
    [WHOLE_UNHEARD] = {"unheard", WHOLE_BAD, is_unheard},
    [WHOLE_BEHIND] = {"behind", WHOLE_BAD, is_behind},
    [WHOLE_LEAVING] = {"leaving", WHOLE_WARNING, is_leaving},
    [WHOLE_MERGING] = {"merging", WHOLE_WARNING, is_merging},
    [WHOLE_VOTERS_LACKING] = {"voters lacking", WHOLE_WARNING, voters_lack},
    [WHOLE_BAD_LINK] = {"bad link", WHOLE_WARNING, has_bad_link},
    [WHOLE_MEMBER_BEHIND] = {"member behind", WHOLE_WARNING, has_member_behind},
    [WHOLE_SUSPECT] = {"suspect", WHOLE_WARNING, has_suspect},
    [WHOLE_STARVED] = {"starved", WHOLE_WARNING, is_starved},
    [WHOLE_MISSING] = {"missing", WHOLE_WARNING, has_missing},
    [WHOLE_BLOCKED] = {"blocked", WHOLE_WARNING, is_blocked},
    [WHOLE_HEALTHY] = {"healthy", WHOLE_GOOD, is_healthy},
};

/* May it come of a way that is not whole, or of faults that somebody injected? */
static bool may_come_of_a_way(enum whole_state state)
{
    switch (state) {
    case WHOLE_NOT_IN:
    case WHOLE_NOBODY_ACTS:
    case WHOLE_SPLIT:
    case WHOLE_UNHEARD:
    case WHOLE_BEHIND:
    case WHOLE_VOTERS_LACKING:
    case WHOLE_BAD_LINK:
    case WHOLE_MEMBER_BEHIND:
    case WHOLE_SUSPECT:
    case WHOLE_MISSING:
        return true;
    case WHOLE_ADDRESS_GONE:
    case WHOLE_LEAVING:
    case WHOLE_MERGING:
    case WHOLE_STARVED:
    case WHOLE_BLOCKED:
    case WHOLE_HEALTHY:
    case WHOLE_STATES:
        return false;
    }
    return false;
}

/* Faults are easily forgotten, and then a riddle: nothing is said without them, and what they may
 * have caused is mended by their end. */
static void say_faults(const struct whole_facts *facts, struct whole *whole)
{
    const bool healthy = whole->state == WHOLE_HEALTHY || whole->state == WHOLE_BLOCKED;

    say_more(whole->sentence, "; %" PRIu32 " fault%s %s in force here on purpose", facts->faults,
             facts->faults == 1 ? "" : "s", is_or_are(facts->faults));
    if (healthy || may_come_of_a_way(whole->state)) {
        say(whole->next, "doyen fault clear ends the %s", facts->faults == 1 ? "fault" : "faults");
    }
}

void whole_judge(const struct whole_facts *facts, struct whole *whole)
{
    const uint32_t votes = facts->voters_heard - facts->voters_lack;
    const uint32_t needed = facts->voters / 2 + 1;

    *whole = (struct whole){.voters = facts->voters,
                            .spare = votes > needed ? votes - needed : 0,
                            .heard = facts->voters_heard,
                            .lacking = facts->voters_lack,
                            .waiting = facts->voters_asked};
    for (int i = 0; i < WHOLE_STATES && !rows[i].holds(facts, whole); i++) {
        whole->state = (enum whole_state)(i + 1); /* The last one always holds. */
    }
    whole->severity = rows[whole->state].severity;
    if (facts->faults > 0) {
        say_faults(facts, whole);
    } else if (facts->way != NULL && may_come_of_a_way(whole->state)) {
        say_more(whole->sentence, "; %s", facts->way);
        say(whole->next, "%s", facts->way_next);
    }
}

const char *whole_state_text(enum whole_state state)
{
    return rows[state].word;
}

enum whole_severity whole_severity(enum whole_state state)
{
    return rows[state].severity;
}

const char *whole_severity_text(enum whole_severity severity)
{
    switch (severity) {
    case WHOLE_BAD:
        return "bad";
    case WHOLE_WARNING:
        return "warning";
    case WHOLE_GOOD:
        return "good";
    }
    return "bad";
}

/* Views that are made up: as all members know it, but for a few things. */
#include <stdio.h>
#include <string.h>

#include "liar_parts.h"

enum { TWISTS_MAX = 3 };

void lie_name_member(struct member *member, const struct host *host)
{
    member->id = host->witness.life;
    member->address = host->address;
    memcpy(member->name, host->name, sizeof member->name);
}

static void twist_version(struct teller *teller, struct view *view)
{
    view->version = lie_leap(teller, view->version);
}

static void twist_epoch(struct teller *teller, struct view *view)
{
    view->epoch = lie_leap(teller, view->epoch);
}

static void twist_next_age(struct teller *teller, struct view *view)
{
    view->next_age = lie_leap(teller, view->next_age);
}

static void twist_ages(struct teller *teller, struct view *view)
{
    uint64_t step = lie_leap(teller, 0);

    for (uint32_t i = (uint32_t)draw(teller, 0, view->member_count - 1); i < view->member_count;
         i++) {
        view->members[i].age += step;
    }
}

static void twist_alone(struct teller *teller, struct view *view)
{
    (void)teller;
    view->member_count = 1;
}

static void twist_lack(struct teller *teller, struct view *view)
{
    uint32_t at = (uint32_t)draw(teller, 0, view->member_count - 1);

    if (view->member_count > 1) {
        view->member_count--;
        memmove(&view->members[at], &view->members[at + 1],
                (view->member_count - at) * sizeof view->members[0]);
    }
}

static void twist_invent(struct teller *teller, struct view *view)
{
    uint64_t more = draw(teller, 1, 12);

    for (; more > 0 && view->member_count < view->capacity; more--) {
        struct member *member = &view->members[view->member_count++];
        memset(member, 0, sizeof *member);
        member->id = lie_fresh_id(teller);
        member->address = lie_any_address(teller);
        member->age = view->next_age++;
        snprintf(member->name, sizeof member->name, "nobody%u", view->member_count);
    }
}

static void twist_rename(struct teller *teller, struct view *view)
{
    struct member *member = &view->members[draw(teller, 0, view->member_count - 1)];

    if (chance(teller, 2)) {
        member->id = lie_any_id(teller);
    } else if (chance(teller, 2)) {
        member->address = lie_any_address(teller);
    } else {
        snprintf(member->name, sizeof member->name, "%s", lie_any_running(teller)->name);
    }
}

static void twist_lineage(struct teller *teller, struct view *view)
{
    view->lineage = lie_any_lineage(teller);
}

static void twist_merge(struct teller *teller, struct view *view)
{
    view->cause = CAUSE_MERGE;
    view->merged = chance(teller, 2) ? lie_known_id(teller) : lie_any_view_id(teller);
    view->epoch += draw(teller, 0, 1);
    if (chance(teller, 2)) {
        view->lineage = lie_any_lineage(teller);
    }
}

static void twist_drained(struct teller *teller, struct view *view)
{
    view->members[draw(teller, 0, view->member_count - 1)].drained = true;
}

static uint64_t any_duration(struct teller *teller, uint64_t least, uint64_t most)
{
    switch (draw(teller, 0, 2)) {
    case 0:
        return most;
    case 1:
        return least + draw(teller, 0, 5);
    default:
        return draw(teller, least, most);
    }
}

struct rules lie_any_rules(struct teller *teller)
{
    const struct sim *sim = teller->sim;
    struct rules rules = {.guard = {.policy = GUARD_NONE}, .profile = sim->options.profile};
    const bool kept = chance(teller, 4);

    rules.heartbeat_ms = kept
                             ? sim->timing.heartbeat_ms
                             : any_duration(teller, RULES_HEARTBEAT_MS_MIN, RULES_HEARTBEAT_MS_MAX);
    rules.lost_ms = kept ? sim->timing.lost_ms
                         : any_duration(teller, 4 * rules.heartbeat_ms, RULES_LOST_MS_MAX);
    rules.capacity = chance(teller, 2) ? sim->options.capacity
                                       : (uint32_t)draw(teller, 1, sim->options.capacity);
    if (chance(teller, 2)) {
        rules.guard.policy = chance(teller, 2) ? GUARD_COUNT : GUARD_MAJORITY;
        rules.guard.count = (uint32_t)draw(teller, 1, rules.capacity);
    }
    const struct timing timing = rules_timing(&rules);

    rules.lost_ms = timing.lost_ms;
    return rules;
}

uint64_t lie_any_terms_number(struct teller *teller, uint64_t number)
{
    switch (draw(teller, 0, 3)) {
    case 0:
        return COUNTER_MAX - draw(teller, 0, 3);
    case 1:
        return lie_leap(teller, number);
    default:
        return number + draw(teller, 1, 20);
    }
}

/* A1 to A5: all that a view says of terms that were changed. */
static void twist_terms(struct teller *teller, struct view *view)
{
    struct agreed *agreed = &view->agreed;

    *agreed = (struct agreed){.now = lie_any_rules(teller),
                              .number = lie_any_terms_number(teller, view->agreed.number),
                              .origin = chance(teller, 2) ? view->agreed.origin
                                                          : random_u64(teller->random),
                              .room = teller->sim->options.capacity,
                              .joint = chance(teller, 3)};
    if (agreed->joint) {
        agreed->before = lie_any_rules(teller);
    }
    agreed->room += chance(teller, 8);
}

static void twist_cause(struct teller *teller, struct view *view)
{
    view->cause = (enum view_cause)draw(teller, CAUSE_FOUND, CAUSE_HANDOVER);
    view->parent = lie_any_view_id(teller);
}

static void twist_gone(struct teller *teller, struct view *view)
{
    if (view->gone_count < GONE_MAX) {
        struct gone *gone = &view->gone[view->gone_count++];
        const struct host *host = lie_any_running(teller);
        *gone = (struct gone){.address = host->address, .reason = GONE_FAILED};
        gone->id = chance(teller, 2) ? host->witness.life : lie_any_id(teller);
        gone->age = 1 + lie_leap(teller, view->next_age) / 2;
        memcpy(gone->name, host->name, sizeof gone->name);
    }
}

struct node_id lie_any_record(struct teller *teller)
{
    const struct voter_lists *lists = &teller->known->voters;

    return lists->count > 0 && !chance(teller, 4)
               ? lists->voters[draw(teller, 0, lists->count - 1)].record
               : lie_any_id(teller);
}

/* Z10, Z11: other voters, other lists, or another record under a name. */
static void twist_voters(struct teller *teller, struct view *view)
{
    struct voter_lists *lists = &view->voters;
    const struct host *host = lie_any_running(teller);

    if (lists->count == 0) {
        lists->number = 1;
        lists->voters[lists->count++] = (struct listed_voter){.now = true};
    }
    struct listed_voter *voter = &lists->voters[draw(teller, 0, lists->count - 1)];
    switch (draw(teller, 0, 4)) {
    case 0:
        voter->record = lie_any_record(teller);
        break;
    case 1:
        memcpy(voter->name, host->name, sizeof voter->name);
        voter->record = lie_any_id(teller);
        break;
    case 2:
        voter->before = !voter->before;
        voter->now = voter->now || !voter->before;
        break;
    case 3:
        lists->count = (uint8_t)draw(teller, 1, lists->count);
        break;
    default:
        lists->number = lie_leap(teller, lists->number) / 2 + 1;
        break;
    }
    for (uint8_t i = 0; i < lists->count; i++) {
        if (lists->voters[i].name[0] == '\0') {
            memcpy(lists->voters[i].name, host->name, sizeof lists->voters[i].name);
        }
        if (id_is_none(&lists->voters[i].record)) {
            lists->voters[i].record = lie_fresh_id(teller);
        }
    }
}

static void twist(struct teller *teller, struct view *view)
{
    static void (*const twists[])(struct teller *, struct view *) = {
        twist_version, twist_epoch, twist_next_age, twist_next_age, twist_ages,
        twist_alone,   twist_lack,  twist_invent,   twist_rename,   twist_lineage,
        twist_merge,   twist_merge, twist_drained,  twist_cause,    twist_gone,
        twist_terms,   twist_terms, twist_voters,   twist_voters};

    const bool of_numbers = teller->to_limits && !chance(teller, 4); /* The first three. */
    twists[draw(teller, 0, of_numbers ? 2 : sizeof twists / sizeof twists[0] - 1)](teller, view);
}

/* As all members know it, but one version higher. */
static struct view *begin_view(struct teller *teller)
{
    struct view *view = &teller->liar->view;

    view_clear(view);
    if (teller->known->member_count > 0) {
        view_copy(view, teller->known);
    } else {
        view->member_count = 1;
        memset(&view->members[0], 0, sizeof view->members[0]);
        lie_name_member(&view->members[0], teller->to);
        view->members[0].age = 1;
        view->lineage = random_u64(teller->random);
        view->epoch = 1;
        view->next_age = 2;
    }
    view->parent = view_id_of(view);
    memset(&view->merged, 0, sizeof view->merged);
    view->cause = CAUSE_CHANGE;
    view->version++;
    return view;
}

/* The host's member becomes the first, the ages stay in their places. */
static void put_first(struct view *view, const struct host *host)
{
    uint32_t at = 0;

    while (at < view->member_count && !id_equal(&view->members[at].id, &host->witness.life)) {
        at++;
    }
    if (at == view->member_count) {
        at = 0;
        lie_name_member(&view->members[0], host);
    }
    struct member first = view->members[at];
    for (uint32_t i = at; i > 0; i--) {
        uint64_t age = view->members[i].age;
        view->members[i] = view->members[i - 1];
        view->members[i].age = age;
    }
    first.age = view->members[0].age;
    view->members[0] = first;
}

/* Mostly such that it is sound, and always such that it has a form on the wire. */
static struct view *end_view(struct teller *teller, struct view *view)
{
    for (uint32_t i = 0; i < view->member_count; i++) {
        view->members[i].age += view->members[i].age == 0; /* It went beyond 2^64. */
    }
    uint64_t youngest = view->members[view->member_count - 1].age;
    struct member *marked = &view->members[draw(teller, 0, view->member_count - 1)];

    view->next_age = view->next_age > youngest ? view->next_age : youngest + 1;
    marked->incarnation = MARK + teller->liar->told;
    view_seal(view);
    liar_remember(teller->liar, view->hash, teller->stranger);
    return view;
}

struct view *lie_make_view(struct teller *teller, const struct host *first)
{
    struct view *view = begin_view(teller);

    for (uint64_t left = draw(teller, 1, TWISTS_MAX); left > 0; left--) {
        twist(teller, view);
    }
    if (first != NULL) {
        put_first(view, first);
    }
    return end_view(teller, view);
}

const struct host *lie_some_maker(struct teller *teller)
{
    bool own = teller->from != NULL && !chance(teller, 4);

    return own ? teller->from : chance(teller, 2) ? lie_any_running(teller) : NULL;
}

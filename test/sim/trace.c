#include "trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "cluster.h"

static const char *news_text(enum link_news news)
{
    static const char *const texts[] = {
        [LINK_OPENED] = "opened",     [LINK_CLOSED] = "closed", [LINK_REFUSED] = "refused",
        [LINK_STRANGER] = "stranger", [LINK_FAILED] = "failed", [LINK_KERNEL] = "kernel answers",
    };
    return texts[news];
}

static const char *notice_text(enum notice_type type)
{
    static const char *const texts[SIM_NOTICE_COUNT] = {
        [NOTICE_PHASE] = "phase",
        [NOTICE_VIEW] = "view",
        [NOTICE_JOINED] = "joined",
        [NOTICE_GONE] = "gone",
        [NOTICE_COORDINATOR] = "coordinator",
        [NOTICE_SUSPECT] = "suspect",
        [NOTICE_CLEARED] = "cleared",
        [NOTICE_GUARD] = "guard",
        [NOTICE_ACTING] = "acting",
        [NOTICE_LATE] = "late",
        [NOTICE_CLAIM] = "claim",
        [NOTICE_BAD_LINK] = "vouched",
        [NOTICE_JOIN_REFUSED] = "join-refused",
        [NOTICE_TURNED_AWAY] = "turned-away",
        [NOTICE_MISMATCH] = "mismatch",
        [NOTICE_SPLIT] = "split",
        [NOTICE_MERGE] = "merge",
        [NOTICE_MERGING] = "merging",
        [NOTICE_OTHER_TERMS] = "other terms",
        [NOTICE_LEADER] = "leader",
        [NOTICE_PARTITIONS] = "partitions",
        [NOTICE_TAGS] = "tags",
        [NOTICE_DRAINED] = "drained",
        [NOTICE_FORGOTTEN] = "forgotten",
        [NOTICE_ADDRESS] = "address",
        [NOTICE_OWNERS] = "owners",
        [NOTICE_AUTOPILOT] = "voters-wish",
        [NOTICE_OLD_RECORD] = "old-record",
    };
    return texts[type];
}

static void print_host(const struct sim *sim, uint32_t index)
{
    char letter[LETTER_BYTES];
    fputs(index == SIM_NOBODY ? "?" : host_letter(index, letter), sim->options.trace);
}

static void print_life(const struct sim *sim, const struct node_id *id)
{
    if (id_is_none(id)) {
        fputs("anybody", sim->options.trace);
        return;
    }
    print_host(sim, oracle_host_of(&sim->oracle, id));
    fprintf(sim->options.trace, ":%02x%02x", id->bytes[0], id->bytes[1]);
}

static void print_time(const struct sim *sim)
{
    fprintf(sim->options.trace, "%6" PRIu64 ".%03" PRIu64 " ", sim->now_us / 1000,
            sim->now_us % 1000);
}

static void print_view_id(const struct sim *sim, const struct view_id *id)
{
    fprintf(sim->options.trace, " e%" PRIu64 " v%" PRIu64 " of ", id->epoch, id->version);
    print_life(sim, &id->coordinator);
}

/* In the list that is left "-", in the new one "+", in both or in the only one nothing. */
static void print_voters(const struct sim *sim, const struct voter_lists *lists)
{
    const bool joint = voter_lists_are_joint(lists);

    fprintf(sim->options.trace, " voters %" PRIu64, lists->number);
    for (uint8_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        fprintf(sim->options.trace, " %s%s:%02x%02x",
                !voter->now               ? "-"
                : joint && !voter->before ? "+"
                                          : "",
                voter->name, voter->record.bytes[0], voter->record.bytes[1]);
    }
}

static void print_view(const struct sim *sim, const struct view *view)
{
    if (view != NULL && view_is_of_founders(view)) {
        print_voters(sim, &view->voters);
        return;
    }
    if (view == NULL || view_is_empty(view)) {
        fputs(" no view", sim->options.trace);
        return;
    }
    struct view_id id = view_id_of(view);
    print_view_id(sim, &id);
    fputs(" [", sim->options.trace);
    for (uint32_t i = 0; i < view->member_count; i++) {
        fputs(i == 0 ? "" : " ", sim->options.trace);
        print_life(sim, &view->members[i].id);
    }
    fprintf(sim->options.trace, "] of %04x", (unsigned)(view->lineage >> 48));
    if (view->agreed.number != 0) {
        const struct agreed *agreed = &view->agreed;
        fprintf(sim->options.trace, " terms %" PRIu64 " from %04x room %u%s guard %u heartbeat %u",
                agreed->number, (unsigned)(agreed->origin >> 48), agreed->room,
                agreed->joint ? " joint" : "", guard_asks(&agreed->now.guard).needed,
                (unsigned)agreed->now.heartbeat_ms);
    }
    if (view->voters.count > 0) {
        print_voters(sim, &view->voters);
    }
}

static void print_wish(const struct sim *sim, const struct wish *wish)
{
    FILE *out = sim->options.trace;

    switch (wish->kind) {
    case WISH_LEAVE:
        fputs(" to leave", out);
        break;
    case WISH_MOVE:
        fprintf(out, " move %d ", (int)wish->move.kind);
        print_life(sim, &wish->move.subject);
        break;
    case WISH_TAGS:
        fprintf(out, " tags, bytes %u", wish->tags.length);
        break;
    case WISH_TERMS:
        fprintf(out, " terms, from number %" PRIu64, wish->terms.number);
        break;
    }
}

static void print_heartbeat(const struct sim *sim, const struct heartbeat *heartbeat)
{
    FILE *out = sim->options.trace;

    print_view_id(sim, &heartbeat->view);
    fprintf(out, "%s%s%s%s", heartbeat->late ? " late" : "", heartbeat->acting ? " acting" : "",
            heartbeat->handed_over ? " handed-over" : "", heartbeat->asks ? " asks" : "");
    for (unsigned i = 0; i < heartbeat->suspect_count; i++) {
        fprintf(out, " suspects %" PRIu64 "/%d", heartbeat->suspects[i].age,
                (int)heartbeat->suspects[i].verdict);
    }
}

static void print_vote(FILE *out, const struct view_carrier *carrier)
{
    const struct vote_answer *vote = &carrier->vote;

    fprintf(out,
            " record %02x%02x kind %d result %d epoch %" PRIu64 " promised %" PRIu64
            " wait %" PRIu64,
            vote->record.bytes[0], vote->record.bytes[1], (int)vote->kind, (int)vote->result,
            carrier->epoch, vote->promised, vote->wait_ms);
}

static void print_role(FILE *out, const struct role_word *role)
{
    fprintf(out,
            " epoch %" PRIu64 " stamp %" PRIu64 " of %02x%02x number %" PRIu64 " token %" PRIu64
            " order %d%s",
            role->epoch, role->stamp, role->entry.request.bytes[0], role->entry.request.bytes[1],
            role->entry.number, role->entry.token, (int)role->order, role->flag ? " yes" : "");
}

static void print_message(const struct sim *sim, const struct message *message)
{
    FILE *out = sim->options.trace;

    fprintf(out, "%s", message_text(message->type));
    switch (message->type) {
    case MESSAGE_HEARTBEAT:
        print_heartbeat(sim, &message->heartbeat);
        break;
    case MESSAGE_ACK:
    case MESSAGE_NACK:
    case MESSAGE_NOT_FOLLOWING:
    case MESSAGE_COMMIT:
        print_view_id(sim, &message->reference.view);
        fprintf(out, " promised %" PRIu64, message->reference.promised);
        break;
    case MESSAGE_VIEW:
    case MESSAGE_PREPARE:
    case MESSAGE_HANDOVER:
    case MESSAGE_MERGE:
        fprintf(out, " epoch %" PRIu64, message->carrier.epoch);
        print_view(sim, message->carrier.view);
        fputs(message->carrier.stays ? " stays" : "", out);
        break;
    case MESSAGE_PING:
    case MESSAGE_PONG:
        fputs(" about ", out);
        print_life(sim, &message->ping.subject);
        break;
    case MESSAGE_PROBE:
        print_view_id(sim, &message->probe.view);
        fprintf(out, " holders %u%s", message->probe.holders,
                message->probe.answer ? " answer" : "");
        break;
    case MESSAGE_MERGE_REFUSED:
        fprintf(out, " reason %d", (int)message->merge_refused.reason);
        break;
    case MESSAGE_JOIN_REFUSED:
        fprintf(out, " reason %d", (int)message->join_refused.reason);
        break;
    case MESSAGE_JOIN:
    case MESSAGE_READY:
        fprintf(out, " %s hops %u%s", message->joiner.member.name, message->joiner.hops,
                message->joiner.may_found ? " may-found" : "");
        break;
    case MESSAGE_CLAIM:
        if (message->carrier.view == NULL) {
            print_view_id(sim, &message->carrier.named.view);
        }
        fprintf(out, " epoch %" PRIu64, message->carrier.epoch);
        break;
    case MESSAGE_VOTE:
        print_vote(out, &message->carrier);
        break;
    case MESSAGE_ROLES_ASK:
    case MESSAGE_ROLES_ENTER:
    case MESSAGE_ROLES_LET_GO:
    case MESSAGE_ROLES_ANSWER:
    case MESSAGE_ROLES_PLACE:
        print_role(out, &message->role);
        break;
    case MESSAGE_WISH:
        print_wish(sim, &message->wish);
        break;
    case MESSAGE_PULL:
    case MESSAGE_OFFER:
    case MESSAGE_HELLO:
        break;
    }
}

static void print_event(const struct sim *sim, const struct host *host, const struct event *event)
{
    FILE *out = sim->options.trace;

    print_time(sim);
    print_host(sim, host_index(sim, host));
    switch (event->type) {
    case EVENT_TICK:
        fputs("    tick", out);
        break;
    case EVENT_MESSAGE:
        fputs(" <- ", out);
        print_life(sim, &event->message->from);
        fputs(event->message->fellow ? " fellow " : " ", out);
        print_message(sim, event->message);
        break;
    case EVENT_LINK:
        fputs(" .. ", out);
        print_life(sim, &event->link.peer);
        fprintf(out, " link %s", news_text(event->link.news));
        break;
    case EVENT_ADDRESSES:
        fprintf(out, "    %u addresses%s", event->addresses.count,
                event->addresses.source == ADDRESSES_SEEDS ? "" : " remembered");
        break;
    case EVENT_LEAVE:
        fputs("    leave", out);
        break;
    case EVENT_SYNCED:
        fprintf(out, "    synced %" PRIu64 "%s", event->synced.number,
                event->synced.ok ? "" : " failed");
        break;
    case EVENT_MOVE:
        fprintf(out, "    move %d ", (int)event->move.kind);
        print_life(sim, &event->move.subject);
        break;
    case EVENT_WITHDRAWN:
        fputs("    withdrawn", out);
        break;
    case EVENT_TAGS:
        fprintf(out, "    tags, bytes %u", event->tags->length);
        break;
    case EVENT_TERMS:
        fprintf(out, "    terms, from number %" PRIu64, event->wish->number);
        break;
    case EVENT_ROLE:
        fprintf(out, "    role wish %d %s of %02x%02x", (int)event->role->wish, event->role->role,
                event->role->request.bytes[0], event->role->request.bytes[1]);
        break;
    }
    fputc('\n', out);
}

static void print_notice(const struct sim *sim, const struct host *host,
                         const struct notice *notice)
{
    FILE *out = sim->options.trace;

    fprintf(out, "%s ", notice_text(notice->type));
    switch (notice->type) {
    case NOTICE_PHASE:
        fprintf(out, "%d reason %d", (int)notice->phase, (int)notice->reason);
        break;
    case NOTICE_VIEW:
        fprintf(out, "cause %d", (int)notice->cause);
        print_view(sim, core_view(host->core));
        break;
    case NOTICE_GONE:
        print_life(sim, &notice->gone.id);
        fprintf(out, " reason %d verdict %d", (int)notice->gone.reason, (int)notice->gone.verdict);
        break;
    case NOTICE_SUSPECT:
    case NOTICE_CLEARED:
        print_life(sim, &notice->subject.id);
        fprintf(out, " verdict %d silent %" PRIu64, (int)notice->verdict, notice->silent_ms);
        break;
    case NOTICE_GUARD:
    case NOTICE_DRAINED:
    case NOTICE_MERGING:
    case NOTICE_ACTING:
        fprintf(out, "%s", notice->on ? "on" : "off");
        break;
    case NOTICE_SPLIT:
        fprintf(out, "%u of %u", notice->count, notice->needed);
        break;
    case NOTICE_MERGE:
        fprintf(out, "apart %" PRIu64 " ms%s", notice->apart_ms, notice->lost ? ", lost" : "");
        break;
    case NOTICE_LATE:
        fprintf(out, "%" PRIu64 " ms", notice->silent_ms);
        break;
    case NOTICE_CLAIM:
        print_life(sim, &notice->subject.id);
        fprintf(out, " step %d epoch %" PRIu64, (int)notice->claim, notice->epoch);
        break;
    case NOTICE_JOIN_REFUSED:
    case NOTICE_TURNED_AWAY:
    case NOTICE_OTHER_TERMS:
        fprintf(out, "%s reason %d", notice->subject.name, (int)notice->refused.reason);
        break;
    case NOTICE_JOINED:
    case NOTICE_COORDINATOR:
    case NOTICE_BAD_LINK:
    case NOTICE_MISMATCH:
    case NOTICE_LEADER:
    case NOTICE_PARTITIONS:
    case NOTICE_TAGS:
    case NOTICE_FORGOTTEN:
    case NOTICE_ADDRESS:
    case NOTICE_OWNERS:
    case NOTICE_AUTOPILOT:
    case NOTICE_OLD_RECORD:
        print_life(sim, &notice->subject.id);
        break;
    }
}

static void print_effect(struct sim *sim, const struct host *host, const struct effect *effect)
{
    FILE *out = sim->options.trace;

    fputs("             ", out);
    switch (effect->type) {
    case EFFECT_SEND: {
        const struct host *to = host_at(sim, &effect->address);
        fputs("-> ", out);
        print_host(sim, to == NULL ? SIM_NOBODY : host_index(sim, to));
        fputs(" ", out);
        print_message(sim, effect->message);
        break;
    }
    case EFFECT_LINK_OPEN:
        fputs("   hold lifeline ", out);
        print_life(sim, &effect->peer);
        break;
    case EFFECT_LINK_CLOSE:
        fputs("   drop lifeline ", out);
        print_life(sim, &effect->peer);
        break;
    case EFFECT_KERNEL_ASK:
        fputs("   ask kernel of ", out);
        print_life(sim, &effect->peer);
        break;
    case EFFECT_RESOLVE:
        fputs("   resolve", out);
        break;
    case EFFECT_STORE:
        fputs("   store", out);
        break;
    case EFFECT_SYNC:
        fprintf(out, "   sync %" PRIu64, effect->number);
        break;
    case EFFECT_WITHDRAW:
        fputs("   withdraw", out);
        break;
    case EFFECT_NOTICE:
        fputs("   * ", out);
        print_notice(sim, host, effect->notice);
        break;
    case EFFECT_REFUSED:
        fprintf(out, "   x refused %s of ", message_text(effect->refused.type));
        print_life(sim, &effect->refused.from);
        fprintf(out, ": %s (%s)", refusal_text(effect->refused.reason),
                refusal_clause(effect->refused.reason));
        break;
    case EFFECT_ROLE:
        fprintf(out, "   + role of %02x%02x news %d reason %d number %" PRIu64 " token %" PRIu64,
                effect->role.request.bytes[0], effect->role.request.bytes[1],
                (int)effect->role.kind, (int)effect->role.reason, effect->role.number,
                effect->role.token);
        break;
    }
    fputc('\n', out);
}

/* One multiplication for each word: a run has millions of steps, and FNV goes byte by byte. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    return ((hash << 5 | hash >> 59) ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t address_word(const struct address *address)
{
    return (uint64_t)address->bytes[2] << 40 | (uint64_t)address->bytes[3] << 32 | address->port;
}

/* Of what a step does. Why it did not do something is explained beside it, and may be explained
 * anew without a run being another one. */
static uint64_t hash_effect(uint64_t hash, const struct effect *effect)
{
    if (effect->type == EFFECT_REFUSED) {
        return hash;
    }
    hash = mix(hash, (uint64_t)effect->type);
    if (effect->type == EFFECT_SEND) {
        hash = mix(hash, (uint64_t)effect->message->type << 48 | effect->message->number);
        return mix(hash, address_word(&effect->address));
    }
    if (effect->type == EFFECT_NOTICE) {
        hash = mix(hash, (uint64_t)effect->notice->type);
        return mix(hash, address_word(&effect->notice->subject.address));
    }
    if (effect->type == EFFECT_LINK_OPEN || effect->type == EFFECT_LINK_CLOSE ||
        effect->type == EFFECT_KERNEL_ASK) {
        return mix(hash, address_word(&effect->address));
    }
    return hash;
}

static void keep_hash(struct sim *sim, const struct host *host, const struct event *event,
                      const struct effects *effects)
{
    uint64_t hash = mix(sim->trace_hash, sim->now_us);

    hash = mix(hash, (uint64_t)host_index(sim, host) << 32 | (uint64_t)event->type);
    if (event->type == EVENT_MESSAGE) {
        hash = mix(hash, (uint64_t)event->message->type << 48 | event->message->number);
    } else if (event->type == EVENT_LINK) {
        hash = mix(hash, (uint64_t)event->link.news);
    }
    for (uint32_t i = 0; i < effects->count; i++) {
        hash = hash_effect(hash, &effects->items[i]);
    }
    sim->trace_hash = hash;
}

void trace_step(struct sim *sim, const struct host *host, const struct event *event,
                const struct effects *effects)
{
    if (!sim->options.spares_hash) {
        keep_hash(sim, host, event, effects);
    }
    if (sim->options.trace != NULL) {
        print_event(sim, host, event);
        for (uint32_t i = 0; i < effects->count; i++) {
            print_effect(sim, host, &effects->items[i]);
        }
    }
}

void trace_note(struct sim *sim, const char *format, ...)
{
    if (sim->options.trace == NULL) {
        return;
    }
    print_time(sim);
    fputs("=== ", sim->options.trace);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(sim->options.trace, format, arguments);
    va_end(arguments);
    fputc('\n', sim->options.trace);
}

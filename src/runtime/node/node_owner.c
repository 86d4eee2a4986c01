/* What node.h says to the owner of a node: what its operator wants of it, and what it tells. */
#include <assert.h>

#include "base/text.h"
#include "runtime/host/clock.h"
#include "runtime/node/node.h"
#include "runtime/node/node_state.h"

/* A holder has stopped: was it the last that the leave, or the hand-over, waits for? */
static void hurry_leave(struct node *node)
{
    if ((node->leave_asked || node->withdraw_asked) && !node->closing &&
        lease_page_free_ms(&node->lease) == 0) {
        clock_start_timer(&node->timer, node_on_timer, 0);
    }
}

void node_leave(struct node *node)
{
    if (!node->closing) {
        lease_page_withdraw(&node->lease, node->core, clock_ms());
        node->leave_asked = true; /* In a turn of its own: this may be called from a callback. */
        clock_start_timer(&node->timer, node_on_timer, 0);
    }
}

/* Where in `asked` one of that kind stands, or behind all of them. */
static uint32_t find_asked(const struct node *node, enum event_type type)
{
    uint32_t at = 0;

    while (at < node->asked_count && node->asked[at].type != type) {
        at++;
    }
    return at;
}

/* In a turn of its own, too; the latest of a kind takes the place of the one before it. */
static void ask(struct node *node, struct event event)
{
    const uint32_t at = find_asked(node, event.type);

    assert(at < ASKED_MAX);
    node->asked[at] = event;
    node->asked_count += at == node->asked_count ? 1 : 0;
    clock_start_timer(&node->timer, node_on_timer, 0);
}

void node_move(struct node *node, const struct move *move)
{
    if (!node->closing) {
        ask(node, (struct event){.type = EVENT_MOVE, .move = *move});
    }
}

void node_set_tags(struct node *node, const struct tags *tags)
{
    if (!node->closing) {
        node->tags = *tags;
        ask(node, (struct event){.type = EVENT_TAGS, .tags = &node->tags});
    }
}

void node_change_terms(struct node *node, const struct rules_wish *wish)
{
    if (!node->closing) {
        node->wish = *wish;
        ask(node, (struct event){.type = EVENT_TERMS, .wish = &node->wish});
    }
}

const struct tags *node_tags(const struct node *node)
{
    return find_asked(node, EVENT_TAGS) < node->asked_count ? &node->tags
                                                            : core_tags_wanted(node->core);
}

bool node_is_alone(const struct node *node)
{
    return core_phase(node->core) == PHASE_MEMBER && core_view(node->core)->member_count == 1;
}

const struct core *node_core(const struct node *node)
{
    return node->core;
}

const struct config *node_config(const struct node *node)
{
    return node->config;
}

struct journal *node_journal(struct node *node)
{
    return node->journal;
}

uint64_t node_now_ms(const struct node *node)
{
    (void)node;
    return clock_ms();
}

uint64_t node_acting_until_ms(const struct node *node, uint64_t now_ms)
{
    return lease_page_until_ms(&node->lease, node->core, now_ms);
}

const struct lease_page *node_lease(const struct node *node)
{
    return &node->lease;
}

void node_lease_add(struct node *node, struct lease_holder *holder)
{
    lease_page_add(&node->lease, holder);
}

void node_lease_remove(struct node *node, struct lease_holder *holder)
{
    lease_page_remove(&node->lease, holder);
    hurry_leave(node);
}

void node_lease_stopped(struct node *node, struct lease_holder *holder)
{
    lease_page_stopped(&node->lease, holder);
    hurry_leave(node);
}

const struct refusals *node_refusals(const struct node *node)
{
    return &node->refusals;
}

const char *node_foreign_record(const struct node *node, const char **cluster)
{
    *cluster = NULL;
    return node->voter_store == NULL ? NULL : voter_store_foreign(node->voter_store, cluster);
}

struct voter_store_times node_voter_times(const struct node *node)
{
    return node->voter_store == NULL ? (struct voter_store_times){.last_us = 0}
                                     : voter_store_times(node->voter_store);
}

uint8_t *node_recording(const struct node *node, size_t *length)
{
    return recording_ring_copy(node->ring, node->core, length);
}

void node_seeds_changed(struct node *node)
{
    if (!node->closing) {
        resolver_begin_anew(&node->resolver);
    }
}

struct inquiry *node_inquiry(struct node *node)
{
    return &node->inquiry;
}

const struct keyring *node_keys(const struct node *node)
{
    return gate_is_keyed(&node->gate) ? seal_ring(node->gate.seal) : NULL;
}

struct key_state node_key(const struct node *node, uint32_t index)
{
    return rotation_state(node->gate.seal, node->core, index);
}

bool node_rotate(struct node *node, const struct rotation *rotation, struct complaint *complaint)
{
    const uint64_t now_ms = clock_ms();
    const uint64_t flap_ms = node->config->timing.flap_ms;
    struct rotation wanted = *rotation;
    char first[FINGERPRINT_TEXT_MAX];

    wanted.since_ms = now_ms > flap_ms ? now_ms - flap_ms : 0;
    if (!gate_is_keyed(&node->gate)) {
        complaint->exit_code = EXIT_CONFIGURATION;
        return complaint_set(complaint, "this node was started without --key");
    }
    if (!rotation_apply(node->gate.seal, node->core, node->config->key, &wanted, complaint)) {
        log_line(node->log, LOG_WARN, "keys", "the keys stay as they are: %s", complaint->text);
        return false;
    }
    const struct keyring *ring = seal_ring(node->gate.seal);
    log_line(node->log, LOG_INFO, "keys", "seals=%s count=%u",
             fingerprint_text(ring->keys[0].fingerprint, first), ring->count);
    return true;
}

const struct node_traffic *node_traffic(const struct node *node)
{
    return &node->traffic;
}

bool node_address_is_gone(const struct node *node, struct address *another)
{
    *another = node->own_address.another;
    return node->own_address.gone;
}

const char *node_key_words(const struct node *node)
{
    return strangers_words(&node->gate.strangers, clock_ms());
}

bool node_has_other_seed(const struct node *node)
{
    struct stored stored;

    core_stored(node->core, &stored);
    return !node->seed_checker.only_own || stored.peer_count > 0;
}

bool node_seed_words(const struct node *node, char out[NODE_SEED_WORDS_MAX])
{
    const bool joining = core_phase(node->core) == PHASE_JOINING;
    const char *words = node_key_words(node);

    if (!joining && !node_is_alone(node)) {
        return false;
    }
    if (words[0] != '\0') {
        (void)text_set(out, NODE_SEED_WORDS_MAX, words, text_length(words, STRANGERS_WORDS_MAX));
        return true;
    }
    if (!joining) {
        return seed_checker_foreign(&node->seed_checker, out);
    }
    (void)seed_checker_words(&node->seed_checker, out);
    resolver_add_words(&node->resolver, out, NODE_SEED_WORDS_MAX);
    return out[0] != '\0';
}

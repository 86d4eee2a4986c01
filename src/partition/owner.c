#include "partition/owner.h"

#include <string.h>

#include "core/model/role.h"

static const struct node_id nobody;

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool is_over(const struct owner *owner, uint64_t now_ms)
{
    return owner->lease == 0 || now_ms >= owner->until_ms;
}

static void set_token(struct owner *owner, uint32_t partition, uint64_t token)
{
    const uint64_t former = owner->tokens[partition];

    owner->hash -= former == 0 ? 0 : own_hash(partition, former);
    owner->hash += token == 0 ? 0 : own_hash(partition, token);
    owner->count = owner->count + (token != 0) - (former != 0);
    owner->tokens[partition] = token;
    if (token != 0) {
        set_add(&owner->owned, partition);
    } else {
        set_remove(&owner->owned, partition);
        set_remove(&owner->stopping, partition);
    }
}

static void tell_programs(struct owner *owner, enum owner_news news,
                          const struct partition_set *set)
{
    if (!set_is_empty(set)) {
        owner->options.on_news(owner->options.context, news, set);
    }
}

/* What it wants: what it is to own, and is ready for. */
static void find_wanted(const struct owner *owner, struct partition_set *wanted)
{
    for (uint32_t i = 0; i < PARTITION_SET_WORDS; i++) {
        wanted->words[i] = owner->target.words[i] & (owner->ready.words[i] | owner->owned.words[i]);
    }
}

static bool wants_more(const struct owner *owner)
{
    struct partition_set wanted;
    uint64_t missing = 0;

    find_wanted(owner, &wanted);
    for (uint32_t i = 0; i < PARTITION_SET_WORDS; i++) {
        missing |= wanted.words[i] & ~owner->owned.words[i];
    }
    return missing != 0;
}

static void find_due(struct owner *owner)
{
    owner->due_ms = owner->ask_ms;
    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        if (set_has(&owner->stopping, p)) {
            owner->due_ms = sooner(owner->due_ms, owner->promised_ms[p]);
        }
        if (set_has(&owner->target, p) && !set_has(&owner->ready, p)) {
            owner->due_ms = sooner(owner->due_ms, owner->ready_ms[p]);
        }
    }
}

/* --- To the coordinator ---------------------------------------------------------------------- */

static struct own_message message_of(const struct owner *owner, enum own_kind kind)
{
    return (struct own_message){.from = owner->self,
                                .to = owner->coordinator,
                                .kind = kind,
                                .epoch = owner->epoch,
                                .lease = kind == OWN_LET_GO ? 0 : owner->lease};
}

static void ask(struct owner *owner, uint64_t now_ms)
{
    struct own_message message = message_of(owner, OWN_ASK);

    if (owner->lease == 0) {
        owner->ask_ms = OWNER_NEVER_MS;
        return;
    }
    message.number = ++owner->number;
    message.version = owner->version;
    message.count = owner->count;
    message.hash = owner->hash;
    find_wanted(owner, &message.set);
    owner->agreed = false;
    owner->ask_ms = now_ms + owner->retry_ms;
    owner->options.send(owner->options.context, &message);
}

/* Something is new: it is said at once, and again soon. */
static void ask_anew(struct owner *owner, uint64_t now_ms)
{
    owner->retry_ms = owner->options.retry_first_ms;
    ask(owner, now_ms);
}

/* P12: a message for each token; the next burst goes on where this one ends. */
static void tell_all(struct owner *owner)
{
    struct partition_set left = owner->owned;
    const uint32_t partitions = owner->options.partitions;
    uint32_t sent = 0;

    for (uint32_t i = 0; i < partitions && sent < OWN_BURST; i++) {
        const uint32_t first = (owner->tell_next + i) % partitions;
        struct own_message message = message_of(owner, OWN_TELL);
        if (!set_has(&left, first)) {
            continue;
        }
        message.token = owner->tokens[first];
        for (uint32_t p = 0; p < partitions; p++) {
            if (owner->tokens[p] == message.token) {
                set_add(&message.set, p);
                set_remove(&left, p);
            }
        }
        owner->options.send(owner->options.context, &message);
        if (++sent == OWN_BURST) {
            owner->tell_next = (first + 1) % partitions;
        }
    }
}

/* P11: whatever was granted of these up to `token` is over, also what is yet under way. */
static void send_let_go(struct owner *owner, const struct partition_set *set, uint64_t token)
{
    struct own_message message = message_of(owner, OWN_LET_GO);

    message.token = token;
    message.set = *set;
    owner->options.send(owner->options.context, &message);
}

static void show_floor(struct owner *owner, uint32_t partition)
{
    struct partition_set one = {.words = {0}};

    set_add(&one, partition);
    send_let_go(owner, &one, owner->floors[partition]);
}

/* --- Owning ---------------------------------------------------------------------------------- */

static void let_go(struct owner *owner, const struct partition_set *set, uint64_t now_ms)
{
    uint64_t highest = 0;

    if (set_is_empty(set)) {
        return;
    }
    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        if (set_has(set, p)) {
            highest = owner->tokens[p] > highest ? owner->tokens[p] : highest;
        }
    }
    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        if (set_has(set, p)) {
            owner->floors[p] = highest > owner->floors[p] ? highest : owner->floors[p];
            set_token(owner, p, 0);
        }
    }
    tell_programs(owner, OWNER_LOST, set);
    send_let_go(owner, set, highest);
    ask_anew(owner, now_ms);
}

/* P8: with the lease all is lost, without a word: whoever lists the one lists the other. */
static void lose_all(struct owner *owner)
{
    const struct partition_set lost = owner->owned;

    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        if (owner->tokens[p] != 0) {
            owner->floors[p] = owner->tokens[p];
            set_token(owner, p, 0);
        }
    }
    owner->lease = 0;
    owner->ask_ms = OWNER_NEVER_MS;
    tell_programs(owner, OWNER_LOST, &lost);
}

/* P14: what no program goes by is let go of now. */
static void stop(struct owner *owner, uint64_t now_ms)
{
    struct partition_set over = {.words = {0}};

    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        if (set_has(&owner->stopping, p) && now_ms >= owner->promised_ms[p]) {
            set_add(&over, p);
        }
    }
    let_go(owner, &over, now_ms);
}

/* P14: who said nothing for so long is taken to be ready. */
static bool get_ready(struct owner *owner, uint64_t now_ms)
{
    bool any = false;

    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        if (set_has(&owner->target, p) && !set_has(&owner->ready, p) &&
            now_ms >= owner->ready_ms[p]) {
            set_add(&owner->ready, p);
            any = true;
        }
    }
    return any;
}

/* --- From the coordinator -------------------------------------------------------------------- */

static void on_answer(struct owner *owner, const struct own_message *message, uint64_t now_ms)
{
    if (own_number_is_later(message->number, owner->number)) {
        owner->number = message->number; /* P16: somebody asked that in this member's name. */
        ask_anew(owner, now_ms);
        return;
    }
    if (message->number != owner->number) {
        return;
    }
    if (!message->agrees) {
        tell_all(owner);
        return; /* and asks again when that is due */
    }
    owner->agreed = true;
    owner->ask_ms = wants_more(owner) ? now_ms + owner->options.retry_most_ms : OWNER_NEVER_MS;
}

static void on_grant(struct owner *owner, const struct own_message *message, uint64_t now_ms)
{
    struct partition_set begun = {.words = {0}};
    struct partition_set over = {.words = {0}};
    uint32_t highest = 0; /* of those that are void, whose floor is */
    bool any = false;

    if (message->lease != owner->lease || is_over(owner, now_ms) ||
        role_token_epoch(message->token) > owner->epoch) {
        return; /* P10 */
    }
    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        if (!set_has(&message->set, p)) {
            continue;
        }
        if (message->token <= owner->floors[p]) {
            highest = set_is_empty(&over) || owner->floors[p] > owner->floors[highest] ? p
                                                                                       : highest;
            set_add(&over, p); /* P11 */
        } else if (message->token > owner->tokens[p]) {
            set_add(&begun, p);
            set_token(owner, p, message->token);
            any = true;
        }
    }
    if (!set_is_empty(&over)) {
        send_let_go(owner, &over, message->token);
        if (owner->floors[highest] > message->token) {
            show_floor(owner, highest); /* P15 */
        }
    }
    tell_programs(owner, OWNER_OWNS, &begun);
    if (any) {
        ask_anew(owner, now_ms);
    }
}

static void on_revoke(struct owner *owner, const struct own_message *message, uint64_t now_ms)
{
    struct partition_set stops = {.words = {0}};

    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        if (!set_has(&message->set, p) || !set_has(&owner->owned, p) ||
            set_has(&owner->stopping, p) || owner->tokens[p] > message->token) {
            continue;
        }
        set_add(&owner->stopping, p);
        if (now_ms < owner->promised_ms[p]) {
            set_add(&stops, p);
        }
    }
    tell_programs(owner, OWNER_STOPS, &stops);
    stop(owner, now_ms);
}

void owner_take(struct owner *owner, const struct own_message *message, uint64_t now_ms)
{
    if (id_is_none(&owner->self) || !id_equal(&message->to, &owner->self) ||
        !id_equal(&message->from, &owner->coordinator) || message->epoch != owner->epoch) {
        return; /* P10 */
    }
    if (message->kind == OWN_ANSWER) {
        on_answer(owner, message, now_ms);
    } else if (message->kind == OWN_GRANT) {
        on_grant(owner, message, now_ms);
    } else if (message->kind == OWN_REVOKE) {
        on_revoke(owner, message, now_ms);
    }
    find_due(owner);
}

/* --- From its own node ----------------------------------------------------------------------- */

void owner_init(struct owner *owner, const struct owner_options *options)
{
    memset(owner, 0, sizeof *owner);
    owner->options = *options;
    owner->retry_ms = options->retry_first_ms;
    owner->ask_ms = OWNER_NEVER_MS;
    owner->due_ms = OWNER_NEVER_MS;
}

void owner_leave(struct owner *owner)
{
    if (id_is_none(&owner->self)) {
        return;
    }
    lose_all(owner);
    owner->self = nobody;
    owner->coordinator = nobody;
    owner->epoch = 0;
    owner->version = 0;
    memset(&owner->target, 0, sizeof owner->target);
    memset(&owner->ready, 0, sizeof owner->ready);
    find_due(owner);
}

void owner_on_view(struct owner *owner, const struct node_id *self,
                   const struct node_id *coordinator, uint64_t epoch, uint64_t now_ms)
{
    if (id_equal(&owner->self, self) && id_equal(&owner->coordinator, coordinator) &&
        owner->epoch == epoch) {
        return;
    }
    if (!id_equal(&owner->self, self)) {
        owner_leave(owner);
    }
    owner->self = *self;
    owner->coordinator = *coordinator;
    owner->epoch = epoch;
    owner->version = 0; /* The table of that view is not known yet. */
    if (owner->lease != 0) {
        tell_all(owner); /* P12 */
        ask_anew(owner, now_ms);
    }
    find_due(owner);
}

void owner_on_lease(struct owner *owner, uint64_t lease, uint64_t until_ms, uint64_t now_ms)
{
    owner->until_ms = until_ms;
    if (lease == owner->lease) {
        return;
    }
    const bool renewed = owner->lease != 0 && lease != 0 &&
                         role_token_epoch(lease) != role_token_epoch(owner->lease);
    if (!renewed && owner->lease != 0) {
        lose_all(owner);
    }
    owner->lease = lease;
    if (lease != 0) {
        tell_all(owner);
        ask_anew(owner, now_ms);
    }
    find_due(owner);
}

void owner_on_target(struct owner *owner, uint64_t version, const struct partition_set *target,
                     uint64_t now_ms)
{
    struct partition_set incoming = {.words = {0}};

    if (version == owner->version && set_equal(target, &owner->target)) {
        return;
    }
    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        if (!set_has(target, p)) {
            set_remove(&owner->ready, p);
        } else if (!set_has(&owner->target, p) && !set_has(&owner->owned, p)) {
            owner->ready_ms[p] = now_ms + owner->options.ready_ms;
            set_add(&incoming, p);
        } else if (set_has(&owner->owned, p)) {
            set_add(&owner->ready, p);
        }
    }
    owner->version = version;
    owner->target = *target;
    if (owner->options.ready_ms > 0) {
        tell_programs(owner, OWNER_INCOMING, &incoming);
    }
    (void)get_ready(owner, now_ms);
    ask_anew(owner, now_ms);
    find_due(owner);
}

uint64_t owner_deadline_ms(const struct owner *owner)
{
    return owner->due_ms;
}

void owner_tick(struct owner *owner, uint64_t now_ms)
{
    if (now_ms < owner->due_ms) {
        return;
    }
    stop(owner, now_ms);
    if (get_ready(owner, now_ms)) {
        ask_anew(owner, now_ms);
    }
    if (now_ms >= owner->ask_ms) {
        owner->retry_ms = sooner(owner->retry_ms * 2, owner->options.retry_most_ms);
        ask(owner, now_ms);
    }
    find_due(owner);
}

/* --- For this member's programs -------------------------------------------------------------- */

uint64_t owner_token(const struct owner *owner, uint32_t partition, uint64_t now_ms)
{
    return is_over(owner, now_ms) ? 0 : owner->tokens[partition];
}

void owner_ready(struct owner *owner, const struct partition_set *set, uint64_t now_ms)
{
    bool any = false;

    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        if (set_has(set, p) && set_has(&owner->target, p) && !set_has(&owner->ready, p)) {
            set_add(&owner->ready, p);
            any = true;
        }
    }
    if (any) {
        ask_anew(owner, now_ms);
        find_due(owner);
    }
}

uint64_t owner_promise(struct owner *owner, uint32_t partition, uint64_t now_ms)
{
    if (owner_token(owner, partition, now_ms) == 0 || set_has(&owner->stopping, partition)) {
        return 0;
    }
    owner->promised_ms[partition] = owner->until_ms;
    return owner->until_ms;
}

void owner_done(struct owner *owner, const struct partition_set *set, uint64_t now_ms)
{
    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        if (set_has(set, p)) {
            owner->promised_ms[p] = 0;
        }
    }
    stop(owner, now_ms);
    find_due(owner);
}

uint64_t owner_promised_ms(const struct owner *owner)
{
    uint64_t last_ms = 0;

    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        last_ms = owner->promised_ms[p] > last_ms ? owner->promised_ms[p] : last_ms;
    }
    return last_ms;
}

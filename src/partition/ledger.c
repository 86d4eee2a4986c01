#include "partition/ledger.h"

#include <string.h>

#include "core/model/role.h"

static const struct node_id nobody;

/* --- The list -------------------------------------------------------------------------------- */

static void list(struct ledger *ledger, uint32_t partition, uint16_t owner, uint64_t token)
{
    const uint16_t former = ledger->owners[partition];

    if (former != PARTITION_NOBODY) {
        ledger->slots[former].count--;
        ledger->slots[former].hash -= own_hash(partition, ledger->tokens[partition]);
    }
    if (owner != PARTITION_NOBODY) {
        ledger->slots[owner].count++;
        ledger->slots[owner].hash += own_hash(partition, token);
    }
    ledger->owners[partition] = owner;
    ledger->tokens[partition] = token;
    set_remove(&ledger->revoked, partition);
    ledger->changed = true;
}

/* The place of a life, or PARTITION_NOBODY. Looked for first behind the one found last. */
static uint16_t find_slot(struct ledger *ledger, const struct node_id *life)
{
    for (uint32_t i = 0; i < ledger->top; i++) {
        const uint32_t at = (ledger->hint + i) % ledger->top;
        if (ledger->slots[at].used && id_equal(&ledger->slots[at].life, life)) {
            ledger->hint = at + 1;
            return (uint16_t)at;
        }
    }
    return PARTITION_NOBODY;
}

static void free_all(struct ledger *ledger, uint16_t at)
{
    for (uint32_t p = 0; p < ledger->options.partitions; p++) {
        if (ledger->owners[p] == at) {
            list(ledger, p, PARTITION_NOBODY, 0);
        }
    }
}

/* P9: a new one at each grant; 0: there are no more of them under this epoch. */
static uint64_t draw(struct ledger *ledger)
{
    if (ledger->epoch > ROLE_EPOCH_MAX) {
        return 0;
    }
    if (ledger->serial >= ROLE_SERIAL_MAX) {
        ledger->outgrown = true;
        return 0;
    }
    return role_token(ledger->epoch, ++ledger->serial);
}

/* --- To members ------------------------------------------------------------------------------ */

static struct own_message message_to(const struct ledger *ledger, uint16_t at, enum own_kind kind)
{
    const struct ledger_slot *slot = &ledger->slots[at];

    return (struct own_message){.from = ledger->self,
                                .to = slot->life,
                                .kind = kind,
                                .epoch = ledger->epoch,
                                .lease = kind == OWN_REVOKE ? 0 : slot->lease};
}

static void send_set(struct ledger *ledger, uint16_t at, enum own_kind kind, uint64_t token,
                     const struct partition_set *set)
{
    struct own_message message = message_to(ledger, at, kind);

    message.token = token;
    message.set = *set;
    ledger->options.send(ledger->options.context, &message);
}

/* What is revoked was granted before now. */
static void send_revoke(struct ledger *ledger, uint16_t at, const struct partition_set *set)
{
    send_set(ledger, at, OWN_REVOKE, role_token(ledger->epoch, ledger->serial), set);
}

/* All that is listed of the member: a message for each token; the next burst goes on where this one
 * ends. */
static void grant_again(struct ledger *ledger, uint16_t at)
{
    struct ledger_slot *slot = &ledger->slots[at];
    const uint32_t partitions = ledger->options.partitions;
    struct partition_set done = {.words = {0}};
    uint32_t sent = 0;

    for (uint32_t i = 0; i < partitions && sent < LEDGER_BURST; i++) {
        const uint32_t first = (slot->grant_next + i) % partitions;
        struct partition_set set = {.words = {0}};
        if (ledger->owners[first] != at || set_has(&done, first)) {
            continue;
        }
        for (uint32_t p = 0; p < partitions; p++) {
            if (ledger->owners[p] == at && ledger->tokens[p] == ledger->tokens[first]) {
                set_add(&set, p);
                set_add(&done, p);
            }
        }
        send_set(ledger, at, OWN_GRANT, ledger->tokens[first], &set);
        if (++sent == LEDGER_BURST) {
            slot->grant_next = (first + 1) % partitions;
        }
    }
}

/* --- The one rule ---------------------------------------------------------------------------- */

static bool all_told(const struct ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->top; i++) {
        if (ledger->slots[i].used && !ledger->slots[i].told) {
            return false;
        }
    }
    return true;
}

/* Who is to own what, by the table of the installed view alone. */
static void find_wanters(struct ledger *ledger)
{
    memset(ledger->wanters, 0xff, sizeof ledger->wanters);
    for (uint32_t i = 0; i < ledger->top; i++) {
        const struct ledger_slot *slot = &ledger->slots[i];
        const bool counts = slot->used && slot->version == ledger->version;
        for (uint32_t word = 0; word < PARTITION_SET_WORDS && counts; word++) {
            for (uint32_t bit = 0; bit < 64 && slot->wants.words[word] != 0; bit++) {
                const uint32_t p = word * 64 + bit;
                ledger->wanters[p] = set_has(&slot->wants, p) ? (uint16_t)i : ledger->wanters[p];
            }
        }
    }
}

/* To one member, with one token. */
static void grant(struct ledger *ledger, uint16_t at, const struct partition_set *set)
{
    const uint64_t token = draw(ledger);

    if (token == 0) {
        return;
    }
    for (uint32_t p = 0; p < ledger->options.partitions; p++) {
        if (set_has(set, p)) {
            list(ledger, p, at, token);
        }
    }
    send_set(ledger, at, OWN_GRANT, token, set);
}

/* Takes out of `left` what has the same value in `of` as its first, from `first` on. */
static struct partition_set take_alike(const struct ledger *ledger, struct partition_set *left,
                                       const uint16_t *of, uint32_t first)
{
    struct partition_set set = {.words = {0}};

    for (uint32_t p = first; p < ledger->options.partitions; p++) {
        if (set_has(left, p) && of[p] == of[first]) {
            set_add(&set, p);
            set_remove(left, p);
        }
    }
    return set;
}

static void grant_free(struct ledger *ledger)
{
    struct partition_set free = {.words = {0}};

    for (uint32_t p = 0; p < ledger->options.partitions; p++) {
        if (ledger->owners[p] == PARTITION_NOBODY && ledger->wanters[p] != PARTITION_NOBODY) {
            set_add(&free, p);
        }
    }
    for (uint32_t first = 0; first < ledger->options.partitions; first++) {
        if (set_has(&free, first)) {
            const struct partition_set set = take_alike(ledger, &free, ledger->wanters, first);
            grant(ledger, ledger->wanters[first], &set);
        }
    }
}

/* Is its owner to let go of it? Not before somebody else wants it. */
static bool is_to_go(const struct ledger *ledger, uint32_t partition)
{
    return ledger->owners[partition] != PARTITION_NOBODY &&
           ledger->wanters[partition] != PARTITION_NOBODY &&
           ledger->owners[partition] != ledger->wanters[partition];
}

/* One message to each owner, whatever it is to let go of; `again`: also of what it was asked for
 * before, and `wanter` waits for. */
static void revoke(struct ledger *ledger, uint16_t wanter, bool again)
{
    const uint32_t partitions = ledger->options.partitions;
    struct partition_set left = {.words = {0}};

    for (uint32_t p = 0; p < partitions; p++) {
        if (is_to_go(ledger, p) &&
            (again ? ledger->wanters[p] == wanter : !set_has(&ledger->revoked, p))) {
            set_add(&left, p);
        }
    }
    for (uint32_t first = 0; first < partitions; first++) {
        if (set_has(&left, first)) {
            const struct partition_set set = take_alike(ledger, &left, ledger->owners, first);
            for (uint32_t i = 0; i < PARTITION_SET_WORDS; i++) {
                ledger->revoked.words[i] |= set.words[i];
            }
            send_revoke(ledger, ledger->owners[first], &set);
        }
    }
}

/* P9 and P12: nothing is granted while somebody may own what he has not told. */
static void apply_rule(struct ledger *ledger)
{
    if (!ledger->changed || !ledger->may_grant || !all_told(ledger)) {
        return;
    }
    find_wanters(ledger);
    grant_free(ledger);
    revoke(ledger, PARTITION_NOBODY, false);
    ledger->changed = false;
}

/* --- What members say ------------------------------------------------------------------------ */

bool ledger_take_outgrown(struct ledger *ledger)
{
    const bool outgrown = ledger->outgrown;

    ledger->outgrown = false;
    return outgrown;
}

/* P15: whoever was told this token in the coordinator's name takes none below it. */
static void rise_above(struct ledger *ledger, uint64_t token)
{
    const uint64_t serial = token & ROLE_SERIAL_MAX;

    if (role_token_epoch(token) == ledger->epoch && serial > ledger->serial) {
        ledger->serial = serial;
    }
}

static void answer(struct ledger *ledger, uint16_t at, bool agrees)
{
    struct own_message message = message_to(ledger, at, OWN_ANSWER);

    message.number = ledger->slots[at].number;
    message.agrees = agrees;
    ledger->options.send(ledger->options.context, &message);
}

static void on_ask(struct ledger *ledger, uint16_t at, const struct own_message *message)
{
    struct ledger_slot *slot = &ledger->slots[at];
    const bool agrees = message->count == slot->count && message->hash == slot->hash;
    const bool again = slot->version == message->version && set_equal(&slot->wants, &message->set);

    if (message->lease != slot->lease || message->number == slot->number) {
        return;
    }
    if (!own_number_is_later(message->number, slot->number)) {
        answer(ledger, at, false); /* P16: it is told which one is the latest. */
        return;
    }
    slot->number = message->number;
    slot->version = message->version;
    slot->wants = message->set;
    ledger->changed = ledger->changed || !again || (agrees && !slot->told);
    slot->told = slot->told || agrees;
    if (!agrees) {
        grant_again(ledger, at);
    }
    answer(ledger, at, agrees);
    apply_rule(ledger);
    if (again && ledger->may_grant && all_told(ledger)) {
        find_wanters(ledger);
        revoke(ledger, at, true);
    }
}

/* P12: who tells that he owns goes on; of two, who has the higher token. P13: with a new one after
 * a merge. */
static void on_tell(struct ledger *ledger, uint16_t at, const struct own_message *message)
{
    struct partition_set taken = {.words = {0}};
    struct partition_set refused = {.words = {0}};
    const bool renews = role_token_epoch(message->token) < ledger->merged_epoch;
    uint64_t token = message->token;

    if (message->lease != ledger->slots[at].lease ||
        role_token_epoch(message->token) > ledger->epoch) {
        return; /* P10 */
    }
    for (uint32_t p = 0; p < ledger->options.partitions; p++) {
        if (!set_has(&message->set, p) ||
            (ledger->owners[p] == at && ledger->tokens[p] >= message->token)) {
            continue;
        }
        if (ledger->owners[p] != PARTITION_NOBODY && ledger->tokens[p] > message->token) {
            set_add(&refused, p);
            continue;
        }
        set_add(&taken, p);
    }
    if (renews && !set_is_empty(&taken)) {
        const uint64_t renewed = draw(ledger);
        token = renewed != 0 ? renewed : token;
    }
    for (uint32_t p = 0; p < ledger->options.partitions; p++) {
        if (set_has(&taken, p)) {
            list(ledger, p, at, token);
        }
    }
    if (token != message->token) {
        send_set(ledger, at, OWN_GRANT, token, &taken);
    }
    if (!set_is_empty(&refused)) {
        send_revoke(ledger, at, &refused);
    }
}

/* P11: it ends the grants up to that token, and no later one. */
static void on_let_go(struct ledger *ledger, uint16_t at, const struct own_message *message)
{
    for (uint32_t p = 0; p < ledger->options.partitions; p++) {
        if (set_has(&message->set, p) && ledger->owners[p] == at &&
            ledger->tokens[p] <= message->token) {
            list(ledger, p, PARTITION_NOBODY, 0);
        }
    }
    apply_rule(ledger);
}

void ledger_take(struct ledger *ledger, const struct own_message *message)
{
    if (id_is_none(&ledger->self) || !id_equal(&message->to, &ledger->self) ||
        message->epoch != ledger->epoch) {
        return; /* P10 */
    }
    const uint16_t at = find_slot(ledger, &message->from);
    if (at == PARTITION_NOBODY) {
        return;
    }
    if (message->kind != OWN_ASK) {
        rise_above(ledger, message->token);
    }
    if (message->kind == OWN_ASK) {
        on_ask(ledger, at, message);
    } else if (message->kind == OWN_TELL) {
        on_tell(ledger, at, message);
    } else if (message->kind == OWN_LET_GO) {
        on_let_go(ledger, at, message);
    }
}

/* --- From its own node ----------------------------------------------------------------------- */

static void begin_anew(struct ledger *ledger)
{
    memset(ledger->slots, 0, ledger->top * sizeof ledger->slots[0]);
    memset(ledger->owners, 0xff, sizeof ledger->owners);
    memset(ledger->tokens, 0, sizeof ledger->tokens);
    memset(&ledger->revoked, 0, sizeof ledger->revoked);
    ledger->top = 0;
    ledger->hint = 0;
    ledger->serial = 0;
    ledger->may_grant = false;
    ledger->blocked = false;
    ledger->changed = false;
    ledger->outgrown = false;
}

void ledger_init(struct ledger *ledger, const struct ledger_options *options,
                 struct ledger_slot *slots)
{
    memset(ledger, 0, sizeof *ledger);
    ledger->options = *options;
    ledger->slots = slots;
    begin_anew(ledger);
}

void ledger_on_view(struct ledger *ledger, const struct node_id *self, uint64_t epoch,
                    uint64_t version, uint64_t merged_epoch)
{
    const struct node_id *life = self != NULL ? self : &nobody;

    if (!id_equal(&ledger->self, life) || ledger->epoch != epoch) {
        begin_anew(ledger);
    }
    ledger->self = *life;
    ledger->epoch = epoch;
    ledger->merged_epoch = merged_epoch;
    ledger->changed = ledger->changed || ledger->version != version;
    ledger->version = version;
}

void ledger_begin_leases(struct ledger *ledger)
{
    ledger->hint = 0;
    for (uint32_t i = 0; i < ledger->top; i++) {
        ledger->slots[i].seen = false;
    }
}

void ledger_lease(struct ledger *ledger, const struct node_id *life, uint64_t lease)
{
    uint16_t at = find_slot(ledger, life);

    if (at != PARTITION_NOBODY && ledger->slots[at].lease == lease) {
        ledger->slots[at].seen = true;
        return;
    }
    if (at == PARTITION_NOBODY) {
        at = 0;
        while (at < ledger->top && ledger->slots[at].used) {
            at++;
        }
        if (at == LEDGER_SLOTS_MAX) {
            ledger->blocked = true;
            return;
        }
        ledger->top = at == ledger->top ? ledger->top + 1 : ledger->top;
    }
    /* P8: another lease is another owner, and what the former one owned is free. */
    free_all(ledger, at);
    ledger->slots[at] = (struct ledger_slot){
        .used = true, .seen = true, .life = *life, .lease = lease};
    ledger->changed = true;
}

void ledger_end_leases(struct ledger *ledger, bool may_grant)
{
    for (uint32_t i = 0; i < ledger->top; i++) {
        if (ledger->slots[i].used && !ledger->slots[i].seen) {
            free_all(ledger, (uint16_t)i);
            ledger->slots[i].used = false;
            ledger->changed = true;
        }
    }
    ledger->may_grant = may_grant && !ledger->blocked;
    apply_rule(ledger);
}

const struct node_id *ledger_owner(const struct ledger *ledger, uint32_t partition, uint64_t *token)
{
    const uint16_t at = ledger->owners[partition];

    *token = ledger->tokens[partition];
    return at == PARTITION_NOBODY ? NULL : &ledger->slots[at].life;
}

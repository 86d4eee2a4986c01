/* The coordinator's list of who owns which partitions. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/role.h"
#include "partition/ledger.h"

enum { SENT_MAX = 16, MANY = 100 };

static const struct node_id me = {.bytes = {1}};
static const struct node_id b = {.bytes = {2}};
static const struct node_id c = {.bytes = {3}};

static struct ledger ledger;
static struct own_message sent[SENT_MAX];
static uint32_t sent_count;
static uint64_t questions;

static void on_send(void *context, const struct own_message *message)
{
    (void)context;
    cr_assert_lt(sent_count, (uint32_t)SENT_MAX);
    sent[sent_count++] = *message;
}

static struct partition_set set_of(uint32_t first, uint32_t count)
{
    struct partition_set set = {.words = {0}};

    for (uint32_t p = first; p < first + count; p++) {
        set_add(&set, p);
    }
    return set;
}

static uint64_t lease_of(const struct node_id *life)
{
    return role_token(5, life->bytes[0]);
}

/* B and C have the leases given; 0: none. */
static void leases(uint64_t lease_b, uint64_t lease_c, bool may_grant)
{
    ledger_begin_leases(&ledger);
    if (lease_b != 0) {
        ledger_lease(&ledger, &b, lease_b);
    }
    if (lease_c != 0) {
        ledger_lease(&ledger, &c, lease_c);
    }
    ledger_end_leases(&ledger, may_grant);
}

static void begin(void)
{
    struct ledger_slot *slots = calloc(LEDGER_SLOTS_MAX, sizeof *slots);

    cr_assert_not_null(slots);
    sent_count = 0;
    ledger_init(&ledger, &(struct ledger_options){.partitions = MANY, .send = on_send}, slots);
    ledger_on_view(&ledger, &me, 5, 7, 0);
}

static void end(void)
{
    free(ledger.slots);
}

static struct own_message word(const struct node_id *from, enum own_kind kind)
{
    return (struct own_message){
        .from = *from, .to = me, .kind = kind, .epoch = 5, .lease = lease_of(from)};
}

/* Asks for these by the table of that view, and owns what `owns` says with `token`. */
static void asks(const struct node_id *from, uint64_t version, struct partition_set wants,
                 struct partition_set owns, uint64_t token)
{
    struct own_message message = word(from, OWN_ASK);

    message.number = ++questions;
    message.version = version;
    message.set = wants;
    for (uint32_t p = 0; p < MANY; p++) {
        if (set_has(&owns, p)) {
            message.count++;
            message.hash += own_hash(p, token);
        }
    }
    sent_count = 0;
    ledger_take(&ledger, &message);
}

static const struct own_message *told(enum own_kind kind, const struct node_id *to)
{
    for (uint32_t i = 0; i < sent_count; i++) {
        if (sent[i].kind == kind && id_equal(&sent[i].to, to)) {
            return &sent[i];
        }
    }
    return NULL;
}

static struct own_message the(enum own_kind kind, const struct node_id *to)
{
    const struct own_message *message = told(kind, to);

    cr_assert_not_null(message);
    return message == NULL ? (struct own_message){.count = 0} : *message;
}

static uint32_t count_granted(const struct node_id *to)
{
    const struct own_message grant = the(OWN_GRANT, to);

    return set_count(&grant.set);
}

static const struct node_id *owner_of(uint32_t partition)
{
    uint64_t token = 0;

    return ledger_owner(&ledger, partition, &token);
}

static const struct partition_set nothing;

/* Both have told that they own nothing; B is granted 0 to 9. */
static uint64_t begin_with_b(void)
{
    begin();
    leases(lease_of(&b), lease_of(&c), true);
    asks(&c, 7, nothing, nothing, 0);
    asks(&b, 7, set_of(0, 10), nothing, 0);
    const struct own_message *grant = told(OWN_GRANT, &b);
    cr_assert_not_null(grant);
    cr_assert_eq(grant->lease, lease_of(&b));
    cr_assert_eq(set_count(&grant->set), 10, "one message for all of it");
    return grant->token;
}

/* P9, P11: asked back when another wants it, and granted when it is let go of. */
Test(partition_ledger, moves_what_is_towards_what_is_to_be)
{
    const uint64_t token = begin_with_b();

    asks(&c, 7, set_of(5, 10), nothing, 0);
    const struct own_message *revoke = told(OWN_REVOKE, &b);
    cr_assert_not_null(revoke);
    cr_assert(set_equal(&revoke->set, &(struct partition_set){.words = {0x3e0}}));
    cr_assert_geq(revoke->token, token);
    const struct own_message *grant = told(OWN_GRANT, &c);
    cr_assert_eq(set_count(&grant->set), 5, "the free ones");
    const uint64_t second = grant->token;
    cr_assert_gt(second, token);
    cr_assert(id_equal(owner_of(5), &b));
    struct own_message gone = word(&b, OWN_LET_GO);
    gone.set = set_of(5, 5);
    gone.token = token - 1;
    sent_count = 0;
    ledger_take(&ledger, &gone);
    cr_assert(id_equal(owner_of(5), &b), "it ends a grant before this one");
    gone.token = token;
    ledger_take(&ledger, &gone);
    cr_assert(id_equal(owner_of(5), &c));
    cr_assert_gt(the(OWN_GRANT, &c).token, second);
    end();
}

/* P9: asked again, as often as the next owner asks. */
Test(partition_ledger, asks_back_again)
{
    (void)begin_with_b();
    asks(&c, 7, set_of(5, 5), nothing, 0);
    cr_assert_not_null(told(OWN_REVOKE, &b));
    asks(&c, 7, set_of(5, 5), nothing, 0);
    cr_assert_not_null(told(OWN_REVOKE, &b));
    end();
}

/* P9 */
Test(partition_ledger, what_is_wanted_by_another_table_does_not_count)
{
    (void)begin_with_b();
    asks(&c, 6, set_of(50, 5), nothing, 0);
    cr_assert_null(told(OWN_GRANT, &c));
    asks(&c, 8, set_of(0, 15), nothing, 0);
    cr_assert_null(told(OWN_GRANT, &c));
    cr_assert_null(told(OWN_REVOKE, &b));
    ledger_on_view(&ledger, &me, 5, 8, 0);
    leases(lease_of(&b), lease_of(&c), true);
    cr_assert_eq(count_granted(&c), 5);
    cr_assert_not_null(told(OWN_REVOKE, &b));
    end();
}

/* P8 */
Test(partition_ledger, what_was_owned_is_free_when_the_lease_is_over)
{
    (void)begin_with_b();
    leases(0, lease_of(&c), true);
    cr_assert_null(owner_of(3));
    end();
    (void)begin_with_b();
    leases(role_token(5, 99), lease_of(&c), true);
    cr_assert_null(owner_of(3), "another lease is another owner");
    asks(&c, 7, set_of(0, 10), nothing, 0);
    cr_assert_null(told(OWN_GRANT, &c), "who has a new lease has not told yet");
    end();
}

/* P12: nothing is granted before all have told, and whoever has not cannot own. */
Test(partition_ledger, waits_until_all_have_told)
{
    const uint64_t old = role_token(4, 44);
    struct own_message tell = word(&c, OWN_TELL);

    begin();
    leases(lease_of(&b), lease_of(&c), false);
    asks(&b, 7, set_of(0, 10), nothing, 0);
    cr_assert_null(told(OWN_GRANT, &b));
    leases(lease_of(&b), lease_of(&c), true);
    asks(&b, 7, set_of(0, 10), nothing, 0);
    cr_assert_null(told(OWN_GRANT, &b), "C has not told");
    asks(&c, 7, nothing, set_of(0, 3), old);
    cr_assert_not(the(OWN_ANSWER, &c).agrees);
    tell.token = old;
    tell.set = set_of(0, 3);
    ledger_take(&ledger, &tell);
    asks(&c, 7, nothing, set_of(0, 3), old);
    cr_assert(the(OWN_ANSWER, &c).agrees);
    cr_assert_eq(count_granted(&b), 7);
    cr_assert(id_equal(owner_of(0), &c));
    end();

    begin();
    leases(lease_of(&b), 0, false);
    asks(&b, 7, set_of(0, 10), nothing, 0);
    cr_assert(the(OWN_ANSWER, &b).agrees);
    cr_assert_null(told(OWN_GRANT, &b), "others may own it yet");
    leases(lease_of(&b), 0, true);
    cr_assert_not_null(told(OWN_GRANT, &b));
    end();
}

/* P12: of two who tell the same, who has the higher token. */
Test(partition_ledger, of_two_the_later_grant_stays)
{
    struct own_message tell;

    begin();
    leases(lease_of(&b), lease_of(&c), true);
    tell = word(&b, OWN_TELL);
    tell.token = role_token(4, 4);
    tell.set = set_of(0, 3);
    ledger_take(&ledger, &tell);
    tell.from = c;
    tell.lease = lease_of(&c);
    tell.token = role_token(4, 3);
    ledger_take(&ledger, &tell);
    cr_assert(id_equal(owner_of(0), &b));
    cr_assert_not_null(told(OWN_REVOKE, &c));
    tell.token = role_token(4, 5);
    ledger_take(&ledger, &tell);
    cr_assert(id_equal(owner_of(0), &c));
    tell.lease = lease_of(&b);
    tell.token = role_token(4, 6);
    tell.set = set_of(50, 1);
    ledger_take(&ledger, &tell);
    cr_assert_null(owner_of(50), "told under another lease");
    end();
}

/* P13 */
Test(partition_ledger, renews_tokens_after_a_merge)
{
    struct own_message tell = word(&b, OWN_TELL);

    begin();
    ledger_on_view(&ledger, &me, 5, 7, 5);
    leases(lease_of(&b), 0, true);
    tell.token = role_token(4, 4);
    tell.set = set_of(0, 3);
    sent_count = 0;
    ledger_take(&ledger, &tell);
    const struct own_message *grant = told(OWN_GRANT, &b);
    cr_assert_not_null(grant);
    cr_assert_eq(role_token_epoch(grant->token), 5);
    cr_assert_eq(set_count(&grant->set), 3);
    end();
}

/* P10 */
Test(partition_ledger, a_token_that_nobody_can_have_drawn_takes_nothing_over)
{
    const uint64_t token = begin_with_b();
    struct own_message lie = word(&c, OWN_TELL);
    uint64_t listed = 0;

    leases(lease_of(&b), lease_of(&c), true);
    lie.set = set_of(0, 10);
    lie.token = ROLE_TOKEN_MAX;
    ledger_take(&ledger, &lie);
    cr_assert(id_equal(ledger_owner(&ledger, 3, &listed), &b));
    cr_assert_eq(listed, token);
    end();
}

/* P15: one word in the coordinator's name, and no grant would count for B under this epoch; what is
 * drawn next is above it. */
Test(partition_ledger, what_is_drawn_rises_above_what_was_let_go_of)
{
    struct own_message gone = word(&b, OWN_LET_GO);

    (void)begin_with_b();
    gone.set = set_of(0, 1);
    gone.token = role_token(5, 1000);
    ledger_take(&ledger, &gone);
    uint64_t token = 0;
    cr_assert_not_null(ledger_owner(&ledger, 0, &token));
    cr_assert_eq(token, role_token(5, 1001));
    cr_assert_not(ledger.outgrown);
    end();
}

/* P15: also above that of who still owns by it, so that he can be asked to let go; but not above
 * what cannot have been drawn (P10). */
Test(partition_ledger, what_is_drawn_rises_above_what_is_owned)
{
    const uint64_t token = begin_with_b();
    struct own_message tell = word(&b, OWN_TELL);

    tell.set = set_of(0, 10);
    tell.token = role_token(6, 1000);
    ledger_take(&ledger, &tell);
    cr_assert_eq(role_token(5, ledger.serial), token);
    tell.token = role_token(5, 1000);
    ledger_take(&ledger, &tell);
    asks(&c, 7, set_of(0, 1), nothing, 0);
    const struct own_message *revoke = told(OWN_REVOKE, &b);
    cr_assert_not_null(revoke);
    cr_assert_geq(revoke->token, role_token(5, 1000));
    end();
}

/* P15: when the last one is drawn, an epoch with new ones begins. */
Test(partition_ledger, when_there_are_no_more_tokens_another_epoch_is_wanted)
{
    (void)begin_with_b();
    ledger.serial = ROLE_SERIAL_MAX;
    asks(&c, 7, set_of(50, 1), nothing, 0);
    cr_assert_null(told(OWN_GRANT, &c));
    cr_assert(ledger.outgrown);
    end();
}

/* P10 */
Test(partition_ledger, a_former_epoch_is_over)
{
    const uint64_t token = begin_with_b();
    struct own_message gone = word(&b, OWN_LET_GO);

    gone.set = set_of(0, 10);
    gone.token = token;
    gone.epoch = 4;
    ledger_take(&ledger, &gone);
    cr_assert(id_equal(owner_of(3), &b));
    ledger_on_view(&ledger, NULL, 0, 0, 0);
    cr_assert_null(owner_of(3));
    end();
}

/* P16: who asked is told which question was the latest, and is heard when it asks above that. */
Test(partition_ledger, a_number_that_leaps_mutes_nobody)
{
    (void)begin_with_b();
    const uint64_t former = questions;
    questions += UINT64_C(1) << 62; /* Somebody else asks, in its name. */
    const uint64_t latest = questions + 1;
    asks(&b, 7, nothing, nothing, 0);
    questions = former;
    asks(&b, 7, nothing, nothing, 0);
    cr_assert_eq(the(OWN_ANSWER, &b).number, latest);
    cr_assert_not(the(OWN_ANSWER, &b).agrees);
    questions = latest;
    asks(&b, 7, set_of(20, 1), nothing, 0);
    cr_assert_eq(the(OWN_ANSWER, &b).number, latest + 1);
    cr_assert_not_null(told(OWN_GRANT, &b));
    end();
}

/* P16: none is the last one. */
Test(partition_ledger, numbers_of_questions_go_round)
{
    cr_assert(own_number_is_later(0, UINT64_MAX));
    cr_assert_not(own_number_is_later(UINT64_MAX, 0));
    cr_assert(own_number_is_later(8, 7));
    cr_assert_not(own_number_is_later(7, 7));
}

/* A member's part in owning partitions: what it says, and what it makes of what it is told. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/model/role.h"
#include "partition/owner.h"

enum { SENT_MAX = 16, MANY = 271, LEASE_MS = 1000 };

static const struct node_id me = {.bytes = {1}};
static const struct node_id coordinator = {.bytes = {2}};
static const struct node_id other = {.bytes = {3}};

static struct owner owner;
static struct own_message sent[SENT_MAX];
static uint32_t sent_count;
static uint32_t told[OWNER_LOST + 1]; /* of each kind, partitions */

static void on_send(void *context, const struct own_message *message)
{
    (void)context;
    cr_assert_lt(sent_count, (uint32_t)SENT_MAX);
    sent[sent_count++] = *message;
}

static void on_news(void *context, enum owner_news news, const struct partition_set *set)
{
    (void)context;
    told[news] += set_count(set);
}

static struct partition_set set_of(uint32_t first, uint32_t count)
{
    struct partition_set set = {.words = {0}};

    for (uint32_t p = first; p < first + count; p++) {
        set_add(&set, p);
    }
    return set;
}

static const struct own_message *last_sent(enum own_kind kind)
{
    for (uint32_t i = sent_count; i > 0; i--) {
        if (sent[i - 1].kind == kind) {
            return &sent[i - 1];
        }
    }
    return NULL;
}

static struct own_message the(enum own_kind kind)
{
    const struct own_message *message = last_sent(kind);

    cr_assert_not_null(message);
    return message == NULL ? (struct own_message){.count = 0} : *message;
}

static uint32_t count_asked(void)
{
    const struct own_message question = the(OWN_ASK);

    return set_count(&question.set);
}

static uint64_t lease_of(uint64_t epoch)
{
    return role_token(epoch, 1);
}

/* Under epoch 5, with a lease, wanting 0 to 9. */
static void begin_with(uint64_t ready_ms)
{
    const struct partition_set target = set_of(0, 10);

    memset(told, 0, sizeof told);
    owner_init(&owner, &(struct owner_options){.partitions = MANY,
                                               .retry_first_ms = 10,
                                               .retry_most_ms = 100,
                                               .ready_ms = ready_ms,
                                               .send = on_send,
                                               .on_news = on_news});
    owner_on_view(&owner, &me, &coordinator, 5, 1);
    owner_on_lease(&owner, lease_of(5), LEASE_MS, 1);
    owner_on_target(&owner, 7, &target, 1);
    sent_count = 0;
}

static struct own_message word(enum own_kind kind, uint64_t serial, uint32_t first, uint32_t count)
{
    return (struct own_message){.from = coordinator,
                                .to = me,
                                .kind = kind,
                                .epoch = 5,
                                .lease = lease_of(5),
                                .token = role_token(5, serial),
                                .set = set_of(first, count)};
}

static void take(struct own_message message)
{
    owner_take(&owner, &message, 2);
}

/* P9 */
Test(partition_owner, owns_what_it_is_granted_and_says_so)
{
    begin_with(0);
    take(word(OWN_GRANT, 1, 0, 10));
    cr_assert_eq(owner_token(&owner, 3, 2), role_token(5, 1));
    cr_assert_eq(owner_token(&owner, 10, 2), 0);
    cr_assert_eq(owner_token(&owner, 3, LEASE_MS), 0, "the lease is over");
    cr_assert_eq(told[OWNER_OWNS], 10);
    const struct own_message *question = last_sent(OWN_ASK);
    cr_assert_not_null(question);
    cr_assert_eq(question->count, 10);
    cr_assert_eq(question->version, 7);
    take((struct own_message){.from = coordinator,
                              .to = me,
                              .kind = OWN_ANSWER,
                              .epoch = 5,
                              .number = question->number,
                              .agrees = true});
    cr_assert_eq(owner_deadline_ms(&owner), OWNER_NEVER_MS, "who agrees is silent");
}

/* P10: of another epoch, another coordinator, another life, another lease. */
Test(partition_owner, a_grant_counts_for_what_it_was_made_for_alone)
{
    struct own_message grant;

    begin_with(0);
    grant = word(OWN_GRANT, 1, 0, 10);
    grant.epoch = 4;
    take(grant);
    grant = word(OWN_GRANT, 1, 0, 10);
    grant.epoch = 6;
    take(grant);
    grant = word(OWN_GRANT, 1, 0, 10);
    grant.from = other;
    take(grant);
    grant = word(OWN_GRANT, 1, 0, 10);
    grant.to = other;
    take(grant);
    grant = word(OWN_GRANT, 1, 0, 10);
    grant.lease = role_token(5, 2);
    take(grant);
    grant = word(OWN_GRANT, 1, 0, 10);
    grant.token = ROLE_TOKEN_MAX; /* Nobody has drawn that. */
    take(grant);
    cr_assert_eq(owner.count, 0);
    grant = word(OWN_GRANT, 1, 0, 10);
    owner_take(&owner, &grant, LEASE_MS);
    cr_assert_eq(owner.count, 0, "the lease is over");
}

/* P11 */
Test(partition_owner, what_it_let_go_of_is_void)
{
    begin_with(0);
    take(word(OWN_GRANT, 3, 0, 10));
    take(word(OWN_REVOKE, 3, 0, 4));
    cr_assert_eq(owner.count, 6);
    const struct own_message *gone = last_sent(OWN_LET_GO);
    cr_assert_not_null(gone);
    cr_assert_eq(gone->token, role_token(5, 3));
    cr_assert_eq(set_count(&gone->set), 4);
    sent_count = 0;
    take(word(OWN_GRANT, 3, 0, 10));
    cr_assert_eq(owner.count, 6);
    gone = last_sent(OWN_LET_GO);
    cr_assert_not_null(gone, "it is said again");
    cr_assert_eq(set_count(&gone->set), 4);
    take(word(OWN_GRANT, 4, 0, 1));
    cr_assert_eq(owner_token(&owner, 0, 2), role_token(5, 4));
    take(word(OWN_REVOKE, 3, 0, 1));
    cr_assert_eq(owner_token(&owner, 0, 2), role_token(5, 4), "that was of the grant before");
}

/* P15: the coordinator has to hear why it grants in vain; of what it owns by then, nothing ends. */
Test(partition_owner, what_it_refuses_is_told_with_the_token_it_goes_by)
{
    begin_with(0);
    take(word(OWN_GRANT, 900, 0, 1));
    take(word(OWN_REVOKE, 900, 0, 1));
    take(word(OWN_GRANT, 3, 1, 1));
    take(word(OWN_REVOKE, 3, 1, 1));
    take(word(OWN_GRANT, 4, 1, 1));
    sent_count = 0;
    take(word(OWN_GRANT, 2, 0, 2));
    const struct own_message gone = the(OWN_LET_GO);
    cr_assert_eq(gone.token, role_token(5, 900));
    cr_assert(set_equal(&gone.set, &(struct partition_set){.words = {1}}));
    cr_assert_eq(owner_token(&owner, 1, 2), role_token(5, 4));
}

/* P8 */
Test(partition_owner, all_is_lost_with_the_lease)
{
    begin_with(0);
    take(word(OWN_GRANT, 1, 0, 10));
    owner_on_lease(&owner, 0, 0, 3);
    cr_assert_eq(told[OWNER_LOST], 10);
    sent_count = 0;
    owner_on_lease(&owner, role_token(5, 9), LEASE_MS, 4);
    cr_assert_eq(owner_token(&owner, 3, 4), 0);
    cr_assert_null(last_sent(OWN_TELL));
    struct own_message late = word(OWN_GRANT, 1, 0, 10);
    late.lease = role_token(5, 9);
    owner_take(&owner, &late, 5);
    cr_assert_eq(owner.count, 0, "it was of the lease before");
}

/* P12: to a coordinator that lists something else, and to a new one. */
Test(partition_owner, tells_what_it_owns)
{
    begin_with(0);
    take(word(OWN_GRANT, 1, 0, 5));
    take(word(OWN_GRANT, 2, 5, 5));
    const uint64_t number = the(OWN_ASK).number;
    struct own_message answer = word(OWN_ANSWER, 0, 0, 0);
    answer.number = number - 1;
    sent_count = 0;
    take(answer);
    cr_assert_eq(sent_count, 0, "that was not the last question");
    answer.number = number;
    take(answer);
    cr_assert_eq(sent_count, 2);
    cr_assert(sent[0].kind == OWN_TELL && sent[1].kind == OWN_TELL);
    cr_assert(set_equal(&sent[1].set, &(struct partition_set){.words = {0x3e0}}));
    sent_count = 0;
    owner_on_view(&owner, &me, &other, 6, 3);
    cr_assert_eq(sent_count, 3);
    cr_assert(sent[2].kind == OWN_ASK && sent[2].epoch == 6);
    cr_assert_eq(sent[2].version, 0, "the table of that view is not known yet");
    cr_assert_eq(owner.count, 10);
}

/* P13 */
Test(partition_owner, a_renewed_lease_keeps_it)
{
    begin_with(0);
    take(word(OWN_GRANT, 1, 0, 10));
    owner_on_view(&owner, &me, &coordinator, 6, 3);
    owner_on_lease(&owner, lease_of(6), LEASE_MS, 3);
    cr_assert_eq(told[OWNER_LOST], 0);
    cr_assert_eq(owner.count, 10);
    struct own_message renewed = word(OWN_GRANT, 1, 0, 10);
    renewed.epoch = 6;
    renewed.lease = lease_of(6);
    renewed.token = role_token(6, 3);
    take(renewed);
    cr_assert_eq(owner_token(&owner, 3, 3), role_token(6, 3));
}

/* P14: the two steps. */
Test(partition_owner, wants_what_it_is_ready_for)
{
    const struct partition_set some = set_of(0, 4);

    begin_with(50);
    cr_assert_eq(told[OWNER_INCOMING], 10);
    owner_ready(&owner, &some, 2);
    const struct own_message question = the(OWN_ASK);
    cr_assert(set_equal(&question.set, &some));
    cr_assert_leq(owner_deadline_ms(&owner), 51);
    owner_tick(&owner, 51);
    cr_assert_eq(count_asked(), 10, "it was silent for long enough");
}

/* P14 */
Test(partition_owner, what_was_promised_is_kept_until_then_or_until_done)
{
    const struct partition_set one = set_of(1, 1);

    begin_with(0);
    take(word(OWN_GRANT, 1, 0, 10));
    cr_assert_eq(owner_promise(&owner, 0, 2), LEASE_MS);
    cr_assert_eq(owner_promise(&owner, 1, 2), LEASE_MS);
    cr_assert_eq(owner_promise(&owner, 11, 2), 0);
    take(word(OWN_REVOKE, 1, 0, 3));
    cr_assert_eq(told[OWNER_STOPS], 2);
    cr_assert_eq(told[OWNER_LOST], 1, "nobody went by that one");
    owner_on_lease(&owner, lease_of(5), LEASE_MS + 500, 3);
    cr_assert_eq(owner_promise(&owner, 0, 3), 0, "no more of what is about to go");
    owner_done(&owner, &one, 4);
    cr_assert_eq(told[OWNER_LOST], 2);
    owner_tick(&owner, LEASE_MS - 1);
    cr_assert_eq(told[OWNER_LOST], 2);
    owner_tick(&owner, LEASE_MS);
    cr_assert_eq(told[OWNER_LOST], 3);
    cr_assert_eq(owner_promised_ms(&owner), LEASE_MS);
}

/* P16: somebody asked in this member's name. */
Test(partition_owner, a_number_later_than_its_own_makes_it_ask_above_that)
{
    begin_with(0);
    struct own_message answer = word(OWN_ANSWER, 0, 0, 0);
    answer.number = UINT64_MAX / 2;
    answer.agrees = true;
    sent_count = 0;
    take(answer);
    cr_assert_eq(the(OWN_ASK).number, UINT64_MAX / 2 + 1);
    cr_assert_not(owner.agreed);
    answer.number++;
    sent_count = 0;
    take(answer);
    cr_assert_eq(sent_count, 0);
    cr_assert(owner.agreed);
}

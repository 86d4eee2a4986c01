/* The attacks of a review on a cluster, each as one story; those on files and sockets are in
 * test_access.c and in the unit tests of the state directory and of the control socket. Whoever can
 * send a datagram to a cluster without a key, and whoever holds the key of one that has a key, may
 * lie; a stranger to a cluster with a key may not even be heard. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "forging.h"

enum {
    COORDINATOR = 0, /* places in the view that the forger learned: athens, byzantium ... */
    DELPHI = 3,
    MEMBERS = 5,
    STALL_HEARTBEATS = 24, /* of each member: more than the silence after which it is stalled */
    WITHIN_ALL_BOUNDS = 1 << 19,
};

#define EVERYBODY "athens byzantium cyrene delphi ephesus"
#define NEXT_AGE_CLOSED (UINT64_C(1) << 62)
#define NUMBER_LEAP (UINT64_C(1) << 31)
#define EPOCH_LEAP ((UINT64_C(1) << 31) - 1)
#define EPOCH_LEAP_OF_ITS_MAKER ((UINT64_C(1) << 32) - 1)

static const char *const five[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};

static const json_t *counters(struct cluster *cluster, const char *name)
{
    return json_object_get(cluster_document(cluster, name, "/v1/status"), "counters");
}

static uint64_t counter(struct cluster *cluster, const char *name, const char *key)
{
    return number_of(counters(cluster, name), key);
}

static uint64_t counted(struct cluster *cluster, const char *name, const char *kind,
                        const char *key)
{
    return number_of(json_object_get(counters(cluster, name), kind), key);
}

static uint64_t refused(struct cluster *cluster, const char *name, const char *reason)
{
    return counted(cluster, name, "refused", reason);
}

/* Lets so much time pass that whoever had fallen silent would have been found out. */
static void let_them_speak(struct cluster *cluster, const char *name)
{
    const uint64_t enough = counted(cluster, name, "received", "heartbeat") +
                            (uint64_t)STALL_HEARTBEATS * (MEMBERS - 1);

    assert_soon(counted(cluster, name, "received", "heartbeat") >= enough);
}

static uint64_t suspicions(struct cluster *cluster)
{
    uint64_t count = 0;

    for (size_t i = 0; i < MEMBERS; i++) {
        count += cluster_log_count(cluster, five[i], "suspect");
    }
    return count;
}

static void assert_all_hold(struct cluster *cluster, const char *view)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        cr_assert_str_eq(cluster_view(cluster, five[i]), view, "%s", five[i]);
    }
}

/* Does everybody hold one view, with all five in it? */
static bool are_together(struct cluster *cluster)
{
    const char *view = cluster_view(cluster, five[0]);

    for (size_t i = 0; i < MEMBERS; i++) {
        if (strstr(view, text_kept("%s/", five[i])) == NULL ||
            strcmp(cluster_view(cluster, five[i]), view) != 0) {
            return false;
        }
    }
    return true;
}

/* A member that starts anew is let in again, and so is one that never was there. */
static void assert_the_door_is_open(struct cluster *cluster)
{
    cluster_kill(cluster, "ephesus");
    assert_agreement(cluster, "athens byzantium cyrene delphi");
    cluster_restart(cluster, "ephesus");
    assert_agreement(cluster, EVERYBODY);
    cluster_start(cluster, "corinth", "athens", NO_ARGS);
    assert_agreement(cluster, EVERYBODY " corinth");
}

/* --- Whoever can send a datagram to a cluster without a key ---------------------------------- */

/* One such view was enough to keep everybody out for ever: ages are given from next_age on, and
 * there are none above. */
Story(attacks, a_view_that_uses_up_the_ages_is_refused)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, EVERYBODY);
    const char *view = cluster_view(cluster, "athens");
    struct forger *forger = forging_begin(cluster);
    forger_view(forger, FORGE_ANYBODY, COORDINATOR,
                &(struct forged_view){.version_above = 1, .next_age = NEXT_AGE_CLOSED});
    assert_soon(refused(cluster, "athens", "view_leaps") == 1);
    assert_all_hold(cluster, view);
    forger_free(forger);
    assert_the_door_is_open(cluster);
}

/* The coordinator believed it, and four lives were over. */
Story(attacks, the_coordinator_takes_no_view_that_it_did_not_make)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, EVERYBODY);
    const char *view = cluster_view(cluster, "athens");
    struct forger *forger = forging_begin(cluster);
    forger_view(forger, FORGE_ANYBODY, COORDINATOR,
                &(struct forged_view){.version_above = 1, .alone = true});
    assert_soon(refused(cluster, "athens", "view_in_our_name") == 1);
    forger_view(forger, FORGE_ANYBODY, COORDINATOR,
                &(struct forged_view){.epoch_above = EPOCH_LEAP});
    assert_soon(refused(cluster, "athens", "view_in_our_name") == 2);
    let_them_speak(cluster, "athens");
    assert_all_hold(cluster, view);
    cr_assert_eq(suspicions(cluster), 0);
    assert_text_has(doyen(cluster, "athens", ARGS("why")).out, "which never made it");
    forger_free(forger);
    assert_the_door_is_open(cluster);
}

/* All that delphi said afterwards was old, for as long as it lived. */
Story(attacks, a_number_that_leaps_mutes_nobody)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, EVERYBODY);
    const char *view = cluster_view(cluster, "athens");
    struct forger *forger = forging_begin(cluster);
    for (int i = 0; i < MEMBERS; i++) {
        if (i != DELPHI) {
            forger_heartbeat(forger, DELPHI, i, NUMBER_LEAP, false);
            assert_soon(refused(cluster, five[i], "number_leaps") == 1);
        }
    }
    let_them_speak(cluster, "athens");
    assert_all_hold(cluster, view);
    cr_assert_eq(suspicions(cluster), 0);
    assert_text_has(doyen(cluster, "athens", ARGS("why", "delphi")).out,
                    "its number is too far above its sender's last");
    forger_free(forger);
    assert_the_door_is_open(cluster);
}

/* The coordinator alone heard nobody, and removed them all. */
Story(attacks, numbers_that_leap_make_a_coordinator_remove_nobody)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "majority", "--size", "5"));

    cluster_form(cluster, EVERYBODY);
    const char *view = cluster_view(cluster, "athens");
    struct forger *forger = forging_begin(cluster);
    for (int i = 1; i < MEMBERS; i++) {
        forger_heartbeat(forger, i, COORDINATOR, NUMBER_LEAP, false);
    }
    assert_soon(refused(cluster, "athens", "number_leaps") == MEMBERS - 1);
    let_them_speak(cluster, "athens");
    assert_all_hold(cluster, view);
    cr_assert_eq(suspicions(cluster), 0);
    cr_assert_eq(cluster_log_count(cluster, "athens", "not-acting"), 0);
    cr_assert_eq(doyen(cluster, "athens", ARGS("coordinator", "--is-self")).code, 0);
    forger_free(forger);
}

/* A leap that is within the bound is believed at first, and the member is asked when it falls
 * silent by it. */
Story(attacks, a_member_that_is_made_to_look_silent_is_asked)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, EVERYBODY);
    const char *view = cluster_view(cluster, "athens");
    struct forger *forger = forging_begin(cluster);
    forger_heartbeat(forger, DELPHI, COORDINATOR, WITHIN_ALL_BOUNDS, false);
    assert_soon(refused(cluster, "athens", "overtaken") > 0);
    const uint64_t answers = counted(cluster, "athens", "received", "pong");
    assert_soon(counted(cluster, "athens", "received", "pong") > answers);
    let_them_speak(cluster, "athens");
    const uint64_t overtaken = refused(cluster, "athens", "overtaken");
    let_them_speak(cluster, "athens");
    cr_assert_eq(refused(cluster, "athens", "overtaken"), overtaken, "it is heard");
    assert_all_hold(cluster, view);
    cr_assert_eq(cluster_log_count(cluster, "athens", "removed"), 0);
    forger_free(forger);
}

/* Each of these was a new view for all, and the evidence of older ones was gone. */
Story(attacks, a_heartbeat_with_a_wrong_hash_makes_no_view)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, EVERYBODY);
    const char *view = cluster_view(cluster, "athens");
    struct forger *forger = forging_begin(cluster);
    forger_heartbeat(forger, DELPHI, COORDINATOR, WITHIN_ALL_BOUNDS, true);
    assert_soon(counter(cluster, "athens", "mismatches") == 1);
    let_them_speak(cluster, "athens");
    assert_all_hold(cluster, view);
    forger_free(forger);
}

/* --- A stranger to a cluster with a key ------------------------------------------------------ */

/* Every lie of this page, once. */
static void tell_all_lies(struct forger *forger, int as)
{
    const struct forged_view alone = {.version_above = 1, .alone = true};
    const struct forged_view closed = {.version_above = 1, .next_age = NEXT_AGE_CLOSED};
    const struct forged_view later = {.epoch_above = EPOCH_LEAP};

    for (int to = 0; to < MEMBERS; to++) {
        forger_view(forger, as, to, &alone);
        forger_view(forger, as, to, &closed);
        forger_view(forger, as, to, &later);
        forger_prepare(forger, as, to, &later);
        forger_claim(forger, as, to, NUMBER_LEAP);
        forger_leave(forger, as, to, WITHIN_ALL_BOUNDS);
        forger_not_following(forger, as, to, 5, WITHIN_ALL_BOUNDS + 1);
        forger_heartbeat(forger, as, to, WITHIN_ALL_BOUNDS + 2, true);
        forger_heartbeat(forger, as, to, NUMBER_LEAP, false);
    }
}

/* It knows every id and the very view, and says all in the name of each member; it has no key, or
 * another one. */
Story(attacks, a_cluster_with_a_key_does_not_hear_strangers)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_make_key(cluster, "key");
    cluster_form(cluster, EVERYBODY);
    struct forger *forger = forging_begin(cluster);
    const char *key = cluster->key;
    cluster_make_key(cluster, "another");
    const char *another = cluster->key;
    cluster->key = key;
    const char *view = cluster_view(cluster, "athens");
    const uint64_t lies = 9 * (MEMBERS + 1);

    cr_assert(forger_use_key(forger, NULL));
    for (int as = FORGE_ANYBODY; as < MEMBERS; as++) {
        tell_all_lies(forger, as);
    }
    cr_assert(forger_use_key(forger, another));
    for (int as = FORGE_ANYBODY; as < MEMBERS; as++) {
        tell_all_lies(forger, as);
    }
    for (size_t i = 0; i < MEMBERS; i++) {
        assert_soon(counter(cluster, five[i], "without_key") == lies);
        assert_soon(counted(cluster, five[i], "not_opened", "other key") == lies);
    }
    let_them_speak(cluster, "athens");
    assert_all_hold(cluster, view);
    cr_assert_eq(suspicions(cluster), 0);
    cr_assert_eq(refused(cluster, "athens", "number_leaps"), 0, "the core has heard nothing");
    cr_assert_eq(refused(cluster, "athens", "view_in_our_name"), 0, "the core has heard nothing");
    forger_free(forger);
    assert_the_door_is_open(cluster);
}

/* Floods of what asks a node for something cost it some work, and nothing else waits for that. */
enum { FLOOD_AT_ONCE = 50, JOINS = 100 };

/* Without a key, 3000 of these a second kept a split open for as long as they came. */
Story(attacks, a_split_heals_while_strangers_ask_for_the_view)
{
    struct cluster *cluster = cluster_new(ARGS("--faults"));
    struct forger *forger = forger_new(cluster->host);
    bool healed = false;

    cr_assert_not_null(forger);
    cluster_make_key(cluster, "key");
    cluster_form(cluster, EVERYBODY);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(doyen(cluster, five[i], ARGS("fault", "drop", "delphi", "ephesus")).code, 0);
    }
    assert_soon(strstr(cluster_view(cluster, "athens"), "delphi") == NULL &&
                strstr(cluster_view(cluster, "athens"), "ephesus") == NULL &&
                strstr(cluster_view(cluster, "delphi"), "athens") == NULL);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(doyen(cluster, five[i], ARGS("fault", "clear")).code, 0);
    }
    const uint64_t until_ms = clock_now_ms() + LIMIT_MS;
    while (!healed && clock_now_ms() < until_ms) {
        for (int i = 0; i < FLOOD_AT_ONCE; i++) {
            forger_pull(forger, cluster_daemon(cluster, "athens")->port);
            forger_pull(forger, cluster_daemon(cluster, "delphi")->port);
        }
        clock_nap_ms(1);
        healed = are_together(cluster);
    }
    cr_assert(healed, "%s", cluster_text(cluster));
    assert_soon(counter(cluster, "athens", "without_key") > 0); /* They did ask. */
    forger_free(forger);
}

/* Without a key, two OFFERs a second kept a node from founding for as long as they came. */
Story(attacks, strangers_who_offer_something_put_off_no_founding)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct forger *forger = forger_new(cluster->host);
    bool founded = false;

    cr_assert_not_null(forger);
    cluster_make_key(cluster, "key");
    const struct daemon *athens = cluster_start(cluster, "athens", "athens byzantium", NO_ARGS);
    const uint64_t until_ms = clock_now_ms() + LIMIT_MS;
    while (!founded && clock_now_ms() < until_ms) {
        forger_offer(forger, athens->port);
        clock_nap_ms(20);
        founded = strcmp(cluster_view(cluster, "athens"), "1.1 athens/1") == 0;
    }
    cr_assert(founded, "%s", cluster_text(cluster));
    cr_assert_gt(counter(cluster, "athens", "without_key"), 0);
    forger_free(forger);
}

/* Without a key, the answer to a JOIN goes to the address that it names, whoever lives there. */
Story(attacks, strangers_make_nobody_answer_to_somebody_else)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct forger *forger = forger_new(cluster->host);
    const uint16_t port = cluster_port(cluster);
    const int victim = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    char byte;

    cr_assert(forger != NULL && victim >= 0);
    cr_assert_eq(inet_pton(AF_INET, cluster->host, &address.sin_addr), 1);
    cr_assert_eq(bind(victim, (const struct sockaddr *)&address, sizeof address), 0);
    cluster_make_key(cluster, "key");
    cluster_form(cluster, "athens byzantium");
    for (uint64_t i = 1; i <= JOINS; i++) {
        forger_join(forger, cluster_daemon(cluster, "athens")->port, port);
        forger_join(forger, cluster_daemon(cluster, "byzantium")->port, port);
        assert_soon(counter(cluster, "athens", "without_key") >= i &&
                    counter(cluster, "byzantium", "without_key") >= i);
    }
    cr_assert_lt(recv(victim, &byte, 1, MSG_DONTWAIT), 0, "an answer came");
    assert_agreement(cluster, "athens byzantium");
    close(victim);
    forger_free(forger);
}

/* --- A member that lies ---------------------------------------------------------------------- */

struct lie {
    void (*tell)(struct forger *forger);
    const char *refused; /* the reason that athens counts it by; NULL: it believes it */
    bool costs_lives;
};

static void remember_ids(struct cluster *cluster, const char *ids[MEMBERS])
{
    for (size_t i = 0; i < MEMBERS; i++) {
        ids[i] = text_of(entry_of(cluster_members(cluster, "athens"), "members", five[i]), "id");
    }
}

/* Byzantium has been taken over, and says one thing. Afterwards all are together again, and whoever
 * starts anew is let in. */
static void assert_heals(struct cluster *cluster, const struct lie *lie)
{
    struct forger *forger = forging_begin(cluster);
    const uint64_t before = lie->refused == NULL ? 0 : refused(cluster, "athens", lie->refused);
    const char *ids[MEMBERS];
    const char *later[MEMBERS];

    remember_ids(cluster, ids);
    lie->tell(forger);
    assert_soon(lie->refused == NULL || refused(cluster, "athens", lie->refused) > before);
    let_them_speak(cluster, "athens");
    assert_soon(are_together(cluster));
    remember_ids(cluster, later);
    for (size_t i = 0; i < MEMBERS && !lie->costs_lives; i++) {
        cr_assert_str_eq(later[i], ids[i], "%s lost its life", five[i]);
    }
    forger_free(forger);
    cluster_kill(cluster, "ephesus");
    cluster_restart(cluster, "ephesus");
    assert_soon(are_together(cluster));
}

/* Of heartbeats each 250 ms one of twenty is sealed with a number, which is what is attacked. */
static struct cluster *cluster_with_key(void)
{
    struct cluster *cluster = cluster_new(ARGS("--heartbeat", "250ms"));

    cluster_make_key(cluster, "key");
    cluster_form(cluster, EVERYBODY);
    return cluster;
}

enum { BYZANTIUM = 1 };

static void show_closed(struct forger *forger)
{
    for (int to = 0; to < MEMBERS; to++) {
        forger_view(forger, BYZANTIUM, to,
                    &(struct forged_view){.version_above = 1, .next_age = NEXT_AGE_CLOSED});
    }
}

static void show_alone(struct forger *forger)
{
    forger_view(forger, BYZANTIUM, COORDINATOR,
                &(struct forged_view){.version_above = 1, .alone = true});
}

static void show_later(struct forger *forger)
{
    forger_view(forger, BYZANTIUM, COORDINATOR, &(struct forged_view){.epoch_above = EPOCH_LEAP});
}

static void show_much_later(struct forger *forger)
{
    for (int to = 0; to < MEMBERS; to++) {
        forger_view(forger, BYZANTIUM, to,
                    &(struct forged_view){.epoch_above = EPOCH_LEAP_OF_ITS_MAKER});
    }
}

static void show_later_to_all(struct forger *forger)
{
    for (int to = 0; to < MEMBERS; to++) {
        forger_view(forger, BYZANTIUM, to, &(struct forged_view){.epoch_above = EPOCH_LEAP});
    }
}

static void mute_delphi(struct forger *forger)
{
    for (int to = 0; to < MEMBERS; to++) {
        forger_heartbeat(forger, DELPHI, to, NUMBER_LEAP, false);
    }
}

static void mute_all_at_the_coordinator(struct forger *forger)
{
    for (int as = 1; as < MEMBERS; as++) {
        forger_heartbeat(forger, as, COORDINATOR, NUMBER_LEAP, false);
    }
}

static void mute_the_coordinator_everywhere(struct forger *forger)
{
    for (int to = 1; to < MEMBERS; to++) {
        forger_heartbeat(forger, COORDINATOR, to, NUMBER_LEAP, false);
    }
}

static void name_a_wrong_hash(struct forger *forger)
{
    forger_heartbeat(forger, DELPHI, COORDINATOR, WITHIN_ALL_BOUNDS, true);
}

static void propose(struct forger *forger)
{
    for (int to = 0; to < MEMBERS; to++) {
        forger_prepare(forger, BYZANTIUM, to, &(struct forged_view){.epoch_above = EPOCH_LEAP});
    }
}

static void claim(struct forger *forger)
{
    for (int to = 0; to < MEMBERS; to++) {
        forger_claim(forger, BYZANTIUM, to, NUMBER_LEAP);
    }
}

static void take_delphi_away(struct forger *forger)
{
    forger_leave(forger, DELPHI, COORDINATOR, WITHIN_ALL_BOUNDS);
}

static void remove_all_lives(struct forger *forger)
{
    for (int to = 0; to < MEMBERS; to++) {
        forger_view(forger, BYZANTIUM, to,
                    &(struct forged_view){.version_above = 1, .alone = true});
    }
}

static void follow_another(struct forger *forger)
{
    for (uint64_t i = 0; i < 8; i++) {
        forger_not_following(forger, DELPHI, COORDINATOR, 5, WITHIN_ALL_BOUNDS + i);
        clock_nap_ms(100);
    }
}

Story(attacks, ages_that_a_member_uses_up_are_refused)
{
    assert_heals(cluster_with_key(), &(struct lie){.tell = show_closed, .refused = "view_leaps"});
}

Story(attacks, a_view_that_a_member_made_up_is_outdone)
{
    struct cluster *cluster = cluster_with_key();
    const char *const reason = "view_in_our_name";

    assert_heals(cluster, &(struct lie){.tell = show_alone, .refused = reason});
    assert_heals(cluster, &(struct lie){.tell = show_later, .refused = reason});
    assert_heals(cluster, &(struct lie){.tell = show_later_to_all, .refused = reason});
    assert_heals(cluster, &(struct lie){.tell = show_much_later, .refused = "view_leaps"});
}

Story(attacks, a_member_that_lies_about_numbers_mutes_nobody)
{
    struct cluster *cluster = cluster_with_key();
    const char *const reason = "number_leaps";

    assert_heals(cluster, &(struct lie){.tell = mute_delphi, .refused = reason});
    assert_heals(cluster, &(struct lie){.tell = mute_all_at_the_coordinator, .refused = reason});
    assert_heals(cluster, &(struct lie){.tell = mute_the_coordinator_everywhere});
    assert_heals(cluster, &(struct lie){.tell = name_a_wrong_hash, .refused = "overtaken"});
}

Story(attacks, proposals_and_claims_that_a_member_made_up_come_to_nothing)
{
    struct cluster *cluster = cluster_with_key();

    assert_heals(cluster, &(struct lie){.tell = propose, .refused = "proposal_of_another"});
    assert_heals(cluster, &(struct lie){.tell = claim, .refused = "claimant_younger"});
}

Story(attacks, lives_that_a_member_ends_begin_anew)
{
    struct cluster *cluster = cluster_with_key();

    assert_heals(cluster, &(struct lie){.tell = take_delphi_away, .costs_lives = true});
    assert_heals(cluster, &(struct lie){.tell = follow_another, .costs_lives = true});
    assert_heals(cluster, &(struct lie){.tell = remove_all_lives,
                                        .refused = "view_in_our_name",
                                        .costs_lives = true});
}

/* --- The numbers of sealed frames ------------------------------------------------------------ */

/* Who holds the key can seal under any life. It used up the numbers of one, so that all true frames
 * of that life were taken for played back, until it started anew. Now the life is asked. */
struct muting {
    int who;
    int first; /* where: of these places */
    int last;
};

static void mute(struct forger *forger, const struct muting *muting)
{
    for (int to = muting->first; to <= muting->last; to++) {
        if (to != muting->who) {
            forger_use_up_numbers(forger, muting->who, to);
        }
    }
}

/* Is that member heard at all places? Then nobody refuses its frames for as long as let_them_speak
 * takes. */
static void assert_heard(struct cluster *cluster)
{
    uint64_t before[MEMBERS];

    for (size_t i = 0; i < MEMBERS; i++) {
        before[i] = counted(cluster, five[i], "not_opened", "played back or too old");
    }
    let_them_speak(cluster, "athens");
    for (size_t i = 0; i < MEMBERS; i++) {
        cr_assert_eq(counted(cluster, five[i], "not_opened", "played back or too old"), before[i],
                     "%s", five[i]);
    }
}

/* In quiet it says little that has a number: the first of that is refused, and then it is asked. */
static void assert_asked_about(struct cluster *cluster, const struct muting *muting)
{
    for (int to = muting->first; to <= muting->last; to++) {
        assert_soon(to == muting->who || counter(cluster, five[to], "counts_asked") > 0);
    }
}

static void assert_muting_ends(const struct muting *muting)
{
    struct cluster *cluster = cluster_with_key();
    struct forger *forger = forging_begin(cluster);
    const char *view = cluster_view(cluster, "athens");

    mute(forger, muting);
    assert_asked_about(cluster, muting);
    let_them_speak(cluster, "athens");
    assert_heard(cluster);
    assert_all_hold(cluster, view);
    cr_assert_eq(suspicions(cluster), 0);
    forger_free(forger);
}

Story(attacks, a_member_whose_numbers_are_used_up_at_one_is_asked_for_its_count)
{
    assert_muting_ends(&(struct muting){.who = DELPHI, .first = COORDINATOR, .last = COORDINATOR});
}

Story(attacks, a_member_whose_numbers_are_used_up_everywhere_stays)
{
    assert_muting_ends(&(struct muting){.who = DELPHI, .first = COORDINATOR, .last = MEMBERS - 1});
}

Story(attacks, a_coordinator_whose_numbers_are_used_up_stays)
{
    assert_muting_ends(
        &(struct muting){.who = COORDINATOR, .first = COORDINATOR, .last = MEMBERS - 1});
}

/* For as long as that goes on. */
Story(attacks, numbers_that_are_used_up_again_and_again_lock_nobody_out)
{
    struct cluster *cluster = cluster_with_key();
    struct forger *forger = forging_begin(cluster);
    const struct muting muting = {.who = DELPHI, .first = COORDINATOR, .last = MEMBERS - 1};
    const uint64_t enough = counted(cluster, "athens", "received", "heartbeat") +
                            (uint64_t)STALL_HEARTBEATS * (MEMBERS - 2);

    while (counted(cluster, "athens", "received", "heartbeat") < enough) {
        mute(forger, &muting);
        clock_nap_ms(1);
    }
    assert_asked_about(cluster, &muting);
    let_them_speak(cluster, "athens");
    assert_soon(are_together(cluster));
    assert_heard(cluster);
    forger_free(forger);
}

/* A part whose numbers are used up while it is apart is no member of the other part: it is asked
 * where its frames come from. */
Story(attacks, who_is_muted_while_it_is_apart_comes_back)
{
    struct cluster *cluster = cluster_new(ARGS("--faults"));
    const char *ids[MEMBERS];

    cluster_make_key(cluster, "key");
    cluster_form(cluster, EVERYBODY);
    remember_ids(cluster, ids);
    struct forger *forger = forging_begin(cluster);
    cr_assert_eq(
        doyen(cluster, "delphi", ARGS("fault", "drop", "athens", "byzantium", "cyrene", "ephesus"))
            .code,
        0);
    assert_soon(strstr(cluster_view(cluster, "athens"), "delphi/") == NULL &&
                strstr(cluster_view(cluster, "delphi"), "athens/") == NULL);
    mute(forger, &(struct muting){.who = DELPHI, .first = COORDINATOR, .last = MEMBERS - 1});
    cr_assert_eq(doyen(cluster, "delphi", ARGS("fault", "clear")).code, 0);
    assert_soon(are_together(cluster));
    cr_assert_str_eq(
        text_of(entry_of(cluster_members(cluster, "athens"), "members", "delphi"), "id"),
        ids[DELPHI]);
    cr_assert_gt(counter(cluster, "athens", "counts_asked"), 0);
    assert_heard(cluster);
    forger_free(forger);
}

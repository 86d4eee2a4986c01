/* The voters that a view names, in one list or in two: what a quorum of them is, and which lists
 * there may be (Z10, Z11b, Z10d). A list is written "A B | B C": before the bar whom is left,
 * behind it who holds; without a bar there is one list. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/model/voter_lists.h"
#include "view_builder.h"

/* At the place where the letter is already, if it is in the other list. */
static void put(struct voter_lists *lists, char letter, bool before)
{
    const struct node_id record = record_of(letter);
    uint8_t place = voter_lists_find(lists, &record);

    if (place == VOTER_NONE) {
        place = lists->count++;
        lists->voters[place] = (struct listed_voter){
            .name = {letter}, .record = record, .address = member_of(letter).address};
    }
    lists->voters[place].before = lists->voters[place].before || before;
    lists->voters[place].now = lists->voters[place].now || !before;
}

static struct voter_lists lists_of(const char *text)
{
    struct voter_lists lists = {.number = 1};
    const char *bar = strchr(text, '|');

    for (const char *at = text; *at != '\0'; at++) {
        if (*at != ' ' && *at != '|') {
            put(&lists, *at, bar != NULL && at < bar);
        }
    }
    return lists;
}

static voter_set set_of(const struct voter_lists *lists, const char *letters)
{
    voter_set set = 0;

    for (; *letters != '\0'; letters++) {
        if (*letters != ' ') {
            const struct node_id record = record_of(*letters);
            const uint8_t place = voter_lists_find(lists, &record);
            cr_assert_neq(place, VOTER_NONE, "%c is not in it", *letters);
            set |= voter_set_of(place);
        }
    }
    return set;
}

/* --- How many it takes --- */

Test(voter_lists, a_quorum_is_more_than_half_of_each_list)
{
    static const struct {
        const char *lists;
        const char *set;
        bool agree;
        struct voter_count count; /* of the list that lacks most */
    } cases[] = {
        {"A", "", false, {0, 1}},
        {"A", "A", true, {1, 1}},
        {"A B", "A", false, {1, 2}},
        {"A B", "A B", true, {2, 2}},
        {"A B C", "B", false, {1, 2}},
        {"A B C", "A C", true, {2, 2}},
        {"A B C D", "A B", false, {2, 3}},
        {"A B C D E", "A C E", true, {3, 3}},
        {"A B C D E F G H I", "A B C D", false, {4, 5}},
        {"A B C D E F G H I", "A B C D I", true, {5, 5}},
        /* One is replaced by another. */
        {"A B C | A B D", "A B", true, {2, 2}},
        {"A B C | A B D", "A C", false, {1, 2}},
        {"A B C | A B D", "A D", false, {1, 2}},
        {"A B C | A B D", "C D", false, {1, 2}},
        {"A B C | A B D", "A C D", true, {2, 2}},
        /* One comes, and one goes. */
        {"A | A B", "A", false, {1, 2}},
        {"A | A B", "B", false, {1, 2}},
        {"A | A B", "A B", true, {2, 2}},
        {"A B | A", "A", false, {1, 2}},
        {"A B | A", "A B", true, {1, 1}},
        {"A B C | A B C D", "A B", false, {2, 3}},
        {"A B C | A B C D", "A B D", true, {3, 3}},
        {"A B C | A B C D", "A D", false, {2, 3}},
        /* All are others. */
        {"A B C | D E F", "A B C", false, {0, 2}},
        {"A B C | D E F", "D E F", false, {0, 2}},
        {"A B C | D E F", "A B D E", true, {2, 2}},
        {"A B C D E F G H I | J K L M N O P Q R", "A B C D E J K L M", false, {4, 5}},
        {"A B C D E F G H I | J K L M N O P Q R", "A B C D E J K L M N", true, {5, 5}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct voter_lists lists = lists_of(cases[i].lists);
        const voter_set set = set_of(&lists, cases[i].set);
        const struct voter_count count = voter_lists_count(&lists, set);

        cr_expect_eq(voter_lists_agree(&lists, set), cases[i].agree, "%zu: %s of %s", i,
                     cases[i].set, cases[i].lists);
        cr_expect_eq(count.have, cases[i].count.have, "%zu: has %u", i, count.have);
        cr_expect_eq(count.needed, cases[i].count.needed, "%zu: needs %u", i, count.needed);
        cr_expect_eq(count.have >= count.needed, cases[i].agree, "%zu: both say the same", i);
    }
}

/* A view that names nobody elects nobody. */
Test(voter_lists, nobody_is_no_quorum)
{
    const struct voter_lists none = lists_of("");

    cr_assert_not(voter_lists_agree(&none, 0));
    cr_assert_not(voter_lists_agree(&none, voter_lists_all(&none)));
    cr_assert_eq(voter_lists_all(&none), 0);
}

/* Who was in a list once, and is in none, counts nowhere. */
Test(voter_lists, whoever_is_in_no_list_does_not_count)
{
    struct voter_lists lists = lists_of("A B C");

    cr_assert(voter_lists_agree(&lists, set_of(&lists, "B C")));
    lists.voters[2].now = false;
    cr_assert_not(voter_lists_agree(&lists, set_of(&lists, "B C")));
}

/* What the chain rests on: two views built on one, with none committed between, share a list. */
Test(voter_lists, quorums_of_a_view_and_of_the_next_meet)
{
    static const char *const chains[][2] = {
        {"A B C", "A B C | A B D"},       {"A B C | A B D", "A B D"}, {"A B C | D E F", "D E F"},
        {"A B C | D E F", "A B C"},       {"A B C D", "A B C D | E"}, {"A | B C D", "B C D"},
        {"A B C | D E F", "A B C | G H"},
    };

    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        const struct voter_lists one = lists_of(chains[i][0]);
        const struct voter_lists other = lists_of(chains[i][1]);
        for (voter_set set = 0; set <= voter_lists_all(&one); set++) {
            const voter_set others = voter_lists_all(&one) & ~set;
            const voter_set moved = voter_lists_move(others, &one, &other);
            const voter_set strangers = voter_lists_all(&other) &
                                        ~voter_lists_move(voter_lists_all(&one), &one, &other);
            cr_expect_not(voter_lists_agree(&one, set) &&
                              voter_lists_agree(&other, moved | strangers),
                          "%zu: %x", i, (unsigned)set);
        }
    }
}

Test(voter_lists, all_of_them_and_how_many_hold)
{
    static const struct {
        const char *lists;
        voter_set all;
        uint32_t length;
        bool joint;
    } cases[] = {
        {"", 0, 0, false},       {"A", 1, 1, false},
        {"A B C", 7, 3, false},  {"A B C | A B D", 15, 3, true},
        {"A B | A", 3, 1, true}, {"A B C D E F G H I | J K L M N O P Q R", 0x3ffff, 9, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct voter_lists lists = lists_of(cases[i].lists);
        cr_expect_eq(voter_lists_all(&lists), cases[i].all, "%zu", i);
        cr_expect_eq(voter_lists_length(&lists), cases[i].length, "%zu", i);
        cr_expect_eq(voter_lists_are_joint(&lists), cases[i].joint, "%zu", i);
    }
}

/* --- Who it is --- */

Test(voter_lists, a_voter_is_found_by_its_record)
{
    const struct voter_lists lists = lists_of("A B C | B C D");

    for (uint8_t i = 0; i < lists.count; i++) {
        cr_expect_eq(voter_lists_find(&lists, &lists.voters[i].record), i);
    }
    const struct node_id life = member_of('A').id;
    cr_assert_eq(voter_lists_find(&lists, &life), VOTER_NONE);
}

/* Z10b: A has lost its record and gets another one. */
Test(voter_lists, of_two_records_of_one_name_the_newer_lists_is_found)
{
    struct voter_lists lists = lists_of("A B | B C");

    lists.voters[2].name[0] = 'A';
    cr_assert_eq(voter_lists_find_name(&lists, "A"), 2);
    lists.voters[2].before = true;
    lists.voters[2].now = false;
    lists.voters[0].before = false;
    lists.voters[0].now = true;
    cr_assert_eq(voter_lists_find_name(&lists, "A"), 0, "wherever it stands");
    cr_assert_eq(voter_lists_find_name(&lists, "B"), 1);
    cr_assert_eq(voter_lists_find_name(&lists, "C"), VOTER_NONE);
}

Test(voter_lists, who_has_answered_stays_so_by_its_record)
{
    static const struct {
        const char *from;
        const char *to;
        const char *set;
        const char *moved;
    } cases[] = {
        {"A B C", "A B C", "A C", "A C"},
        {"A B C", "C B A", "A B", "A B"},
        {"A B C", "A B C | A B D", "A C", "A C"},
        {"A B C | A B D", "A B D", "A C D", "A D"},
        {"A B C", "D E F", "A B C", ""},
        {"A B C", "D E F", "", ""},
        {"", "A", "", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct voter_lists from = lists_of(cases[i].from);
        const struct voter_lists to = lists_of(cases[i].to);
        cr_expect_eq(voter_lists_move(set_of(&from, cases[i].set), &from, &to),
                     set_of(&to, cases[i].moved), "%zu", i);
    }
}

/* Z10b: the name alone moves no vote. */
Test(voter_lists, the_vote_of_a_lost_record_does_not_move_to_the_new_one)
{
    const struct voter_lists from = lists_of("A B C");
    struct voter_lists to = lists_of("A B C");

    to.voters[0].record = record_of('X');
    cr_assert_eq(voter_lists_move(set_of(&from, "A B"), &from, &to), set_of(&to, "B"));
}

Test(voter_lists, founders_have_names_and_no_records_yet)
{
    const struct voters names = {.count = 3, .names = {"athens", "byzantium", "cyrene"}};
    struct voter_lists lists = lists_of("A B C D | E");

    voter_lists_from_names(&lists, &names);
    cr_assert_eq(lists.count, 3);
    cr_assert_eq(lists.number, 0);
    for (uint8_t i = 0; i < 3; i++) {
        const struct listed_voter *voter = &lists.voters[i];
        cr_expect_str_eq(voter->name, names.names[i]);
        cr_expect(id_is_none(&voter->record) && address_is_none(&voter->address));
        cr_expect(voter->now && !voter->before);
    }
    cr_assert_not(voter_lists_are_sound(&lists), "before they have records");
}

/* --- Which there may be --- */

enum harm {
    UNHARMED,
    NUMBER_ZERO,
    NUMBER_BEYOND,
    NO_NAME,
    NO_RECORD,
    IN_NEITHER,
    RECORD_TWICE,
    NAME_TWICE,
};

/* To the last voter; twice: what the first one has, too. */
static void harm(struct voter_lists *lists, enum harm kind)
{
    struct listed_voter *last = &lists->voters[lists->count > 0 ? lists->count - 1 : 0];

    switch (kind) {
    case UNHARMED:
        break;
    case NUMBER_ZERO:
        lists->number = 0;
        break;
    case NUMBER_BEYOND:
        lists->number = (uint64_t)COUNTER_MAX + 1;
        break;
    case NO_NAME:
        last->name[0] = '\0';
        break;
    case NO_RECORD:
        last->record = (struct node_id){.bytes = {0}};
        break;
    case IN_NEITHER:
        last->now = last->before = false;
        break;
    case RECORD_TWICE:
        last->record = lists->voters[0].record;
        break;
    case NAME_TWICE:
        memcpy(last->name, lists->voters[0].name, sizeof last->name);
        break;
    }
}

Test(voter_lists, sound_lists_name_each_voter_once)
{
    static const struct {
        const char *lists;
        enum harm harm;
        bool sound;
    } cases[] = {
        {"", UNHARMED, true},
        {"A", UNHARMED, true},
        {"A B C | A B D", UNHARMED, true},
        {"A B C D E F G H I", UNHARMED, true},
        {"A B C D E F G H I | J K L M N O P Q R", UNHARMED, true},
        {"A B C D E F G H I J", UNHARMED, false},     /* more than nine hold, */
        {"A B C D E F G H I J | A", UNHARMED, false}, /* or did, */
        {"A B |", UNHARMED, false},                   /* or none does */
        {"A B C", NUMBER_ZERO, false},
        {"A B C", NUMBER_BEYOND, false},
        {"A B C", NO_NAME, false},
        {"A B C", NO_RECORD, false},
        {"A B C", IN_NEITHER, false},
        {"A B C", RECORD_TWICE, false},
        {"A B C", NAME_TWICE, false},
        {"A B C | B C D", RECORD_TWICE, false}, /* nor one in each list, */
        {"A B C | B C D", NAME_TWICE, true},    /* but A may get another record, */
        {"A B C | A B D", NAME_TWICE, false},   /* if it has not kept its own */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct voter_lists lists = lists_of(cases[i].lists);
        harm(&lists, cases[i].harm);
        cr_expect_eq(voter_lists_are_sound(&lists), cases[i].sound, "%zu: %s", i, cases[i].lists);
    }
}

/* --- Are they the same? --- */

/* One change of the lists "A B | B C" each; 0 changes nothing. */
static void change(struct voter_lists *lists, int which)
{
    struct listed_voter *voter = &lists->voters[1];

    switch (which) {
    case 1:
        lists->number++;
        break;
    case 2:
        lists->count--;
        break;
    case 3:
        voter->name[0]++;
        break;
    case 4:
        voter->record.bytes[15]++;
        break;
    case 5:
        voter->address.bytes[0]++;
        break;
    case 6:
        voter->address.port++;
        break;
    case 7:
        voter->address.family = 6;
        break;
    case 8:
        voter->before = false;
        break;
    case 9:
        voter->now = false;
        break;
    case 10:
        lists->voters[1] = lists->voters[2];
        lists->voters[2] = lists_of("A B | B C").voters[1];
        break;
    case 11:
        voter->name[1] = voter->name[0];
        break;
    default:
        break;
    }
}

Test(voter_lists, each_difference_shows_in_equality_and_in_the_hash)
{
    enum { CHANGES = 12 };
    uint64_t hashes[CHANGES];

    for (int i = 0; i < CHANGES; i++) {
        const struct voter_lists same = lists_of("A B | B C");
        struct voter_lists lists = lists_of("A B | B C");
        change(&lists, i);
        hashes[i] = voter_lists_hash(7, &lists);
        cr_expect_eq(voter_lists_equal(&lists, &same), i == 0, "%d", i);
        cr_expect_eq(voter_lists_equal(&same, &lists), i == 0, "%d", i);
        for (int k = 0; k < i; k++) {
            cr_expect_neq(hashes[i], hashes[k], "%d and %d", i, k);
        }
    }
    const struct voter_lists same = lists_of("A B | B C");
    cr_assert_eq(voter_lists_hash(7, &same), hashes[0]);
    cr_assert_neq(voter_lists_hash(8, &same), hashes[0], "it goes on from what was before");
}

/* In the room for voters that are not there anything may be. */
Test(voter_lists, a_copy_is_equal_and_leaves_the_rest_alone)
{
    const struct voter_lists lists = lists_of("A B | B C");
    struct voter_lists copy;

    memset(&copy, 0xff, sizeof copy);
    voter_lists_copy(&copy, &lists);
    cr_assert(voter_lists_equal(&copy, &lists));
    cr_assert_eq(voter_lists_hash(7, &copy), voter_lists_hash(7, &lists));
    cr_assert_eq(copy.voters[lists.count].name[0], (char)0xff);
    cr_assert(voter_lists_are_sound(&copy));
}

/* --- What may come next (Z11i) --- */

Test(voter_lists, a_change_begins_with_what_there_is_and_ends_with_what_it_names)
{
    static const struct {
        const char *from;
        const char *to;
        uint64_t rise;
        bool follows;
    } cases[] = {
        {"A B C", "A B C", 0, true},
        {"A B C", "C A B", 0, true},
        {"A B C", "A B", 0, false},
        {"A B C", "A B D", 0, false},
        {"A B C", "A B C | A B D", 1, true},
        {"A B C", "A B C | D", 1, true},
        {"A B C", "A B | A B D", 1, false},
        {"A B C", "A B C D | A B", 1, false},
        {"A B C", "A B C | A B D", 2, false},
        {"A B C", "A B C | A B D", 0, false},
        {"A B C", "A B D", 1, false},
        {"A B C | A B D", "A B D", 0, true},
        {"A B C | A B D", "A B C", 0, false},
        {"A B C | A B D", "A B C | A B D", 0, true},
        {"A B C | A B D", "A B D | E", 1, true},
        {"A B C | A B D", "A B C | E", 1, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct voter_lists from = lists_of(cases[i].from);
        struct voter_lists to = lists_of(cases[i].to);

        to.number = from.number + cases[i].rise;
        to.voters[0].address.port++;
        cr_expect_eq(voter_lists_follow(&from, &to), cases[i].follows, "%s -> %s", cases[i].from,
                     cases[i].to);
    }
}

/* --- Witnesses (Z16d) --- */

/* H89 */
Test(voter_lists, no_address_of_a_witness_stands_twice_in_a_list)
{
    struct voter_lists lists = lists_of("A V W");

    lists.voters[1].witness = true;
    lists.voters[2].witness = true;
    cr_assert(voter_lists_are_sound(&lists));
    lists.voters[2].address = lists.voters[1].address;
    cr_assert_not(voter_lists_are_sound(&lists));
    lists.voters[1].now = false;
    lists.voters[1].before = true;
    cr_assert(voter_lists_are_sound(&lists), "one takes the place of the other");
    lists.voters[2].address = (struct address){.family = 0};
    cr_assert_not(voter_lists_are_sound(&lists), "nobody could ask it");
}

/* A view that says otherwise would have another one asked in its place. */
Test(voter_lists, a_witness_stays_where_it_is)
{
    struct voter_lists from = lists_of("A B W");

    from.voters[2].witness = true;
    struct voter_lists to = from;
    to.voters[1].address = member_of('X').address;
    cr_assert(voter_lists_follow(&from, &to), "members come and go");
    to.voters[2].address = member_of('X').address;
    cr_assert_not(voter_lists_follow(&from, &to));
    to = from;
    to.voters[2].witness = false;
    cr_assert_not(voter_lists_follow(&from, &to));
    cr_assert_not(voter_lists_equal(&from, &to));
    cr_assert_neq(voter_lists_hash(1, &from), voter_lists_hash(1, &to));
}

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view_builder.h"

static const struct tags one_byte = {.length = 1};
static const struct gone failed = {.reason = GONE_FAILED, .verdict = VERDICT_DEAD};

/* V1: no flag says who coordinates, the order does. */
Test(view, the_coordinator_is_the_oldest)
{
    struct built_view built = view_of("A B C");

    cr_assert_eq(view_coordinator(&built.view)->name[0], 'A');
    view_remove(&built.view, 0, &failed);
    cr_assert_eq(view_coordinator(&built.view)->name[0], 'B');
    view_built_free(&built);
}

/* V3, H18: the age of one who went is not given again, not even the youngest's. */
Test(view, an_age_is_never_given_twice)
{
    struct built_view built = view_of("A B C");
    struct member member = member_of('D');

    view_remove(&built.view, 2, &failed);
    view_append(&built.view, &member);
    cr_assert_eq(built.view.members[2].age, 4);
    cr_assert_eq(built.view.next_age, 5);
    view_built_free(&built);
}

Test(view, finds_members_by_id_name_address_and_age)
{
    struct built_view built = view_of("A B C D E");
    struct member c = member_of('C');
    struct member x = member_of('X');

    cr_assert_eq(view_find(&built.view, &c.id), 2);
    cr_assert_eq(view_find_name(&built.view, "C"), 2);
    cr_assert_eq(view_find_address(&built.view, &c.address), 2);
    cr_assert_eq(view_find_age(&built.view, 3), 2);
    cr_assert_eq(view_find(&built.view, &x.id), VIEW_NONE);
    cr_assert_eq(view_find_name(&built.view, "X"), VIEW_NONE);
    cr_assert_eq(view_find_address(&built.view, &x.address), VIEW_NONE);
    cr_assert_eq(view_find_age(&built.view, 9), VIEW_NONE);
    view_built_free(&built);
}

Test(view, the_index_follows_removals)
{
    struct built_view built = view_of("A B C D E");
    struct member e = member_of('E');

    view_remove(&built.view, 1, &failed);
    cr_assert_eq(view_find(&built.view, &e.id), 3);
    view_remove(&built.view, 3, &failed);
    cr_assert_not(view_has(&built.view, &e.id));
    view_built_free(&built);
}

/* R5: the gone keep their evidence, and only those who are missing are listed. */
Test(view, one_who_is_back_is_not_among_the_gone)
{
    struct built_view built = view_of("A B C");
    struct member again = member_of('B');
    struct gone why = {.reason = GONE_FAILED,
                       .verdict = VERDICT_LOST,
                       .silent_ms = 901,
                       .accuser_count = 1,
                       .accusers = {1}};

    view_remove(&built.view, 1, &why);
    cr_assert_eq(built.view.gone_count, 1);
    cr_assert_str_eq(built.view.gone[0].name, "B");
    cr_assert_eq(built.view.gone[0].age, 2);
    cr_assert_eq(built.view.gone[0].silent_ms, 901);

    again.id.bytes[0] = 1;
    view_append(&built.view, &again);
    cr_assert_eq(built.view.gone_count, 0);
    view_built_free(&built);
}

/* B1: the oldest entry makes room. */
Test(view, the_gone_are_bounded)
{
    struct built_view built = view_of("A");
    char text[NAME_BYTES_MAX + 1];

    for (int i = 0; i < GONE_MAX + 3; i++) {
        struct member member = member_of('B');
        snprintf(text, sizeof text, "n%d", i);
        memcpy(member.name, text, sizeof text);
        memcpy(member.id.bytes, &i, sizeof i);
        view_append(&built.view, &member);
        view_remove(&built.view, 1, &failed);
    }
    cr_assert_eq(built.view.gone_count, GONE_MAX);
    cr_assert_str_eq(built.view.gone[0].name, "n3");
    view_built_free(&built);
}

/* R5b, M4b: nobody would take a view that names a member among the gone, under whatever name. */
Test(view, no_member_is_among_the_gone_under_another_name)
{
    struct built_view built = view_of("A");
    struct member member = member_of('X');
    struct gone gone = {.reason = GONE_FAILED, .id = member.id, .age = 1, .name = "B"};

    view_add_gone(&built.view, &gone);
    cr_assert_eq(built.view.gone_count, 1);
    view_append(&built.view, &member);
    cr_assert_eq(built.view.gone_count, 0);
    view_add_gone(&built.view, &gone);
    cr_assert_eq(built.view.gone_count, 0);
    view_seal(&built.view);
    cr_assert(view_is_sound(&built.view));
    view_built_free(&built);
}

/* R5, M4: what another part knows of the gone is added, but for those who are here, as far as there
 * is room. */
Test(view, the_gone_of_another_part_are_added)
{
    struct built_view built = view_of("A B");
    struct gone gone = {.reason = GONE_FAILED, .id = member_of('X').id, .age = 1, .name = "B"};

    view_add_gone(&built.view, &gone);
    cr_assert_eq(built.view.gone_count, 0, "another life of that name is here");
    for (int i = 0; i < GONE_MAX + 3; i++) {
        snprintf(gone.name, sizeof gone.name, "n%d", i);
        memcpy(gone.id.bytes, &i, sizeof i);
        view_add_gone(&built.view, &gone);
        view_add_gone(&built.view, &gone); /* It is known by now. */
    }
    cr_assert_eq(built.view.gone_count, GONE_MAX);
    cr_assert_str_eq(built.view.gone[0].name, "n0");
    cr_assert_str_eq(built.view.gone[1].name, "n1");
    view_built_free(&built);
}

/* V2: epoch before version before coordinator. */
Test(view, views_are_ordered_by_epoch_then_version_then_coordinator)
{
    struct view_id low = {.lineage = 1, .epoch = 1, .version = 9};
    struct view_id high = {.lineage = 1, .epoch = 2, .version = 1};

    cr_assert(view_id_compare(&low, &high) < 0);
    cr_assert(view_id_compare(&high, &low) > 0);
    high.epoch = 1;
    cr_assert(view_id_compare(&low, &high) > 0);
    high.version = 9;
    cr_assert(view_id_equal(&low, &high));
    high.coordinator.bytes[3] = 1;
    cr_assert(view_id_compare(&low, &high) < 0);
    high = low;
    high.lineage = 2;
    cr_assert_not(view_id_equal(&low, &high));
}

/* S1: whatever differs shows in the hash. */
Test(view, every_field_of_the_content_is_in_the_hash)
{
    struct built_view built = view_of("A B C");
    struct view *view = &built.view;
    uint64_t hash = view->hash;

#define CHANGES_THE_HASH(statement, back)                                                          \
    do {                                                                                           \
        statement;                                                                                 \
        view_seal(view);                                                                           \
        cr_assert_neq(view->hash, hash, #statement);                                               \
        back;                                                                                      \
        view_seal(view);                                                                           \
        cr_assert_eq(view->hash, hash);                                                            \
    } while (0)

    CHANGES_THE_HASH(view->epoch++, view->epoch--);
    CHANGES_THE_HASH(view->version++, view->version--);
    CHANGES_THE_HASH(view->lineage++, view->lineage--);
    CHANGES_THE_HASH(view->next_age++, view->next_age--);
    CHANGES_THE_HASH(view->cause = CAUSE_CLAIM, view->cause = CAUSE_FOUND);
    CHANGES_THE_HASH(view->members[1].address.port++, view->members[1].address.port--);
    CHANGES_THE_HASH(view->members[1].incarnation++, view->members[1].incarnation--);
    CHANGES_THE_HASH(view->members[1].name[0] = 'Z', view->members[1].name[0] = 'B');
    CHANGES_THE_HASH(view->members[1].id.bytes[0]++, view->members[1].id.bytes[0]--);
    CHANGES_THE_HASH(view_set_tags(view, 1, &one_byte), view_set_tags(view, 1, NULL));
#undef CHANGES_THE_HASH
    view_built_free(&built);
}

Test(view, the_gone_and_what_was_held_against_them_are_in_the_hash)
{
    struct built_view built = view_of("A B C");
    struct view *view = &built.view;
    uint64_t hashes[3];

    view_remove(view, 2, &failed);
    view_seal(view);
    hashes[0] = view->hash;
    view->gone[0].verdict = VERDICT_LOST;
    view_seal(view);
    hashes[1] = view->hash;
    view->gone[0].reason = GONE_LEFT;
    view_seal(view);
    hashes[2] = view->hash;
    view->gone_count = 0;
    view_seal(view);
    cr_assert_neq(view->hash, hashes[0]);
    cr_assert_neq(hashes[0], hashes[1]);
    cr_assert_neq(hashes[1], hashes[2]);
    view_built_free(&built);
}

/* S3: what must never be acted on. */
Test(view, unsound_views_are_recognised)
{
    struct built_view built = view_of("A B C");
    struct view *view = &built.view;

    cr_assert(view_is_sound(view));
    view->hash++;
    cr_assert_not(view_is_sound(view), "a wrong hash");

    view->members[2].age = 2;
    view_seal(view);
    cr_assert_not(view_is_sound(view), "one age twice");
    view->members[2].age = 3;

    view->members[2].id = view->members[0].id;
    view_seal(view);
    cr_assert_not(view_is_sound(view), "one id twice");
    view->members[2].id = member_of('C').id;

    view->members[2].name[0] = 'A';
    view_seal(view);
    cr_assert_not(view_is_sound(view), "one name twice");
    view->members[2].name[0] = 'C';

    view->next_age = 3;
    view_seal(view);
    cr_assert_not(view_is_sound(view), "next_age among the ages");
    view->next_age = 4;

    view->version = 0;
    view_seal(view);
    cr_assert_not(view_is_sound(view), "version 0");
    view->version = 3;

    view->members[1].versions = (struct versions){.low = 1, .high = 1};
    view_seal(view);
    cr_assert_not(view_is_sound(view), "no version that all speak");
    view->members[1].versions = (struct versions){.low = 0};

    view->gone[view->gone_count++] = (struct gone){.id = view->members[1].id, .name = "D"};
    view_seal(view);
    cr_assert_not(view_is_sound(view), "a member among the gone");
    view->gone_count--;

    view_seal(view);
    cr_assert(view_is_sound(view));
    view_clear(view);
    cr_assert_not(view_is_sound(view), "nobody in it");
    view_built_free(&built);
}

/* One letter again and again. */
static struct tags tags_of(char letter, uint16_t length)
{
    struct tags tags = {.length = length};

    memset(tags.text, letter, length);
    return tags;
}

static void check_tags(const struct view *view, const struct tags *expected)
{
    for (uint32_t i = 0; i < view->member_count; i++) {
        cr_assert(tags_equal(member_tags(&view->members[i]), &expected[i]), "%u", i);
    }
}

/* There is room for as much as all members can have, whatever they had before. */
Test(view, all_members_may_change_all_their_tags_again_and_again)
{
    struct built_view built = view_of("A B C D E F G H");
    struct view *view = &built.view;
    struct tags expected[64];
    uint32_t number = 0;

    while (view->member_count < view->capacity) {
        struct member more = member_of((char)('a' + view->member_count));
        view_append(view, &more);
    }
    for (uint32_t i = 0; i < view->member_count; i++) {
        expected[i] = tags_of((char)i, TAGS_BYTES_MAX);
        view_set_tags(view, i, &expected[i]);
    }
    check_tags(view, expected);
    for (uint32_t turn = 0; turn < 1000; turn++) {
        const uint32_t at = (turn * 37) % view->member_count;
        number = number * 1103515245 + 12345;
        expected[at] = tags_of((char)turn, (uint16_t)((number >> 8) % (TAGS_BYTES_MAX + 1)));
        view_set_tags(view, at, &expected[at]);
    }
    check_tags(view, expected);
    view_built_free(&built);
}

/* They go where their member goes, in a copy, too, which has no gaps. */
Test(view, tags_stay_with_their_member)
{
    struct built_view built = view_of("A B C D");
    struct built_view copy = view_of("X");
    struct view *view = &built.view;
    const struct tags tags[] = {tags_of('a', 5), tags_of('b', 0), tags_of('c', 512),
                                tags_of('d', 7)};
    const struct tags moved[] = {tags[3], tags[0], tags[2]};

    for (uint32_t i = 0; i < 4; i++) {
        view_set_tags(view, i, &tags[i]);
    }
    check_tags(view, tags);
    view_take_out(view, 1);
    view_put_behind(view, 2);
    check_tags(view, moved);
    view_copy(&copy.view, view);
    check_tags(&copy.view, moved);
    view_built_free(&built);
    view_built_free(&copy);
}

/* The hash that a view brings along is its sender's word: each field has to be the same. */
Test(view, only_the_same_content_repeats_a_view)
{
    struct built_view known = view_of("A B C");
    struct built_view other = view_of("A B C");
    struct view *view = &other.view;

    cr_assert(view_repeats(view, &known.view));
    view->members[2].name[0] = 'D';
    cr_assert_not(view_repeats(view, &known.view), "another name");
    view->members[2].name[0] = 'C';
    view->members[2].age = 2;
    cr_assert_not(view_repeats(view, &known.view), "another age");
    view->members[2].age = 3;
    view_set_tags(view, 1, &one_byte);
    cr_assert_not(view_repeats(view, &known.view), "other tags");
    view_set_tags(view, 1, NULL);
    view->gone[view->gone_count++] = (struct gone){.id = member_of('D').id, .name = "D"};
    cr_assert_not(view_repeats(view, &known.view), "one more is gone");
    view->gone_count--;
    view->next_age++;
    cr_assert_not(view_repeats(view, &known.view), "another next_age");
    view->next_age--;
    view->parent.version++;
    cr_assert_not(view_repeats(view, &known.view), "another parent");
    view->parent.version--;
    view->lineage++;
    cr_assert_not(view_repeats(view, &known.view), "another lineage");
    view->lineage--;
    view->hash++;
    cr_assert_not(view_repeats(view, &known.view), "another hash");
    view->hash--;
    cr_assert(view_repeats(view, &known.view));

    view_clear(view);
    view_clear(&known.view);
    cr_assert_not(view_repeats(view, &known.view), "nobody in it: no sound view has so few");
    view_built_free(&other);
    view_built_free(&known);
}

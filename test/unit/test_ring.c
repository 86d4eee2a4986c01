#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "core/model/ring.h"

enum { MEMBERS_MAX = 300 };

struct scene {
    struct view view;
    void *view_storage;
    struct rings rings;
    void *rings_storage;
};

/* As many members as are asked for, with ids drawn from the seed. */
static struct scene scene_of(uint32_t members, uint64_t seed)
{
    struct scene scene;
    struct random random;

    random_seed(&random, seed);
    scene.view_storage = malloc(view_bytes(MEMBERS_MAX));
    scene.rings_storage = malloc(rings_bytes(MEMBERS_MAX));
    cr_assert_not_null(scene.view_storage);
    cr_assert_not_null(scene.rings_storage);
    view_init(&scene.view, MEMBERS_MAX, scene.view_storage);
    view_clear(&scene.view);
    scene.view.next_age = 1;
    for (uint32_t i = 0; i < members; i++) {
        struct member member = {.name = "x"};
        for (size_t byte = 0; byte < sizeof member.id.bytes; byte++) {
            member.id.bytes[byte] = (uint8_t)random_below(&random, 256);
        }
        view_append(&scene.view, &member);
    }
    rings_init(&scene.rings, MEMBERS_MAX, scene.rings_storage);
    rings_of(&scene.rings, WATCHERS_DEFAULT, &scene.view);
    return scene;
}

/* By id, or by id with its halves swapped? */
static bool is_before(const struct scene *scene, int ring, uint32_t a, uint32_t b)
{
    const uint8_t *left = scene->view.members[a].id.bytes;
    const uint8_t *right = scene->view.members[b].id.bytes;
    const size_t first = ring == 0 ? 0 : 8;
    const int order = memcmp(left + first, right + first, 8);

    return order < 0 || (order == 0 && memcmp(left + 8 - first, right + 8 - first, 8) < 0);
}

static void check_order(const struct scene *scene)
{
    for (int ring = 0; ring < 2; ring++) {
        const uint16_t *order = scene->rings.order[ring];
        for (uint32_t i = 0; i < scene->view.member_count; i++) {
            cr_assert_eq(scene->rings.place[ring][order[i]], i);
            cr_assert(i == 0 || is_before(scene, ring, order[i - 1], order[i]));
        }
    }
}

static void scene_free(struct scene *scene)
{
    free(scene->view_storage);
    free(scene->rings_storage);
}

static uint32_t watchers_of(const struct scene *scene, uint32_t subject)
{
    uint32_t list[RING_LISTED_MAX];
    uint32_t listed = rings_neighbours(&scene->rings, subject, list);
    uint32_t count = 0;

    for (uint32_t i = 0; i < scene->view.member_count; i++) {
        bool watches = rings_are_neighbours(&scene->rings, i, subject);
        cr_assert_eq(watches, rings_are_neighbours(&scene->rings, subject, i));
        cr_assert(!watches || (count < listed && list[count] == i));
        count += watches;
    }
    cr_assert_eq(count, listed);
    return count;
}

/* D9a, H63: up to five members all watch all. */
Test(ring, a_few_members_all_watch_all)
{
    for (uint32_t members = 1; members <= (WATCHERS_DEFAULT + 1); members++) {
        struct scene scene = scene_of(members, members);
        for (uint32_t i = 0; i < members; i++) {
            cr_expect_eq(watchers_of(&scene, i), members - 1, "%u of %u", i, members);
        }
        scene_free(&scene);
    }
}

/* D9a, H63: of more members each has three to six watchers, and four in the mean. */
Test(ring, everybody_has_a_few_watchers)
{
    for (uint32_t members = (WATCHERS_DEFAULT + 1) + 1; members <= MEMBERS_MAX;
         members += members / 5) {
        uint32_t sum = 0;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            struct scene scene = scene_of(members, seed);
            for (uint32_t i = 0; i < members; i++) {
                uint32_t watchers = watchers_of(&scene, i);
                cr_expect(watchers >= 3 && watchers <= 6, "%u watchers of %u members", watchers,
                          members);
                sum += watchers;
            }
            scene_free(&scene);
        }
        cr_expect_leq(sum, 4 * 20 * members);
    }
}

/* D9a: the rings follow from the ids alone, whatever order the members have in the view. */
Test(ring, the_order_of_the_members_does_not_matter)
{
    struct scene scene = scene_of(40, 7);
    struct scene other = scene_of(40, 7);

    view_put_behind(&other.view, 13);
    rings_of(&other.rings, WATCHERS_DEFAULT, &other.view);
    for (uint32_t a = 0; a < 40; a++) {
        for (uint32_t b = 0; b < 40; b++) {
            uint32_t a_there = view_find(&other.view, &scene.view.members[a].id);
            uint32_t b_there = view_find(&other.view, &scene.view.members[b].id);
            cr_assert_eq(rings_are_neighbours(&scene.rings, a, b),
                         rings_are_neighbours(&other.rings, a_there, b_there));
        }
    }
    scene_free(&scene);
    scene_free(&other);
}

/* D9a: any part of the members is crossed by watchers, so that no split stays unseen. */
Test(ring, every_cut_is_crossed_by_watchers)
{
    struct random random;

    random_seed(&random, 1);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct scene scene = scene_of(30, seed);
        uint32_t part = 1 + (uint32_t)random_below(&random, 29);
        uint32_t crossing = 0;
        for (uint32_t a = 0; a < part; a++) {
            for (uint32_t b = part; b < 30; b++) {
                crossing += rings_are_neighbours(&scene.rings, a, b);
            }
        }
        cr_expect_geq(crossing, 2);
        scene_free(&scene);
    }
}

/* D9a: members may have made ids that begin alike, or rise one by one. */
Test(ring, any_ids_stand_in_order)
{
    for (uint32_t alike = 0; alike <= 16; alike++) {
        for (uint32_t members = 1; members <= MEMBERS_MAX; members += 1 + members / 2) {
            struct scene scene = scene_of(members, members);
            for (uint32_t i = 0; i < members; i++) {
                uint8_t *bytes = scene.view.members[i].id.bytes;
                memset(bytes, 0xff, alike);
                if (alike > 13) {
                    memset(bytes, 0xff, 16);
                    bytes[alike - 2] = (uint8_t)((members - i) >> 8);
                    bytes[alike - 1] = (uint8_t)(members - i);
                }
            }
            rings_of(&scene.rings, WATCHERS_DEFAULT, &scene.view);
            check_order(&scene);
            scene_free(&scene);
        }
    }
}

/* D9a: as many as the terms say, in the mean, and all where there are no more others. */
Test(ring, more_watchers_are_more_neighbours)
{
    static const uint32_t watchers[] = {4, 8, 12, 40, 255};

    for (size_t k = 0; k < sizeof watchers / sizeof watchers[0]; k++) {
        for (uint32_t members = 2; members <= 100; members += 7) {
            struct scene scene = scene_of(members, members);
            uint32_t pairs = 0;
            rings_of(&scene.rings, watchers[k], &scene.view);
            for (uint32_t a = 0; a < members; a++) {
                for (uint32_t b = 0; b < members; b++) {
                    pairs += rings_are_neighbours(&scene.rings, a, b);
                    cr_assert_eq(rings_are_neighbours(&scene.rings, a, b),
                                 rings_are_neighbours(&scene.rings, b, a));
                }
            }
            const uint32_t others = members - 1;
            if (others <= watchers[k]) {
                cr_expect_eq(pairs, members * others, "%u of %u", watchers[k], members);
            } else {
                cr_expect_geq(pairs, members * watchers[k] * 3 / 4);
                cr_expect_leq(pairs, members * (watchers[k] + 3));
            }
            scene_free(&scene);
        }
    }
}

/* Changing the keys of a node: what would leave somebody behind is refused, and the file says what
 * the node does. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"
#include "runtime/sealing/key_file.h"
#include "runtime/sealing/rotation.h"

/* --- The fixture: the core is a member of "A B C", and seals with the first key --- */

enum { FRAME_MAX = 1000, SENDERS = 8, OLD = 0, NEW = 1, OTHER = 2, KEYS = 3, NOW_MS = 50000 };

static const uint8_t header[16] = {'D', 'Y', 1, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t salt[SALT_BYTES] = {1};
static struct rig *rig;
static struct seal *seal;
static struct key keys[KEYS];
static char folder[] = "/tmp/doyen-rotation-XXXXXX";
static char path[64];
static struct complaint complaint;

/* "0 1": the keys of these numbers, the first first. */
static struct keyring ring_of(const char *numbers)
{
    struct keyring ring = {.count = 0};

    for (; *numbers != '\0'; numbers++) {
        if (*numbers != ' ') {
            ring.keys[ring.count++] = keys[*numbers - '0'];
        }
    }
    return ring;
}

static void write_file(const char *numbers)
{
    const struct keyring ring = ring_of(numbers);
    char text[KEY_TEXT_MAX];
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    for (uint32_t i = 0; i < ring.count; i++) {
        key_print(&ring.keys[i], text);
        fprintf(file, "%s\n", text);
    }
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(chmod(path, 0600), 0);
}

static void assert_file(const char *numbers)
{
    const struct keyring wanted = ring_of(numbers);
    struct keyring found;

    cr_assert(key_file_read(path, &found, &complaint), "%s", complaint.text);
    cr_assert_eq(found.count, wanted.count);
    for (uint32_t i = 0; i < wanted.count; i++) {
        cr_assert_eq(found.keys[i].fingerprint, wanted.keys[i].fingerprint);
    }
}

static void assert_ring(const char *numbers)
{
    const struct keyring wanted = ring_of(numbers);
    const struct keyring *found = seal_ring(seal);

    cr_assert_eq(found->count, wanted.count);
    for (uint32_t i = 0; i < wanted.count; i++) {
        cr_assert_eq(found->keys[i].fingerprint, wanted.keys[i].fingerprint);
    }
}

/* That life seals with the first of these keys, and says that it holds them all. */
static void says(const struct node_id *life, const char *numbers)
{
    struct seal *sender = seal_new(header, FRAME_MAX, SENDERS, NULL);
    const struct keyring ring = ring_of(numbers);
    const struct node_id *self = &core_self(rig->core)->id;
    struct seal_opened opened;
    uint8_t plain[40] = {0};
    static uint64_t number;
    size_t length;

    cr_assert_not_null(sender);
    seal_set_ring(sender, &ring);
    seal_set_self(sender, life, salt);
    memcpy(plain, header, sizeof header);
    const uint8_t *bytes = seal_close(sender,
                                      &(struct seal_order){.frame = plain,
                                                           .length = sizeof plain,
                                                           .to = self,
                                                           .place = {.channel = SEAL_DATAGRAM},
                                                           .number = ++number,
                                                           .with_ring = true},
                                      &length);
    cr_assert_eq(seal_open(seal, bytes, length, &(struct seal_place){.channel = SEAL_DATAGRAM},
                           NOW_MS, &opened),
                 SEAL_OK);
    seal_free(sender);
}

static void member_says(char member, const char *numbers)
{
    const struct node_id life = rig_id(rig, member);

    says(&life, numbers);
}

static void setup(void)
{
    for (uint32_t i = 0; i < KEYS; i++) {
        memset(keys[i].bytes, (int)(i + 1), KEY_BYTES);
        key_name(&keys[i]);
    }
    rig = rig_in("A B C", 'B');
    seal = seal_new(header, FRAME_MAX, SENDERS, NULL);
    cr_assert_not_null(seal);
    const struct keyring ring = ring_of("0 1");
    seal_set_ring(seal, &ring);
    seal_set_self(seal, &core_self(rig->core)->id, salt);
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/key", folder);
    write_file("0 1");
}

static void teardown(void)
{
    seal_free(seal);
    rig_free(rig);
    (void)unlink(path);
    (void)rmdir(folder);
}

TestSuite(rotation, .init = setup, .fini = teardown);

static bool apply(enum rotation_kind kind, uint32_t key)
{
    const struct rotation rotation = {
        .kind = kind, .fingerprint = keys[key].fingerprint, .since_ms = NOW_MS - 1};

    return rotation_apply(seal, rig->core, path, &rotation, &complaint);
}

static void assert_refused(const char *why)
{
    cr_assert_not_null(strstr(complaint.text, why), "%s", complaint.text);
    assert_ring("0 1");
    assert_file("0 1");
}

/* --- Steps --- */

Test(rotation, a_key_that_all_hold_is_made_the_first)
{
    member_says('A', "0 1");
    member_says('C', "0 1");
    cr_assert_eq(rotation_state(seal, rig->core, NEW).held, 3);
    cr_assert(apply(ROTATION_USE, NEW), "%s", complaint.text);
    assert_ring("1 0");
    assert_file("1 0");
}

Test(rotation, a_key_that_somebody_lacks_does_not_seal)
{
    member_says('A', "0 1");
    cr_assert_not(apply(ROTATION_USE, NEW), "of one nothing is known");
    assert_refused("is not held by");
    member_says('C', "0");
    cr_assert_eq(rotation_state(seal, rig->core, NEW).held, 2);
    cr_assert_not(apply(ROTATION_USE, NEW));
    assert_refused("is not held by");
}

/* The same when the file was changed by hand. */
Test(rotation, a_file_whose_first_key_somebody_lacks_is_not_taken_up)
{
    member_says('A', "0 1");
    member_says('C', "0");
    write_file("1 0");
    cr_assert_not(apply(ROTATION_RELOAD, NEW));
    assert_ring("0 1");
}

/* Who went a moment ago may be back the next. */
Test(rotation, who_went_a_moment_ago_has_to_hold_the_key_too)
{
    member_says('A', "0 1");
    member_says('C', "0");
    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_VIEW, .carrier.view = rig_next(rig, "-C")});
    cr_assert_eq(core_view(rig->core)->gone_count, 1);
    cr_assert_not(apply(ROTATION_USE, NEW));
    assert_refused("which went a moment ago");
}

Test(rotation, a_key_that_a_member_seals_with_is_not_given_up)
{
    member_says('A', "0 1");
    member_says('C', "1 0");
    cr_assert_not(apply(ROTATION_REMOVE, NEW));
    assert_refused("is in use by");
    member_says('C', "0 1");
    cr_assert(apply(ROTATION_REMOVE, NEW), "%s", complaint.text);
    assert_ring("0");
    assert_file("0");
}

Test(rotation, the_key_that_seals_is_not_given_up)
{
    member_says('A', "1 0");
    member_says('C', "1 0");
    cr_assert_not(apply(ROTATION_REMOVE, OLD));
    assert_refused("use another one first");
}

/* Who waits to be let in knows of nobody; a key that it lacks may be what keeps it out. */
Test(rotation, who_is_not_in_takes_up_a_file_alone)
{
    rig_free(rig);
    rig = rig_joining('B');
    cr_assert_not(apply(ROTATION_USE, NEW));
    assert_refused("this node is in no view");
    cr_assert_not(apply(ROTATION_REMOVE, NEW));
    assert_refused("this node is in no view");
    write_file("2 0");
    cr_assert(apply(ROTATION_RELOAD, OLD), "%s", complaint.text);
    assert_ring("2 0");
}

Test(rotation, a_key_that_is_not_in_the_file_is_not_used)
{
    cr_assert_not(apply(ROTATION_USE, OTHER));
    assert_refused("is not in the key file");
}

/* Another node that shares the file took the key out there: this one follows, once it may. */
Test(rotation, a_key_that_is_gone_from_the_file_is_removed_here)
{
    member_says('A', "0 1");
    member_says('C', "1 0");
    write_file("0");
    cr_assert_not(apply(ROTATION_REMOVE, NEW));
    cr_assert_not_null(strstr(complaint.text, "is in use by"), "%s", complaint.text);
    assert_ring("0 1");
    member_says('C', "0 1");
    cr_assert(apply(ROTATION_REMOVE, NEW), "%s", complaint.text);
    assert_ring("0");
    cr_assert_not(apply(ROTATION_REMOVE, NEW));
    cr_assert_not_null(strstr(complaint.text, "is gone already"), "%s", complaint.text);
    write_file("1");
    cr_assert_not(apply(ROTATION_REMOVE, OLD));
    cr_assert_not_null(strstr(complaint.text, "use another one first"), "%s", complaint.text);
    assert_ring("0");
}

Test(rotation, a_file_is_taken_up_as_it_is)
{
    write_file("0 1 2");
    cr_assert(apply(ROTATION_RELOAD, OLD), "%s", complaint.text);
    assert_ring("0 1 2");
}

/* Nothing is taken from a file that another could have written. */
Test(rotation, a_file_that_others_may_change_is_not_taken_up)
{
    write_file("0 1 2");
    cr_assert_eq(chmod(path, 0660), 0);
    cr_assert_not(apply(ROTATION_RELOAD, OLD));
    assert_ring("0 1");
}

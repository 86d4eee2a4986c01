#include "runtime/frames/frame_reader.h"

#include <criterion/criterion.h>
#include <string.h>

enum { FRAME_MAX = 5000 };

/* Three frames: "abc", an empty one, and one that is longer than the reader's first memory. */
struct sample {
    uint8_t bytes[3 * FRAME_LENGTH_BYTES + 3 + 0 + FRAME_MAX];
};

static const size_t lengths[] = {3, 0, FRAME_MAX};

static struct sample sample(void)
{
    struct sample sample;
    uint8_t *at = sample.bytes;

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const uint8_t prefix[] = {0, 0, (uint8_t)(lengths[i] >> 8), (uint8_t)lengths[i]};
        memcpy(at, prefix, sizeof prefix);
        memset(at + sizeof prefix, (int)('a' + i), lengths[i]);
        at += sizeof prefix + lengths[i];
    }
    return sample;
}

/* Feeds the sample in pieces of `step` bytes and checks each frame that comes out. */
static size_t frames_read(size_t step)
{
    struct frame_reader reader = {.frame_bytes_max = FRAME_MAX};
    struct sample all = sample();
    size_t count = 0;

    for (size_t done = 0; done < sizeof all.bytes; done += step) {
        size_t left = sizeof all.bytes - done;
        struct bytes input = {all.bytes + done, left < step ? left : step};
        struct bytes frame;
        enum frame_result result;

        while ((result = frame_reader_next(&reader, &input, &frame)) == FRAME_WHOLE) {
            cr_assert_lt(count, sizeof lengths / sizeof lengths[0]);
            cr_assert_eq(frame.length, lengths[count]);
            for (size_t i = 0; i < frame.length; i++) {
                cr_assert_eq(frame.at[i], 'a' + count);
            }
            count++;
        }
        cr_assert_eq(result, FRAME_MORE);
        cr_assert_eq(input.length, 0);
    }
    cr_assert_not(frame_reader_has_partial(&reader));
    frame_reader_deinit(&reader);
    return count;
}

Test(frame_reader, frames_come_out_whole_however_the_bytes_arrive)
{
    const size_t steps[] = {1, 2, 3, 4, 5, 7, 8, 100, 1023, 4096, sizeof(struct sample)};

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        cr_assert_eq(frames_read(steps[i]), 3, "in pieces of %zu", steps[i]);
    }
}

Test(frame_reader, a_claimed_length_takes_no_memory)
{
    struct frame_reader reader = {.frame_bytes_max = 1 << 30};
    const uint8_t claim[] = {0x3f, 0xff, 0xff, 0xff, 'x'};
    struct bytes input = {claim, sizeof claim};
    struct bytes frame;

    cr_assert_eq(frame_reader_next(&reader, &input, &frame), FRAME_MORE);
    cr_assert(frame_reader_has_partial(&reader));
    cr_assert_leq(reader.partial_capacity, 1024);
    frame_reader_deinit(&reader);
}

/* In one piece, and with the length itself in two pieces. */
Test(frame_reader, a_length_beyond_the_maximum_is_impossible)
{
    struct frame_reader reader = {.frame_bytes_max = FRAME_MAX};
    const uint8_t claim[] = {0, 0, 0x13, 0x89};
    struct bytes whole = {claim, 4};
    struct bytes begin = {claim, 3};
    struct bytes end = {claim + 3, 1};
    struct bytes frame;

    cr_assert_eq(frame_reader_next(&reader, &whole, &frame), FRAME_IMPOSSIBLE);
    frame_reader_deinit(&reader);
    cr_assert_eq(frame_reader_next(&reader, &begin, &frame), FRAME_MORE);
    cr_assert_eq(frame_reader_next(&reader, &end, &frame), FRAME_IMPOSSIBLE);
    frame_reader_deinit(&reader);
}

Test(frame_reader, memory_goes_with_the_frame)
{
    struct frame_reader reader = {.frame_bytes_max = FRAME_MAX};
    struct sample all = sample();
    struct bytes begin = {all.bytes, 2};
    struct bytes rest = {all.bytes + 2, sizeof all.bytes - 2};
    struct bytes frame;

    cr_assert_eq(frame_reader_next(&reader, &begin, &frame), FRAME_MORE);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(frame_reader_next(&reader, &rest, &frame), FRAME_WHOLE);
    }
    cr_assert_eq(frame_reader_next(&reader, &rest, &frame), FRAME_MORE);
    cr_assert_null(reader.partial);
}

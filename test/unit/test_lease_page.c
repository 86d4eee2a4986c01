/* The lease page: what the node writes, and what the reader of include/doyen/lease.h makes of it.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "doyen/lease.h"
#include "runtime/host/clock.h"
#include "runtime/leases/lease_page.h"

enum { ROUND_MS = 340, HOUR_MS = 3600 * 1000 };

/* A node that has founded a cluster alone, and so acts; its core believes that it is `now_ms`. */
struct desk {
    struct config config;
    struct log log;
    struct core *core;
    struct lease_page page;
    uint64_t now_ms;
};

static void desk_open(struct desk *desk)
{
    struct core_options options = {.name = "athens",
                                   .address = {.bytes = {127, 0, 0, 1}, .port = 7420, .family = 4},
                                   .guard = {.policy = GUARD_NONE},
                                   .profile = PROFILE_LAN,
                                   .watchers = WATCHERS_DEFAULT,
                                   .fanout = FANOUT_DEFAULT,
                                   .timing = timing_of(PROFILE_LAN),
                                   .capacity = 4,
                                   .random_seed = {1, 2, 3, 4}};

    memset(desk, 0, sizeof *desk);
    strcpy(desk->config.name, "athens");
    desk->config.guard.policy = GUARD_NONE;
    desk->config.timing = options.timing;
    log_init(&desk->log, STDERR_FILENO, LOG_ERROR, LOG_TEXT, "athens");
    desk->now_ms = clock_ms();
    void *block = calloc(1, core_bytes(4));
    cr_assert_not_null(block);
    desk->core = core_init(block, &options, desk->now_ms);
    (void)core_step(desk->core, &(struct event){.type = EVENT_TICK, .now_ms = desk->now_ms});
    lease_page_open(&desk->page, &desk->config, &desk->log);
    cr_assert_geq(desk->page.memory.fd, 0, "this kernel has memory to lend");
    lease_page_update(&desk->page, desk->core, desk->now_ms);
}

static void desk_close(struct desk *desk)
{
    lease_page_close(&desk->page);
    free(desk->core);
}

static struct doyen_lease map_of(const struct desk *desk)
{
    struct doyen_lease lease;

    cr_assert_eq(doyen_lease_map(&lease, desk->page.memory.fd), 0);
    return lease;
}

static void put(const struct desk *desk, uint64_t epoch, uint64_t deadline_ns)
{
    struct doyen_lease_content content = {.epoch = epoch, .deadline_ns = deadline_ns};
    page_memory_write(desk->page.memory.page, &content);
}

/* Who looks at the buckets is to see that less and less is left, before nothing is. */
Test(lease_page, it_counts_how_much_was_left_at_each_renewal)
{
    struct lease_margin margin = {.sum = 0};

    lease_margin_note(&margin, 1000, 1001, 1000); /* over before it was renewed */
    lease_margin_note(&margin, 1000, 1000, 1000);
    lease_margin_note(&margin, 1000, 999, 1000);
    lease_margin_note(&margin, 1000, 950, 1000);
    lease_margin_note(&margin, 1000, 949, 1000);
    lease_margin_note(&margin, 1000, 400, 1000);
    lease_margin_note(&margin, 9000, 0, 1000); /* no more than all of it */
    cr_expect_eq(margin.counts[0], 2);
    cr_expect_eq(margin.counts[1], 2);
    cr_expect_eq(margin.counts[2], 1);
    cr_expect_eq(margin.counts[LEASE_MARGIN_BOUNDS - 1], 2);
    cr_expect_float_eq(margin.sum, 0.001 + 0.05 + 0.051 + 0.6 + 1, 1e-9);
}

/* A right that is given up is neither renewed nor lost. */
Test(lease_page, what_is_given_up_is_no_margin)
{
    struct desk desk;
    desk_open(&desk);

    const uint64_t span_ms = core_acting_span_ms(desk.core);
    (void)core_step(desk.core,
                    &(struct event){.type = EVENT_TICK, .now_ms = desk.now_ms + span_ms / 2});
    lease_page_update(&desk.page, desk.core, desk.now_ms + span_ms / 2);
    uint64_t count = 0;
    for (int i = 0; i < LEASE_MARGIN_BOUNDS; i++) {
        count += desk.page.margin.counts[i];
    }
    cr_expect_eq(count, 1);
    lease_page_withdraw(&desk.page, desk.core, desk.now_ms + span_ms);
    lease_page_update(&desk.page, desk.core, desk.now_ms + 3 * span_ms);
    cr_expect_eq(desk.page.margin.counts[0], 0);
    desk_close(&desk);
}

/* --- What it says ---------------------------------------------------------------------------- */

Test(lease_page, it_says_who_may_act_and_until_when)
{
    struct desk desk;
    desk_open(&desk);
    struct doyen_lease lease = map_of(&desk);
    struct doyen_lease_content content = {.epoch = 0};

    cr_assert_eq(doyen_lease_read(&lease, &content), 0);
    cr_expect_eq(content.epoch, core_view(desk.core)->epoch);
    cr_expect_eq(content.lineage, core_view(desk.core)->lineage);
    cr_expect_eq(memcmp(content.id, core_self(desk.core)->id.bytes, sizeof content.id), 0);
    cr_expect_str_eq(content.name, "athens");
    cr_expect_eq(content.deadline_ns,
                 core_acting_until_ms(desk.core, desk.now_ms) * CLOCK_NS_PER_MS);
    cr_expect_eq(content.renewal_ns, (uint64_t)ROUND_MS * CLOCK_NS_PER_MS);
    cr_expect_gt(content.span_ns, content.renewal_ns);
    cr_expect_eq(content.flags, DOYEN_LEASE_ADVISORY);
    doyen_lease_unmap(&lease);
    desk_close(&desk);
}

/* The right ends by itself: nobody writes anything between the two looks. */
Test(lease_page, the_end_needs_nobody_to_tell_it)
{
    struct desk desk;
    desk_open(&desk);
    struct doyen_lease lease = map_of(&desk);
    uint64_t epoch = 0;
    uint64_t left_ns = 0;

    put(&desk, 7, doyen_lease_now_ns() + (uint64_t)HOUR_MS * CLOCK_NS_PER_MS);
    cr_assert(doyen_lease_acting(&lease, &epoch, &left_ns));
    cr_expect_eq(epoch, 7);
    cr_expect_leq(left_ns, (uint64_t)HOUR_MS * CLOCK_NS_PER_MS);
    cr_expect_gt(left_ns, (uint64_t)HOUR_MS / 2 * CLOCK_NS_PER_MS);

    const uint64_t deadline_ns = doyen_lease_now_ns() + CLOCK_NS_PER_MS;
    put(&desk, 7, deadline_ns);
    while (doyen_lease_now_ns() < deadline_ns) {
    }
    cr_expect_not(doyen_lease_acting(&lease, &epoch, &left_ns));
    cr_expect_eq(epoch, 0);
    cr_expect_eq(left_ns, 0);
    doyen_lease_unmap(&lease);
    desk_close(&desk);
}

static void assert_acting_under(const struct doyen_lease *lease, uint64_t expected)
{
    uint64_t epoch = 0;
    uint64_t left_ns = 0;

    cr_expect(doyen_lease_acting(lease, &epoch, &left_ns));
    cr_expect_eq(epoch, expected);
}

/* A daemon that is stopped, or dies, in the middle of a write: what was there holds until the new
 * content is whole. */
Test(lease_page, a_write_that_is_not_finished_takes_no_right_away)
{
    struct desk desk;
    desk_open(&desk);
    struct doyen_lease lease = map_of(&desk);
    struct doyen_lease_page *page = desk.page.memory.page;
    uint64_t whole[DOYEN_LEASE_WORDS];

    put(&desk, 7, doyen_lease_now_ns() + (uint64_t)HOUR_MS * CLOCK_NS_PER_MS);
    cr_assert_eq(page->sequence % 2, 0);
    memcpy(whole, page->content, sizeof whole);

    page->sequence++; /* Stopped while it writes the content. */
    memset(page->content, 0, sizeof page->content);
    assert_acting_under(&lease, 7);

    memcpy(page->content, whole, sizeof whole);
    page->content[0] = 8;
    page->sequence++; /* Stopped while it writes the copy. */
    memset(page->copy, 0, sizeof page->copy);
    assert_acting_under(&lease, 8);

    put(&desk, 9, 0);
    cr_expect_eq(memcmp(page->content, page->copy, sizeof page->copy), 0);
    cr_expect_eq(page->content[0], 9);
    doyen_lease_unmap(&lease);
    desk_close(&desk);
}

Test(lease_page, a_page_that_is_closed_is_a_no_for_those_who_keep_it)
{
    struct desk desk;
    desk_open(&desk);
    struct doyen_lease lease = map_of(&desk);
    uint64_t epoch = 0;
    uint64_t left_ns = 0;

    lease_page_close(&desk.page);
    cr_expect_not(doyen_lease_acting(&lease, &epoch, &left_ns));
    doyen_lease_unmap(&lease);
    free(desk.core);
}

/* --- Torn reads ------------------------------------------------------------------------------ */

enum { READS = 300000, READERS = 2 };

struct hammering {
    struct doyen_lease_page *page;
    const struct doyen_lease *lease;
    bool done; /* the readers have read enough */
    uint64_t torn;
    uint64_t read;
};

/* Each word follows from the first one. */
static struct doyen_lease_content content_of(uint64_t number)
{
    struct doyen_lease_content content = {.epoch = number,
                                          .deadline_ns = 2 * number,
                                          .span_ns = ~number,
                                          .lineage = number * 31,
                                          .reserved = {number ^ 0xff, number + 1}};

    memset(content.name, (int)('a' + number % 26), sizeof content.name - 1);
    return content;
}

static void *hammer(void *context)
{
    const struct hammering *hammering = context;

    for (uint64_t number = 1; !__atomic_load_n(&hammering->done, __ATOMIC_RELAXED); number++) {
        const struct doyen_lease_content content = content_of(number);
        page_memory_write(hammering->page, &content);
    }
    return NULL;
}

static void *read_often(void *context)
{
    struct hammering *hammering = context;
    uint64_t last = 0;

    for (unsigned i = 0; i < READS; i++) {
        struct doyen_lease_content content = {.epoch = 0};
        if (doyen_lease_read(hammering->lease, &content) != 0) {
            continue;
        }
        const struct doyen_lease_content whole = content_of(content.epoch);
        const bool torn = memcmp(&content, &whole, sizeof whole) != 0 || content.epoch < last;
        __atomic_fetch_add(&hammering->torn, torn, __ATOMIC_RELAXED);
        __atomic_fetch_add(&hammering->read, 1, __ATOMIC_RELAXED);
        last = content.epoch;
    }
    return NULL;
}

Test(lease_page, readers_get_what_was_written_whole_or_nothing)
{
    struct desk desk;
    desk_open(&desk);
    struct doyen_lease lease = map_of(&desk);
    struct hammering hammering = {.page = desk.page.memory.page, .lease = &lease};
    pthread_t writer;
    pthread_t readers[READERS];

    const struct doyen_lease_content first = content_of(0);
    page_memory_write(desk.page.memory.page, &first);
    cr_assert_eq(pthread_create(&writer, NULL, hammer, &hammering), 0);
    for (unsigned i = 0; i < READERS; i++) {
        cr_assert_eq(pthread_create(&readers[i], NULL, read_often, &hammering), 0);
    }
    for (unsigned i = 0; i < READERS; i++) {
        pthread_join(readers[i], NULL);
    }
    __atomic_store_n(&hammering.done, true, __ATOMIC_RELAXED);
    pthread_join(writer, NULL);
    cr_assert_eq(hammering.torn, 0, "%llu of %llu reads were torn",
                 (unsigned long long)hammering.torn, (unsigned long long)hammering.read);
    cr_assert_gt(hammering.read, 0);
    doyen_lease_unmap(&lease);
    desk_close(&desk);
}

/* --- Who may write --------------------------------------------------------------------------- */

static void assert_cannot_be_changed(int fd)
{
    const char byte = 'x';

    cr_expect_eq(mmap(NULL, DOYEN_LEASE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
                 MAP_FAILED);
    cr_expect_neq(ftruncate(fd, 0), 0);
    cr_expect_neq(ftruncate(fd, 2 * DOYEN_LEASE_BYTES), 0);
    cr_expect_lt(pwrite(fd, &byte, 1, 0), 0);
    cr_expect_neq(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
}

/* Also not by opening the memory again, which root may. */
Test(lease_page, clients_cannot_write)
{
    struct desk desk;
    desk_open(&desk);
    char path[64];

    assert_cannot_be_changed(desk.page.memory.fd);
    cr_expect_eq(fcntl(desk.page.memory.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    snprintf(path, sizeof path, "/proc/self/fd/%d", desk.page.memory.fd);
    const int again = open(path, O_RDWR | O_CLOEXEC);
    if (again >= 0) {
        assert_cannot_be_changed(again);
        close(again);
    }
    struct doyen_lease lease = map_of(&desk);
    void *at;
    memcpy(&at, &lease.page, sizeof at);
    cr_expect_neq(mprotect(at, DOYEN_LEASE_BYTES, PROT_READ | PROT_WRITE), 0);
    doyen_lease_unmap(&lease);
    desk_close(&desk);
}

/* A reader trusts nobody: memory that could shrink would end it with SIGBUS. */
Test(lease_page, what_is_no_lease_page_is_not_mapped)
{
    const int unsealed = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct doyen_lease lease;

    cr_expect_neq(doyen_lease_map(&lease, -1), 0);
    cr_expect_eq(ftruncate(unsealed, DOYEN_LEASE_BYTES), 0);
    cr_expect_eq(doyen_lease_map(&lease, unsealed), -EPROTO);
    cr_expect_eq(fcntl(unsealed, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    cr_expect_eq(doyen_lease_map(&lease, unsealed), -EPROTO, "it is empty");
    cr_expect_null(lease.page);
    struct doyen_lease_page head = {.magic = DOYEN_LEASE_MAGIC, .layout = DOYEN_LEASE_LAYOUT};
    cr_expect_eq(doyen_lease_clock_of(head.clock), 0);
    cr_expect_eq(pwrite(unsealed, &head, sizeof head, 0), (ssize_t)sizeof head);
    cr_expect_eq(doyen_lease_map(&lease, unsealed), 0);
    doyen_lease_unmap(&lease);
    const uint64_t other[2] = {DOYEN_LEASE_MAGIC, DOYEN_LEASE_LAYOUT + 1};
    cr_expect_eq(pwrite(unsealed, other, sizeof other, 0), (ssize_t)sizeof other);
    cr_expect_eq(doyen_lease_map(&lease, unsealed), -EPROTO, "of another layout");
    close(unsealed);
}

/* By another clock the deadline means nothing. What differs is the boot, or the time namespace. */
Test(lease_page, a_page_of_another_clock_is_not_mapped)
{
    struct desk desk;
    desk_open(&desk);
    struct doyen_lease lease = map_of(&desk);
    uint64_t *clock = desk.page.memory.page->clock;

    doyen_lease_unmap(&lease);
    for (int i = 0; i < DOYEN_LEASE_CLOCK_WORDS; i++) {
        clock[i] ^= 1;
        cr_expect_eq(doyen_lease_map(&lease, desk.page.memory.fd), -EXDEV, "word %d", i);
        cr_expect_null(lease.page);
        clock[i] ^= 1;
    }
    memset(clock, 0, DOYEN_LEASE_CLOCK_WORDS * sizeof *clock);
    cr_expect_eq(doyen_lease_map(&lease, desk.page.memory.fd), -EXDEV, "it could not be told");
    desk_close(&desk);
}

/* A reader or a daemon may change its time namespace later on. */
Test(lease_page, what_ends_later_than_any_lease_is_no_right)
{
    struct desk desk;
    desk_open(&desk);
    struct doyen_lease lease = map_of(&desk);
    uint64_t epoch = 0;
    uint64_t left_ns = 0;

    put(&desk, 7, doyen_lease_now_ns() + DOYEN_LEASE_LONGEST_NS + UINT64_C(60000000000));
    cr_expect_not(doyen_lease_acting(&lease, &epoch, &left_ns));
    cr_expect_eq(epoch, 0);
    doyen_lease_unmap(&lease);
    desk_close(&desk);
}

/* --- What counts as a change ----------------------------------------------------------------- */

Test(lease_page, a_later_end_is_no_change_and_a_lost_right_is_one)
{
    struct desk desk;
    desk_open(&desk);
    const uint64_t change = desk.page.change;

    lease_page_update(&desk.page, desk.core, desk.now_ms + 10);
    cr_expect_eq(desk.page.change, change);
    /* It was stopped for so long that its right was over before it looked again. */
    lease_page_update(&desk.page, desk.core, desk.now_ms + HOUR_MS);
    cr_expect_eq(desk.page.change, change + 1);
    lease_page_withdraw(&desk.page, desk.core, desk.now_ms + HOUR_MS);
    cr_expect_eq(desk.page.change, change + 2);
    lease_page_restore(&desk.page);
    lease_page_update(&desk.page, desk.core, desk.now_ms + HOUR_MS);
    cr_expect_eq(desk.page.change, change + 3);
    desk_close(&desk);
}

/* --- Giving it up ---------------------------------------------------------------------------- */

Test(lease_page, a_right_that_is_given_up_is_free_when_all_holders_have_stopped)
{
    struct desk desk;
    desk_open(&desk);
    struct doyen_lease lease = map_of(&desk);
    struct doyen_lease_content content = {.epoch = 0};
    struct lease_holder first;
    struct lease_holder second;
    struct lease_holder late;

    lease_page_add(&desk.page, &first);
    lease_page_add(&desk.page, &second);
    cr_expect_eq(lease_page_free_ms(&desk.page), 0, "nothing is given up");
    const uint64_t until_ms = desk.page.now.deadline_ns / CLOCK_NS_PER_MS;
    lease_page_withdraw(&desk.page, desk.core, desk.now_ms);
    lease_page_withdraw(&desk.page, desk.core, desk.now_ms + 5);
    cr_expect_eq(doyen_lease_read(&lease, &content), 0);
    cr_expect_eq(content.deadline_ns, 0, "the page says so at once");
    cr_expect(content.flags & DOYEN_LEASE_WITHDRAWN);
    cr_expect_eq(lease_page_free_ms(&desk.page), until_ms, "as long as readers may act by it");

    lease_page_add(&desk.page, &late);
    lease_page_stopped(&desk.page, &first);
    lease_page_stopped(&desk.page, &first);
    cr_expect_eq(lease_page_free_ms(&desk.page), until_ms);
    lease_page_update(&desk.page, desk.core, desk.now_ms + 10);
    cr_expect_eq(desk.page.now.deadline_ns, 0, "whatever the core says");
    lease_page_remove(&desk.page, &second);
    cr_expect_eq(lease_page_free_ms(&desk.page), 0, "who came later saw that it was given up");
    lease_page_remove(&desk.page, &first);
    lease_page_remove(&desk.page, &late);
    doyen_lease_unmap(&lease);
    desk_close(&desk);
}

Test(lease_page, a_right_that_is_not_held_needs_no_waiting)
{
    struct desk desk;
    desk_open(&desk);
    struct lease_holder holder;

    lease_page_add(&desk.page, &holder);
    lease_page_withdraw(&desk.page, desk.core, desk.now_ms);
    lease_page_restore(&desk.page);
    lease_page_stopped(&desk.page, &holder);
    desk.page.now.deadline_ns = 0;
    lease_page_withdraw(&desk.page, desk.core, desk.now_ms);
    cr_expect_eq(lease_page_free_ms(&desk.page), 0);
    lease_page_remove(&desk.page, &holder);
    desk_close(&desk);
}

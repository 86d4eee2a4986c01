/* The oracle knows the true time: who may act at which instant, by what the nodes said (S9, S10).
 */
#include <string.h>

#include "cluster.h"
#include "story.h"

/* --- Who may act: forged, on hosts on which nothing runs --- */

static struct sim *empty(bool exclusive)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = 1, .host_count = 3, .exclusive = exclusive, .lenient = true});
    for (uint32_t host = A; host <= C; host++) {
        sim->hosts[host].witness.life.bytes[0] = (uint8_t)(host + 1);
    }
    return sim;
}

/* The host says that it acts under that epoch for so long, by its own clock. */
static void say(struct sim *sim, uint32_t host, uint64_t epoch, uint64_t ms)
{
    uint64_t until_ms = ms == 0 ? 0 : host_now_ms(sim, &sim->hosts[host]) + ms;

    oracle_on_acting(sim, &sim->hosts[host], epoch, until_ms);
}

static void check_broken(const struct sim *sim, const char *rule)
{
    if (rule == NULL) {
        cr_assert_null(sim_failure(sim), "%s", sim_failure(sim));
    } else {
        cr_assert_not_null(sim_failure(sim), "%s is not seen", rule);
        cr_assert_not_null(strstr(sim_failure(sim), rule), "%s", sim_failure(sim));
    }
}

Test(acting, of_two_at_one_instant_is_seen)
{
    struct sim *sim = empty(true);
    say(sim, A, 1, 700);
    sim_run(sim, 500);
    check_broken(sim, NULL);
    say(sim, B, 2, 700);
    check_broken(sim, "S9");
    sim_free(sim);
}

Test(acting, of_one_after_the_other_is_right)
{
    struct sim *sim = empty(true);
    say(sim, A, 1, 700);
    say(sim, A, 1, 100); /* What it said first stands. */
    sim_run(sim, 300);
    say(sim, A, 2, 600); /* Another epoch of the same life. */
    sim_run(sim, 600 * 9 / 8 + 1);
    say(sim, B, 3, 700);
    check_broken(sim, NULL);
    sim_free(sim);
}

/* From the moment at which it spoke, its clock may have been as slow as a clock
 * may be, whatever it was before. */
Test(acting, counts_by_the_slowest_clock)
{
    static const int64_t rates_ppm[] = {0, CLOCK_RATE_PPM_MAX, -CLOCK_RATE_PPM_MAX};

    for (uint32_t i = 0; i < sizeof rates_ppm / sizeof rates_ppm[0]; i++) {
        for (uint64_t late_ms = 0; late_ms < 4; late_ms += 3) {
            struct sim *sim = empty(true);
            sim_skew(sim, A, rates_ppm[i]);
            sim_run(sim, 1000);
            say(sim, A, 1, 800);
            sim_skew(sim, A, CLOCK_RATE_PPM_MAX);
            sim_run(sim, 900 - 2 + late_ms);
            say(sim, B, 2, 800);
            check_broken(sim, late_ms == 0 ? "S9" : NULL);
            sim_free(sim);
        }
    }
}

/* A client was told how long; that nobody can tell it anything else changes nothing. */
Test(acting, goes_on_for_clients_when_the_process_is_over)
{
    for (int restarted = 0; restarted < 2; restarted++) {
        for (uint64_t ms = 100; ms <= 900; ms += 800) {
            struct sim *sim = empty(true);
            say(sim, A, 1, 700);
            oracle_on_life_over(sim, &sim->hosts[A]);
            sim->hosts[A].witness.life.bytes[1] = 1;
            sim_run(sim, ms);
            say(sim, restarted ? A : B, 2, 700);
            check_broken(sim, ms == 100 ? "S9" : NULL);
            sim_free(sim);
        }
    }
}

/* That it says no longer that it acts does not take back what it said; a hand-over does. */
Test(acting, ends_by_a_hand_over_alone)
{
    for (int handed_over = 0; handed_over < 2; handed_over++) {
        struct sim *sim = empty(true);
        say(sim, A, 1, 700);
        sim_run(sim, 100);
        say(sim, A, 1, 0);
        if (handed_over) {
            oracle_on_handed_over(sim, &sim->hosts[A]);
        }
        say(sim, B, 2, 700);
        check_broken(sim, handed_over ? NULL : "S9");
        sim_free(sim);
    }
}

Test(acting, under_an_epoch_that_falls_or_is_shared_is_seen)
{
    for (uint64_t epoch = 4; epoch <= 6; epoch++) {
        for (uint32_t host = A; host <= B; host++) {
            struct sim *sim = empty(true);
            say(sim, A, 5, 700);
            sim_run(sim, 1000);
            say(sim, host, epoch, 700);
            check_broken(sim, epoch == 4 || (epoch == 5 && host == B) ? "S10" : NULL);
            sim_free(sim);
        }
    }
}

/* Where two may act, it is counted for how long; a process that says that it acts no longer, or
 * that is over, counts no more. */
Test(acting, of_two_is_counted_where_it_may_happen)
{
    struct sim *sim = empty(false);
    say(sim, A, 1, 800); /* 900 of true time */
    sim_run(sim, 500);
    say(sim, B, 1, 160); /* up to 680 */
    say(sim, C, 1, 80);  /* up to 590: a third one counts no more than a second */
    sim_run(sim, 250);
    cr_assert_eq(sim_two_acted_ms(sim), 180);
    say(sim, B, 1, 800);
    sim_run(sim, 50);
    say(sim, B, 1, 0);
    sim_run(sim, 50);
    say(sim, B, 1, 800);
    sim_run(sim, 10);
    oracle_on_life_over(sim, &sim->hosts[B]);
    sim_run(sim, 1000);
    check_broken(sim, NULL);
    cr_assert_eq(sim_two_acted_ms(sim), 180 + 50 + 10);
    cr_assert_eq(sim_two_acted_longest_ms(sim), 180);
    sim_free(sim);
}

/* --- The same of real nodes --- */

/* A guard that promises nothing of the kind: right after kill -9 the next one acts, and a client
 * may still rely on what the first one said (G3). This oracle has to see that. */
Story(acting, by_an_advisory_guard_is_not_exclusive)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed,
                                                    .host_count = 3,
                                                    .guard = {.policy = GUARD_MAJORITY, .count = 3},
                                                    .exclusive = true,
                                                    .lenient = true});
    sim_start_in_order(sim, 300);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    check_broken(sim, NULL);
    sim_crash(sim, A);
    sim_run(sim, LOST_MS);
    check_broken(sim, "S9");
    sim_free(sim);
}

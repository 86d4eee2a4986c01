/* Links that are bad in one direction or between two members only: nobody's death (R1 to R4). */
#include <string.h>

#include "story.h"

static void check_whole(struct sim *sim, uint64_t seed, uint64_t version)
{
    story_sees(sim, B, "A B C D E", seed);
    story_check(sim_version(sim, A) == version, seed);
}

/* H51: the two of them do not hear each other for a minute; everybody else does. */
Story(links, a_bad_link_between_two_members_changes_no_view)
{
    struct sim *sim = story_of_five(seed);
    uint64_t version = sim_version(sim, A);
    sim_cut(sim, B, D);
    sim_run(sim, MINUTE_MS);
    check_whole(sim, seed, version);
    sim_free(sim);
}

/* C1: the second oldest need not ask again and again for what nobody will grant. */
Story(links, a_bad_link_between_the_two_oldest_makes_no_claims)
{
    struct sim *sim = story_of_five(seed);
    uint64_t version = sim_version(sim, A);
    sim_cut(sim, A, B);
    sim_run(sim, MINUTE_MS);
    story_check(sim_sent(sim, B, MESSAGE_CLAIM) == 0, seed);
    check_whole(sim, seed, version);
    sim_crash(sim, A);
    story_check(sim_sees(sim, C, "B C D E", FAST_MS), seed);
    sim_free(sim);
}

/* L2: a third that lives between two parts hears one who went over to the other. That is no
 * reason to keep it, for it follows another coordinator. */
Story(links, nobody_stays_in_two_views_for_a_third_ones_sake)
{
    static const uint32_t links[][2] = {{G, E}, {G, F}, {F, C}, {F, D}, {E, A}, {E, B}};
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 7, .disorder = true});
    sim_run(sim, 2000);
    for (uint32_t i = A; i <= G; i++) {
        for (uint32_t k = i + 1; k <= G; k++) {
            sim_cut(sim, i, k);
        }
    }
    for (uint32_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        sim_mend(sim, links[i][0], links[i][1]);
    }
    sim_run(sim, MINUTE_MS);
    bool twice = strchr(sim_view_text(sim, A), 'G') != NULL && sim_coordinator(sim, G) != A;
    story_check(!twice, seed);
    sim_heal(sim);
    story_check(sim_converges(sim, 2000), seed);
    sim_free(sim);
}

/* R2: what the coordinator and a member that it does not hear have to say goes through others. */
Story(links, a_join_goes_on_while_one_member_is_not_heard)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 6});
    for (uint32_t host = A; host <= E; host++) {
        sim_start(sim, host);
        sim_run(sim, 300);
    }
    sim_run(sim, SETTLE_MS);
    sim_cut_one_way(sim, D, A);
    sim_run(sim, PATIENT_MS);
    sim_start(sim, F);
    story_check(sim_sees(sim, F, "A B C D E F", SETTLE_MS), seed);
    story_check(sim_sees(sim, D, "A B C D E F", SETTLE_MS), seed);
    sim_run(sim, STALLED_MS);
    story_check(sim_agrees(sim), seed);
    sim_free(sim);
}

/* H8: two groups, and one member between them that both hear. Whatever it leads to, it ends with
 * the cut, and the oracle sees no rule broken. */
Story(links, a_bridge_between_two_groups_heals)
{
    struct sim *sim = story_of_five(seed);
    sim_cut(sim, A, C);
    sim_cut(sim, A, D);
    sim_cut(sim, B, C);
    sim_cut(sim, B, D);
    sim_run(sim, MINUTE_MS / 2);
    sim_heal(sim);
    story_check(sim_converges(sim, STALLED_MS), seed);
    sim_free(sim);
}

/* Each hears its two neighbours alone. */
Story(links, a_ring_heals)
{
    struct sim *sim = story_of_five(seed);
    for (uint32_t host = A; host <= E; host++) {
        sim_cut(sim, host, (host + 2) % 5);
    }
    sim_run(sim, MINUTE_MS / 2);
    sim_heal(sim);
    story_check(sim_converges(sim, STALLED_MS), seed);
    sim_free(sim);
}

/* Y6: a member that hears nobody, or is heard by nobody, does not stop the others. */
static void tell_of_broken(uint64_t seed, uint32_t broken, bool deaf)
{
    struct sim *sim = story_of_five(seed);
    for (uint32_t host = A; host <= E; host++) {
        if (host != broken) {
            sim_cut_one_way(sim, deaf ? host : broken, deaf ? broken : host);
        }
    }
    sim_break(sim, broken);
    sim_run(sim, STALLED_MS);
    story_check(sim_converges(sim, STALLED_MS), seed);
    uint64_t removals = sim_sound_removals(sim);
    sim_run(sim, STALLED_MS);
    story_check(sim_converges(sim, STALLED_MS), seed);
    story_check(sim_sound_removals(sim) == removals, seed);
    sim_free(sim);
}

Story(links, a_deaf_member_stops_nobody)
{
    tell_of_broken(seed, C, true);
}

Story(links, a_deaf_coordinator_stops_nobody)
{
    tell_of_broken(seed, A, true);
}

/* D2f: of a coordinator that hears nobody one half of its neighbours fell silent first. It removes
 * all or nobody, and so those who replace it lose nobody but it. */
Story(links, a_deaf_coordinator_costs_nobody_its_life)
{
    struct sim *sim = story_of_five(seed);

    sim_run(sim, seed * 37);
    for (uint32_t host = B; host <= E; host++) {
        sim_cut_one_way(sim, host, A);
    }
    sim_break(sim, A);
    story_check(sim_sees(sim, B, "B C D E", STALLED_MS), seed);
    sim_run(sim, STALLED_MS);
    story_check(sim_sound_removals(sim) == 0, seed);
    sim_free(sim);
}

Story(links, a_mute_member_stops_nobody)
{
    tell_of_broken(seed, C, false);
}

Story(links, a_mute_coordinator_stops_nobody)
{
    tell_of_broken(seed, A, false);
}

/* R4: who fails again and again is let in ever more slowly. */
Story(links, a_name_that_keeps_failing_waits_longer)
{
    struct sim *sim = story_of_five(seed);
    uint64_t took_ms = 0;
    for (int i = 0; i < 6; i++) {
        sim_crash(sim, E);
        story_check(sim_sees(sim, A, "A B C D", SETTLE_MS), seed);
        sim_start(sim, E);
        story_check(sim_converges(sim, MINUTE_MS), seed);
        took_ms = sim_converged_ms(sim);
    }
    story_check(took_ms > 2 * LOST_MS, seed);
    sim_free(sim);
}

static void cut_one_way_from(struct sim *sim, uint32_t from, const char *to)
{
    for (; *to != '\0'; to++) {
        sim_cut_one_way(sim, from, (uint32_t)(*to - 'A'));
    }
}

/* 20 % loss for a minute is no reason to lose anybody (D2). */
Story(links, a_fifth_of_all_packets_lost_changes_no_view)
{
    struct sim *sim = story_of_five(seed);
    struct quality quality = sim_default_quality();
    uint64_t version = sim_version(sim, A);
    quality.loss_ppm = 200000;
    sim_set_quality(sim, &quality);
    sim_run(sim, MINUTE_MS);
    check_whole(sim, seed, version);
    sim_free(sim);
}

/* H49: views that do not fit a datagram go by stream, and the black hole for long ones stays
 * unnoticed. */
Story(links, long_datagrams_that_vanish_are_made_up_for)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = 5});
    struct quality quality = sim_default_quality();
    quality.datagram_bytes_max = 400;
    sim_set_quality(sim, &quality);
    sim_start_in_order(sim, 300);
    sim_run(sim, STALLED_MS);
    sim_heal(sim);
    story_check(sim_converges(sim, STALLED_MS), seed);
    sim_free(sim);
}

/* H48, S15: damaged, cut and foreign bytes change counters only. */
Story(links, damaged_and_foreign_packets_change_nothing)
{
    struct sim *sim = story_of_five(seed);
    struct quality quality = sim_default_quality();
    uint64_t version = sim_version(sim, A);
    quality.truncate_ppm = 200000;
    quality.garbage_ppm = 200000;
    quality.foreign_ppm = 200000;
    sim_set_quality(sim, &quality);
    sim_run(sim, MINUTE_MS / 2);
    check_whole(sim, seed, version);
    sim_free(sim);
}

/* R1, S8: in a ring the coordinator hears two others alone. Whoever one of them hears stays: they
 * are asked before those from whom no answer can come. The oracle compares who heard whom. It takes
 * chance to meet: hence many rings. */
Story(links, in_a_ring_those_are_asked_who_can_answer)
{
    enum { HOSTS = 7, RINGS = 10 };

    for (uint64_t ring = 0; ring < RINGS; ring++) {
        uint64_t number = STORY_SEEDS * ring + seed;
        struct sim *sim = story_of(
            &(struct sim_options){.seed = number, .host_count = HOSTS, .disorder = true});
        sim_run(sim, 7800 + 13 * number);
        for (uint32_t i = 0; i < HOSTS; i++) {
            for (uint32_t k = i + 2; k < HOSTS - (i == 0); k++) {
                sim_cut(sim, i, k);
            }
        }
        sim_run(sim, PATIENT_MS);
        sim_free(sim);
    }
}

/* R2: heartbeats repeat what a PONG says once, so loss takes nobody whom others hear. */
Story(links, with_a_bridge_and_loss_nobody_goes)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 7, .disorder = true});
    struct quality quality = sim_default_quality();
    uint64_t version = sim_version(sim, A);
    quality.loss_ppm = 30000;
    sim_set_quality(sim, &quality);
    for (uint32_t i = A; i <= C; i++) {
        for (uint32_t k = E; k <= G; k++) {
            sim_cut(sim, i, k);
        }
    }
    sim_run(sim, MINUTE_MS);
    story_sees(sim, A, "A B C D E F G", seed);
    story_check(sim_version(sim, A) == version, seed);
    sim_free(sim);
}

/* R2: what others say while a member is verified counts. D is mute at first; then its link to A
 * alone is bad, and what it sent to the others is heard before the time is up. */
Story(links, who_is_heard_by_others_while_it_is_verified_stays)
{
    struct sim *sim = story_of_five(seed);
    sim_run(sim, 5000);
    uint64_t asked = sim_sent(sim, A, MESSAGE_PING);
    cut_one_way_from(sim, D, "ABCE");
    for (int i = 0; i < 10000 && sim_sent(sim, A, MESSAGE_PING) < asked + 6; i++) {
        sim_run(sim, 1);
    }
    story_check(sim_sent(sim, A, MESSAGE_PING) >= asked + 6, seed);
    sim_run(sim, 5);
    for (const char *host = "BCE"; *host != '\0'; host++) {
        sim_mend_one_way(sim, D, (uint32_t)(*host - 'A'));
    }
    bool heard = false;
    /* Asked the second time: half of T_verify is left, less the 5 ms. */
    for (int i = 0; i < 65 && sim_age(sim, A, D) != 0; i++) {
        heard = heard || sim_hears(sim, A, B, D) || sim_hears(sim, A, C, D) ||
                sim_hears(sim, A, E, D);
        sim_run(sim, 1);
    }
    sim_run(sim, 5000);
    story_check(!heard || sim_age(sim, A, D) != 0, seed); /* Or the time was up before. */
    sim_free(sim);
}

static void refuse_all(struct sim *sim, uint32_t to, bool refuses)
{
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != to) {
            sim_refuse_streams(sim, i, to, refuses);
        }
    }
}

/* H101, D7a: a firewall that answers for a host's kernel that nobody listens there deceives the
 * coordinator, and nobody else. */
Story(links, connections_refused_to_one_other_remove_nobody)
{
    struct sim *sim = story_of_five(seed);
    const uint64_t version = sim_version(sim, A);

    sim_refuse_streams(sim, A, D, true);
    sim_run(sim, MINUTE_MS);
    story_sees(sim, A, "A B C D E", seed);
    story_check(sim_version(sim, A) == version, seed);
    story_check(sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* H101, D5: all are told that it is dead. It says that it lives, perhaps too late, and comes in
 * again then as another life; either way it stays, though nobody has a lifeline to it. */
Story(links, who_is_refused_to_all_stays_or_comes_in_again)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .disorder = true});

    refuse_all(sim, D, true);
    sim_run(sim, SETTLE_MS);
    story_check(sim_agrees(sim) && sim_age(sim, A, D) != 0, seed);
    const uint64_t version = sim_version(sim, A);
    sim_run(sim, MINUTE_MS);
    story_check(sim_version(sim, A) == version, seed);
    refuse_all(sim, D, false);
    sim_run(sim, MINUTE_MS);
    story_check(sim_version(sim, A) == version, seed);
    sim_free(sim);
}

/* H102: of those who come at once each is sent what is long, and the coordinator has one stream for
 * all to whom it holds no lifeline. */
Story(links, many_come_in_by_few_streams)
{
    enum { HOSTS = 12 };
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed, .host_count = HOSTS});

    sim_start(sim, A);
    sim_run(sim, SETTLE_MS);
    sim_limit_streams(sim, A, 1);
    for (uint32_t i = B; i < HOSTS; i++) {
        sim_start(sim, i);
    }
    story_check(sim_converges(sim, 4 * SETTLE_MS), seed);
    sim_free(sim);
}

static const char long_tag[] =
    "a=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

/* U3a, H102: one that reads what is long too slowly for what comes holds up nobody else. */
Story(links, who_reads_slowly_holds_up_nobody)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 7, .disorder = true});

    for (uint32_t i = 0; i < 7; i++) {
        sim_set_tags(sim, i, long_tag);
        if (i != C) {
            sim_slow_streams(sim, i, C, 3000, 0, 1);
        }
    }
    sim_run(sim, STALLED_MS);
    sim_crash(sim, G);
    sim_run(sim, FAST_MS);
    story_check(sim_age(sim, A, G) == 0, seed);
    story_check(sim_age(sim, B, G) == 0, seed);
    sim_heal(sim);
    story_check(sim_converges(sim, STALLED_MS), seed);
    sim_free(sim);
}

/* H103: frames of streams that broke come after those of the next ones, twice, or never; also to
 * another life, or from one that is gone. */
Story(links, what_broken_streams_bring_late_changes_nothing)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed, .host_count = 5, .disorder = true});

    for (uint32_t from = 0; from < 5; from++) {
        sim_set_tags(sim, from, long_tag);
        for (uint32_t to = 0; to < 5; to++) {
            if (from != to) {
                sim_break_streams(sim, from, to, 300000, 800000, 5000);
            }
        }
    }
    for (uint32_t i = 0; i < 10; i++) {
        const uint32_t host = 1 + (uint32_t)(seed + i) % 4;
        sim_crash(sim, host);
        sim_start(sim, host);
        sim_set_tags(sim, host, long_tag);
        sim_run(sim, 700);
    }
    sim_heal(sim);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    const uint64_t version = sim_version(sim, A);
    sim_run(sim, 2 * STALLED_MS); /* And what was late. */
    story_check(sim_version(sim, A) == version, seed);
    sim_free(sim);
}

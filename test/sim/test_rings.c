/* Watch rings: a few neighbours watch a member, and who is told of a doubt asks (D9). */
#include "core/core.h"
#include "core/model/ring.h"
#include "rings_story.h"

enum { TWICE_LOST_MS = 2 * LOST_MS };

/* But the coordinator, for its leases (D8c). */
static void check_that_nobody_asked(struct sim *sim, uint64_t seed)
{
    for (uint32_t host = A; host < sim_host_count(sim); host++) {
        const bool led = sim_is_acting(sim, host) || !sim_is_running(sim, host);
        const uint64_t asked = led ? 0 : sim_sent(sim, host, MESSAGE_PING);
        cr_assert_eq(asked, 0, "seed %llu, %u hosts: %llu questions", (unsigned long long)seed,
                     sim_host_count(sim), (unsigned long long)asked);
    }
}

static void check_that_nobody_asks(uint64_t seed, uint32_t hosts)
{
    struct sim *sim = just_formed(seed, hosts);

    sim_run(sim, 10 * MINUTE_MS);
    check_that_nobody_asked(sim, seed);
    sim_free(sim);
}

/* Members who watch each other before and after; the second to leave coordinates. */
static void check_that_nobody_asks_after_a_leave(uint64_t seed)
{
    struct sim *sim = just_formed(seed, 5);

    for (int leaves = 0; leaves < 2; leaves++) {
        sim_run(sim, MINUTE_MS + random_below(sim_random(sim), 1000));
        sim_leave(sim, host_at_age(sim, leaves == 0 ? 2 : 0));
    }
    sim_run(sim, MINUTE_MS);
    check_that_nobody_asked(sim, seed);
    sim_free(sim);
}

/* H70, D8e: no half of the neighbours is left out until it asks. */
Story(rings, where_all_is_quiet_nobody_asks)
{
    check_that_nobody_asks(seed, 3);
    check_that_nobody_asks(seed, 5);
    check_that_nobody_asks(seed, HOSTS);
    check_that_nobody_asks_after_a_leave(seed);
}

/* Those of the view who are neighbours of the host on the rings; returns how many. */
static uint32_t neighbours_of(const struct sim *sim, uint32_t subject, uint32_t out[HOSTS])
{
    const struct view *view = core_view(sim_core(sim, subject));
    uint32_t position = view_find(view, &core_self(sim_core(sim, subject))->id);
    uint16_t storage[4 * HOSTS];
    struct rings rings;
    uint32_t count = 0;

    cr_assert_leq(rings_bytes(HOSTS), sizeof storage);
    rings_init(&rings, HOSTS, storage);
    rings_of(&rings, WATCHERS_DEFAULT, view);
    for (uint32_t i = 0; i < view->member_count; i++) {
        if (rings_are_neighbours(&rings, i, position)) {
            out[count++] = host_of_member(sim, &view->members[i].id);
        }
    }
    return count;
}

static bool is_neighbour(const struct sim *sim, uint32_t a, uint32_t b)
{
    uint32_t neighbours[HOSTS];
    uint32_t count = neighbours_of(sim, a, neighbours);

    for (uint32_t i = 0; i < count; i++) {
        if (neighbours[i] == b) {
            return true;
        }
    }
    return false;
}

static uint32_t members_at(const struct sim *sim, uint32_t host)
{
    return core_view(sim_core(sim, host))->member_count;
}

/* One of those who watch that life by the view of the host, but none of the oldest; HOSTS if there
 * is none. */
static uint32_t watcher_of(const struct sim *sim, uint32_t host, const struct node_id *life)
{
    const struct view *view = core_view(sim_core(sim, host));
    uint32_t position = view_find(view, life);
    uint16_t storage[4 * HOSTS];
    struct rings rings;

    rings_init(&rings, HOSTS, storage);
    rings_of(&rings, WATCHERS_DEFAULT, view);
    for (uint32_t i = 4; position != VIEW_NONE && i < view->member_count; i++) {
        uint32_t watcher = host_of_member(sim, &view->members[i].id);
        if (rings_are_neighbours(&rings, i, position) && watcher < HOSTS) {
            return watcher;
        }
    }
    return HOSTS;
}

/* H63, D9d, D9e */
Story(rings, a_silent_host_is_out)
{
    struct sim *sim = story_on_rings(seed);
    sim_vanish(sim, host_at_age(sim, HOSTS - 1));
    story_check(sim_converges(sim, LOST_MS), seed);
    sim_vanish(sim, host_at_age(sim, 0));
    story_check(sim_converges(sim, LOST_MS), seed);
    sim_free(sim);
}

/* D2b, D9f: one that is told that a lifeline was closed finds out by itself. */
Story(rings, a_killed_process_is_out_at_once)
{
    struct sim *sim = story_on_rings(seed);
    sim_crash(sim, host_at_age(sim, HOSTS / 2));
    story_check(sim_converges(sim, FAST_MS), seed);
    sim_run(sim, SETTLE_MS);
    sim_crash(sim, host_at_age(sim, 0));
    story_check(sim_converges(sim, FAST_MS), seed);
    sim_free(sim);
}

static uint64_t sent_by_all(const struct sim *sim)
{
    uint64_t sent = 0;

    for (int type = 1; type < MESSAGE_TYPE_COUNT; type++) {
        sent += sim_sent(sim, SIM_ANY, (enum message_type)type);
    }
    return sent;
}

/* D9j: three messages to each member are the change of the view. */
Story(rings, a_death_concerns_the_coordinator)
{
    struct sim *sim = story_on_rings(seed);
    uint64_t sent = sent_by_all(sim);
    sim_crash(sim, host_at_age(sim, HOSTS / 2));
    story_check(sim_converges(sim, FAST_MS), seed);
    story_check(sent_by_all(sim) - sent < (uint64_t)(5 * HOSTS), seed);
    sim_free(sim);
}

/* H63, D9f, D9j: nobody is left to tell of one of them. */
Story(rings, who_is_killed_with_all_its_watchers_is_out_at_once)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t killed[HOSTS];
    uint32_t subject = host_at_age(sim, HOSTS - 1);
    uint32_t count = neighbours_of(sim, subject, killed);
    killed[count++] = subject;
    for (uint32_t i = 0; i < count; i++) {
        sim_crash(sim, killed[i]);
    }
    story_check(sim_converges(sim, FAST_MS), seed);
    sim_free(sim);
}

/* H63, D9f, D9j */
Story(rings, the_younger_half_is_killed)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t younger[HOSTS / 2];
    for (uint32_t i = 0; i < HOSTS / 2; i++) {
        younger[i] = host_at_age(sim, HOSTS / 2 + i);
    }
    for (uint32_t i = 0; i < HOSTS / 2; i++) {
        sim_crash(sim, younger[i]);
    }
    story_check(sim_converges(sim, FAST_MS), seed);
    sim_free(sim);
}

/* D9b: heartbeats to five or six, to a few more from the coordinator and those next to it. */
Story(rings, in_quiet_a_node_speaks_to_its_neighbours)
{
    struct sim *sim = story_on_rings(seed);
    uint64_t sent[HOSTS];
    for (uint32_t host = 0; host < HOSTS; host++) {
        sent[host] = sim_sent(sim, host, MESSAGE_HEARTBEAT) + sim_sent(sim, host, MESSAGE_PING);
    }
    sim_run(sim, 10000);
    for (uint32_t host = 0; host < HOSTS; host++) {
        uint64_t now = sim_sent(sim, host, MESSAGE_HEARTBEAT) + sim_sent(sim, host, MESSAGE_PING);
        cr_expect_leq(now - sent[host], (uint64_t)(10 * (6 + 3) * 43 / 10), "seed %llu",
                      (unsigned long long)seed);
    }
    sim_free(sim);
}

/* H63, D9h: nobody is left to tell of it. */
Story(rings, who_dies_with_all_its_watchers_is_out)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t watchers[HOSTS];
    uint32_t subject = host_at_age(sim, HOSTS / 2);
    uint32_t count = neighbours_of(sim, subject, watchers);
    for (uint32_t i = 0; i < count; i++) {
        sim_vanish(sim, watchers[i]);
    }
    sim_vanish(sim, subject);
    story_check(sim_converges(sim, LOST_MS * 3 / 2), seed);
    sim_free(sim);
}

/* H63, H3, D9h */
Story(rings, the_coordinator_dies_with_all_its_watchers)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t watchers[HOSTS];
    uint32_t subject = host_at_age(sim, 0);
    uint32_t count = neighbours_of(sim, subject, watchers);
    for (uint32_t i = 0; i < count; i++) {
        sim_vanish(sim, watchers[i]);
    }
    sim_vanish(sim, subject);
    story_check(sim_converges(sim, TWICE_LOST_MS), seed);
    sim_free(sim);
}

/* H63, H4, D9h: the oldest of those who live asks all who are older, and then everybody. */
Story(rings, the_older_half_falls_silent)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t older[HOSTS / 2];
    for (uint32_t i = 0; i < HOSTS / 2; i++) {
        older[i] = host_at_age(sim, i);
    }
    for (uint32_t i = 0; i < HOSTS / 2; i++) {
        sim_vanish(sim, older[i]);
    }
    story_check(sim_converges(sim, TWICE_LOST_MS), seed);
    sim_free(sim);
}

/* H63, D9h: three know a few of the others only, and nobody is lost on either side who is there. */
Story(rings, a_few_are_cut_off)
{
    struct sim *sim = story_on_rings(seed);
    for (uint32_t host = 0; host < HOSTS - 3; host++) {
        for (uint32_t other = HOSTS - 3; other < HOSTS; other++) {
            sim_cut(sim, host, other);
        }
    }
    sim_run(sim, TWICE_LOST_MS);
    for (uint32_t host = 0; host < HOSTS; host++) {
        uint32_t members = core_view(sim_core(sim, host))->member_count;
        story_check(members == (host < HOSTS - 3 ? HOSTS - 3 : 3), seed);
    }
    sim_heal(sim);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_free(sim);
}

/* Is that place, by age, on the smaller side: the next oldest, or one of the two youngest? */
static bool is_of_the_few(uint32_t place)
{
    return place == 1 || place >= HOSTS - 2;
}

/* H63, H4, D9h: nearly all whom the one who leads the few has to be without are younger than it. */
Story(rings, the_next_oldest_is_cut_off_with_two)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t hosts[HOSTS];
    for (uint32_t i = 0; i < HOSTS; i++) {
        hosts[i] = host_at_age(sim, i);
    }
    for (uint32_t i = 0; i < HOSTS; i++) {
        for (uint32_t k = 0; k < HOSTS; k++) {
            if (is_of_the_few(i) && !is_of_the_few(k)) {
                sim_cut(sim, hosts[i], hosts[k]);
            }
        }
    }
    sim_run(sim, LOST_MS + 250);
    for (uint32_t i = 0; i < HOSTS; i++) {
        story_check(members_at(sim, hosts[i]) == (is_of_the_few(i) ? 3 : HOSTS - 3), seed);
    }
    sim_free(sim);
}

/* Its heartbeat to the coordinator was lost a while ago; now another host is. */
static void check_that_one_is_out_in_time(struct sim *sim, uint64_t seed)
{
    const struct timing timing = timing_of(PROFILE_LAN);
    const uint32_t first = host_at_age(sim, 0);
    const uint32_t victim = host_at_age(sim, 3);
    const uint64_t asked = sim_sent(sim, first, MESSAGE_PING);

    sim_lose(sim, host_at_age(sim, 1), first, MESSAGE_PONG, 2);
    sim_run(sim, SETTLE_MS + random_below(sim_random(sim), 1000));
    story_check(sim_sent(sim, first, MESSAGE_PING) > asked, seed);
    sim_vanish(sim, victim);
    sim_run(sim, timing.lost_ms + timing.batch_ms);
    story_check(members_at(sim, first) == 4, seed);
    sim_start(sim, victim);
    story_check(sim_converges(sim, SETTLE_MS), seed);
}

/* H7, D2i: a coordinator that had to ask somebody lately tells the others in time, who are calm and
 * would not look before. */
Story(rings, of_five_one_that_is_lost_soon_after_a_heartbeat_is_out_in_time)
{
    struct sim *sim = just_formed(seed, 5);

    for (int i = 0; i < 6; i++) {
        sim_run(sim, MINUTE_MS); /* Until all are calm. */
        check_that_one_is_out_in_time(sim, seed);
    }
    sim_free(sim);
}

/* H71, D2i, D9d: those who watch it put off their looks at it until their next rounds. The half
 * that heard it earlier tells the other. */
Story(rings, of_ten_one_that_is_lost_is_out_in_time)
{
    struct sim *sim = just_formed(seed, 10);
    const struct timing timing = timing_of(PROFILE_LAN);

    for (uint32_t i = 0; i < 40; i++) {
        sim_run(sim, MINUTE_MS + random_below(sim_random(sim), 1000)); /* Until all are calm. */
        const uint32_t victim = host_at_age(sim, 1 + i % 9);
        sim_vanish(sim, victim);
        sim_run(sim, timing.lost_ms + timing.batch_ms / 2);
        story_check(members_at(sim, host_at_age(sim, 0)) == 9, seed);
        sim_start(sim, victim);
        story_check(sim_converges(sim, SETTLE_MS), seed);
    }
    sim_free(sim);
}

/* H2, D2e: each heartbeat that is lost costs a question. */
Story(rings, a_fifth_of_all_packets_lost_removes_nobody)
{
    struct sim *sim = story_on_rings(seed);
    struct quality quality = sim_default_quality();
    uint64_t version = sim_version(sim, A);
    quality.loss_ppm = 200000;
    sim_set_quality(sim, &quality);
    sim_run(sim, MINUTE_MS);
    story_check(sim_version(sim, A) == version, seed);
    sim_free(sim);
}

/* H64, D9c: whoever watches it now is another with each view. */
Story(rings, the_rings_turn_while_a_host_is_lost)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t subject = host_at_age(sim, 4);
    sim_vanish(sim, subject);
    for (uint32_t i = 0; i < 10; i++) {
        sim_leave(sim, host_at_age(sim, core_view(sim_core(sim, A))->member_count - 1));
        sim_run(sim, 100);
    }
    story_check(sim_converges(sim, LOST_MS), seed);
    sim_free(sim);
}

/* H64, D9c, R2a: whoever watches it leaves, again and again, so that for all who do it is a new
 * neighbour. Who does not name it for that would vouch for it. */
Story(rings, its_watchers_leave_one_after_the_other_while_a_host_is_lost)
{
    struct sim *sim = story_on_rings(seed);
    struct node_id life = core_view(sim_core(sim, A))->members[HOSTS / 2].id;
    uint32_t subject = host_of_member(sim, &life);
    uint32_t first = host_at_age(sim, 0);
    sim_vanish(sim, subject);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t watcher = watcher_of(sim, first, &life);
        if (watcher < HOSTS) {
            sim_leave(sim, watcher);
        }
        sim_run(sim, 200);
    }
    story_check(sim_converges(sim, 350), seed);
    sim_free(sim);
}

/* H4, D9e, D9j: who is to follow does not watch the second, and asks about it once the first is
 * dead.
 */
Story(rings, the_oldest_are_killed_at_once)
{
    for (uint32_t few = 2; few <= 8; few += 3) {
        struct sim *sim = story_on_rings(seed);
        uint32_t hosts[HOSTS];
        for (uint32_t i = 0; i < few; i++) {
            hosts[i] = host_at_age(sim, i);
        }
        for (uint32_t i = 0; i < few; i++) {
            sim_crash(sim, hosts[i]);
        }
        story_check(sim_converges(sim, 60), seed);
        sim_free(sim);
    }
}

/* H63, R1c, D9e, D9h: who was told of a doubt dies with it. Its successor finds out by itself, and
 * is not told more slowly than the first was. */
Story(rings, the_coordinator_dies_while_it_judges)
{
    for (uint32_t early_ms = 50; early_ms <= 350; early_ms += 150) {
        struct sim *sim = story_on_rings(seed);
        struct timing timing = sim_timing(sim);
        uint32_t first = host_at_age(sim, 0);
        uint32_t subject = host_at_age(sim, HOSTS / 2);
        sim_vanish(sim, subject);
        sim_run(sim, timing.lost_ms - early_ms);
        sim_crash(sim, first);
        story_check(sim_converges(sim, LOST_MS), seed);
        sim_free(sim);
    }
}

/* H64, H13, D2d, D9c: with each view others watch, none of them for long, and nobody who is there
 * goes. */
Story(rings, many_join_while_a_host_is_lost)
{
    enum { JOINERS = 20, LONGEST_MS = 2500 }; /* Of 600 seeds the longest took 2,220. */
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = seed, .host_count = HOSTS + JOINERS, .disks = true});
    for (uint32_t host = 0; host < HOSTS; host++) {
        sim_start(sim, host);
    }
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_run(sim, SETTLE_MS);
    sim_vanish(sim, HOSTS / 2);
    for (uint32_t host = HOSTS; host < HOSTS + JOINERS; host++) {
        sim_start(sim, host);
        sim_run(sim, 60);
    }
    story_check(sim_converges(sim, LONGEST_MS - JOINERS * 60), seed);
    story_check(core_view(sim_core(sim, A))->member_count == HOSTS + JOINERS - 1, seed);
    sim_run(sim, SETTLE_MS);
    story_check(sim_sound_removals(sim) == 0, seed);
    sim_free(sim);
}

/* H7, H8, L1, D9h: the younger half hears the older one and is not heard by it. It is out, goes on
 * by itself, and comes back. */
Story(rings, the_older_half_does_not_hear_the_younger)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t hosts[HOSTS];
    for (uint32_t i = 0; i < HOSTS; i++) {
        hosts[i] = host_at_age(sim, i);
    }
    for (uint32_t i = HOSTS / 2; i < HOSTS; i++) {
        for (uint32_t k = 0; k < HOSTS / 2; k++) {
            sim_cut_one_way(sim, hosts[i], hosts[k]);
        }
    }
    sim_run(sim, STALLED_MS);
    for (uint32_t i = 0; i < HOSTS; i++) {
        story_check(members_at(sim, hosts[i]) == HOSTS / 2, seed);
        story_check(sim_age(sim, hosts[i], hosts[i < HOSTS / 2 ? 0 : HOSTS / 2]) != 0, seed);
    }
    sim_heal(sim);
    story_check(sim_converges(sim, STALLED_MS), seed);
    sim_free(sim);
}

/* H65, H49, D9g, D9h: more and more of them have to know whether it lives. It answers each of their
 * questions, some seven of each, and is not deposed for having been slow. */
Story(rings, whom_all_doubt_for_a_while_has_little_to_answer)
{
    struct sim *sim = story_on_rings(seed);
    struct timing timing = sim_timing(sim);
    uint32_t first = host_at_age(sim, 0);
    uint64_t version = sim_version(sim, first);
    uint64_t answers = sim_sent(sim, first, MESSAGE_PONG);
    sim_pause(sim, first);
    sim_run(sim, timing.lost_ms - 20);
    sim_resume(sim, first);
    sim_run(sim, SETTLE_MS);
    story_check(sim_version(sim, first) == version, seed);
    story_check(sim_agrees(sim), seed);
    story_check(sim_sent(sim, first, MESSAGE_PONG) - answers <= 9 * HOSTS, seed);
    sim_free(sim);
}

/* H65, H51, D9g: it is no neighbour, so nobody sees the bad link but where something has to cross
 * it. */
Story(rings, a_bad_link_to_one_that_is_no_neighbour)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t first = host_at_age(sim, 0);
    uint32_t other = HOSTS;
    for (uint32_t place = HOSTS - 1; place > 3 && other == HOSTS; place--) {
        other = is_neighbour(sim, first, host_at_age(sim, place)) ? HOSTS : host_at_age(sim, place);
    }
    story_check(other < HOSTS, seed);
    uint64_t version = sim_version(sim, A);
    sim_cut(sim, first, other);
    sim_set_tags(sim, host_at_age(sim, 1), "role=db");
    sim_run(sim, STALLED_MS);
    story_check(sim_version(sim, other) == version + 1, seed);
    story_check(sim_agrees(sim), seed);
    story_check(core_view(sim_core(sim, A))->member_count == HOSTS, seed);
    sim_free(sim);
}

/* H65, H7, D9g: the next oldest and two who watch the coordinator do not hear it; all others do, if
 * they ask. */
Story(rings, bad_links_depose_nobody)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t watchers[HOSTS];
    uint32_t first = host_at_age(sim, 0);
    neighbours_of(sim, first, watchers);
    sim_cut(sim, first, host_at_age(sim, 1));
    for (uint32_t i = 0; i < 2; i++) {
        if (watchers[i] != host_at_age(sim, 1)) {
            sim_cut(sim, first, watchers[i]);
        }
    }
    uint64_t version = sim_version(sim, first);
    sim_run(sim, STALLED_MS);
    story_check(sim_version(sim, first) == version, seed);
    story_check(sim_agrees(sim), seed);
    sim_free(sim);
}

/* H8, D9i: neither its neighbours nor the older ones hear it, and somebody else does. */
Story(rings, who_is_heard_by_none_of_its_watchers_stays)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t subject = host_at_age(sim, HOSTS / 2);
    uint32_t watchers[HOSTS];
    uint32_t count = neighbours_of(sim, subject, watchers);
    for (uint32_t i = 0; i < count; i++) {
        sim_cut(sim, subject, watchers[i]);
    }
    for (uint32_t place = 0; place < 4; place++) {
        sim_cut(sim, subject, host_at_age(sim, place));
    }
    uint64_t version = sim_version(sim, subject);
    sim_run(sim, STALLED_MS);
    story_check(sim_version(sim, subject) == version, seed);
    story_check(sim_agrees(sim), seed);
    sim_free(sim);
}

/* H4, D9h: who is left asks all who were older, four times as many each time. */
Story(rings, the_ten_oldest_are_killed)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t older[HOSTS / 2];
    for (uint32_t i = 0; i < HOSTS / 2; i++) {
        older[i] = host_at_age(sim, i);
    }
    for (uint32_t i = 0; i < HOSTS / 2; i++) {
        sim_crash(sim, older[i]);
    }
    story_check(sim_converges(sim, LOST_MS), seed);
    sim_free(sim);
}

/* H64, D9c, D9d: what it misses turns the rings, so its neighbours are not those of the others. */
Story(rings, one_that_misses_views_stays)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t subject = host_at_age(sim, HOSTS / 2);
    for (uint32_t host = 0; host < HOSTS; host++) {
        if (host != subject) {
            sim_cut(sim, host, subject);
        }
    }
    for (uint32_t i = 0; i < 3; i++) {
        sim_leave(sim, host_at_age(sim, members_at(sim, host_at_age(sim, 0)) - 1));
        sim_run(sim, 150);
    }
    struct node_id life = core_self(sim_core(sim, subject))->id;
    sim_heal(sim);
    sim_run(sim, STALLED_MS);
    story_check(sim_agrees(sim), seed);
    story_check(id_equal(&core_self(sim_core(sim, subject))->id, &life), seed);
    sim_free(sim);
}

static void deafen(struct sim *sim, uint32_t subject)
{
    for (uint32_t host = 0; host < HOSTS; host++) {
        if (host != subject) {
            sim_cut_one_way(sim, host, subject);
        }
    }
}

/* H7, D9e: it names everybody, and has everybody asked. */
Story(rings, one_that_hears_nobody_has_nobody_removed)
{
    struct sim *sim = story_on_rings(seed);
    uint32_t subject = host_at_age(sim, HOSTS / 2);
    deafen(sim, subject);
    sim_run(sim, STALLED_MS);
    for (uint32_t host = 0; host < HOSTS; host++) {
        story_check(host == subject || members_at(sim, host) >= HOSTS - 1, seed);
    }
    sim_heal(sim);
    story_check(sim_converges(sim, 2 * STALLED_MS), seed);
    sim_free(sim);
}

/* H15, D8: it holds everybody for lost, and acts no more; the others go on without it. */
Story(rings, a_coordinator_that_hears_nobody_is_left)
{
    struct sim *sim = story_guarded(seed, (struct guard){.policy = GUARD_MAJORITY, .count = HOSTS});
    uint32_t first = host_at_age(sim, 0);
    deafen(sim, first);
    sim_run(sim, 2 * STALLED_MS);
    story_check(!core_is_acting(sim_core(sim, first), sim_now_ms(sim)), seed);
    for (uint32_t host = 0; host < HOSTS; host++) {
        story_check(host == first || members_at(sim, host) == HOSTS - 1, seed);
    }
    sim_heal(sim);
    story_check(sim_converges(sim, 2 * STALLED_MS), seed);
    sim_free(sim);
}

static struct sim *a_hundred(void)
{
    struct sim *sim = sim_new(
        &(struct sim_options){.seed = 1, .host_count = 100, .disks = true, .spares_codec = true});
    sim_start_together(sim);
    cr_assert(sim_converges(sim, SETTLE_MS));
    sim_run(sim, SETTLE_MS);
    return sim;
}

/* H2, D9d, R1a: there are more of them than questions in a step, and nobody is removed unasked. */
Test(rings, half_of_a_hundred_fall_silent)
{
    struct sim *sim = a_hundred();
    for (uint32_t host = 0; host < 100; host += 2) {
        sim_vanish(sim, host);
    }
    cr_assert(sim_converges(sim, TWICE_LOST_MS));
    cr_assert_eq(core_view(sim_core(sim, 1))->member_count, 50);
    sim_free(sim);
}

static double sent_by_each(const struct sim *sim, enum message_type type)
{
    double count = 0;

    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        count += (double)sim_sent(sim, host, type);
    }
    return count / sim_host_count(sim);
}

/* H67: each member misses fifty others, and may neither ask about all of them nor tell everybody of
 * each. */
Test(rings, half_of_a_hundred_are_cut_off_without_a_storm)
{
    struct sim *sim = a_hundred();
    double heartbeats = -sent_by_each(sim, MESSAGE_HEARTBEAT);
    double pings = -sent_by_each(sim, MESSAGE_PING);

    for (uint32_t host = 0; host < 100; host += 2) {
        for (uint32_t other = 1; other < 100; other += 2) {
            sim_cut(sim, host, other);
        }
    }
    sim_run(sim, TWICE_LOST_MS);
    cr_assert_eq(core_view(sim_core(sim, 0))->member_count, 50);
    cr_assert_eq(core_view(sim_core(sim, 1))->member_count, 50);
    heartbeats += sent_by_each(sim, MESSAGE_HEARTBEAT);
    pings += sent_by_each(sim, MESSAGE_PING);
    cr_expect_lt(heartbeats, 200, "%f", heartbeats);
    cr_expect_lt(pings, 340, "%f", pings); /* To helpers, too (R1a). */
    sim_heal(sim);
    cr_assert(sim_converges(sim, SETTLE_MS));
    sim_free(sim);
}

static uint32_t one_far_from(const struct sim *sim, uint32_t first)
{
    uint32_t place = HOSTS / 4;

    while (is_neighbour(sim, first, host_at_age(sim, place))) {
        place++;
    }
    return host_at_age(sim, place);
}

static bool holds_dead(const struct sim *sim, uint32_t of, const struct node_id *subject)
{
    const struct core *core = sim_core(sim, of);
    const uint32_t position = view_find(core_view(core), subject);

    return position != VIEW_NONE &&
           core_peer(core, position, sim_now_ms(sim)).verdict == VERDICT_DEAD;
}

/* D9k: the coordinator is told that it is silent, and a firewall refuses connections in its name;
 * what it says itself is lost meanwhile. */
Story(rings, who_was_taken_for_dead_can_say_otherwise)
{
    struct sim *sim = story_on_rings(seed);
    const uint32_t first = host_at_age(sim, 0);
    const uint32_t subject = one_far_from(sim, first);
    const struct node_id life = core_self(sim_core(sim, subject))->id;
    const uint32_t watcher = watcher_of(sim, first, &life);

    sim_refuse_streams(sim, first, subject, true);
    sim_cut_datagrams(sim, subject, first);
    sim_cut_one_way(sim, subject, watcher);
    for (uint32_t ms = 0; ms < SETTLE_MS && !holds_dead(sim, first, &life); ms++) {
        sim_run(sim, 1);
    }
    cr_expect(holds_dead(sim, first, &life));
    sim_mend_one_way(sim, subject, watcher);
    sim_run(sim, 5000);
    sim_heal(sim);
    sim_mend_datagrams(sim, subject, first);
    cr_expect(sim_converges(sim, SETTLE_MS));
    sim_run(sim, MINUTE_MS);
    cr_expect(!sim_suspects_any(sim));
    sim_free(sim);
}

/* Each has sent more than a number may rise by, and its neighbours alone have heard so. */
static struct sim *on_rings_for_days(uint64_t seed)
{
    enum { STEPS = 4, STEP = 1 << 19, STEP_MS = 3000 };
    struct sim *sim = story_on_rings(seed);

    for (int step = 0; step < STEPS; step++) {
        for (uint32_t host = 0; host < HOSTS; host++) {
            sim_send_to_nobody(sim, host, STEP);
        }
        sim_run(sim, STEP_MS);
    }
    return sim;
}

/* H104, D6a: the rings close around who is gone, and others are neighbours from then on. */
Story(rings, who_never_spoke_for_days_is_heard_at_once)
{
    enum { TOLD_AGAIN_MS = 600 }; /* The coordinator takes no word of a number that leaps. */
    struct sim *sim = on_rings_for_days(seed);

    sim_crash(sim, host_at_age(sim, HOSTS / 2));
    story_check(sim_converges(sim, TOLD_AGAIN_MS), seed);
    sim_run(sim, MINUTE_MS);
    story_check(!sim_suspects_any(sim), seed);
    story_check(core_view(sim_core(sim, host_at_age(sim, 0)))->member_count == HOSTS - 1, seed);
    sim_free(sim);
}

/* H104, D6a: what the next oldest asks, and what is answered, waits for no proof of a number. */
Story(rings, a_fail_over_among_those_who_never_spoke_for_days)
{
    struct sim *sim = on_rings_for_days(seed);

    sim_crash(sim, host_at_age(sim, 0));
    story_check(sim_converges(sim, 60), seed);
    sim_run(sim, MINUTE_MS);
    story_check(!sim_suspects_any(sim) && sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

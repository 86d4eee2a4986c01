/* Faults that only guard strict has to live with: of the disks that keep voters' records, and of
 * what leases rest on, timed to end just before or just after they do. */
#include "faults_parts.h"

/* --- Disks --- */

static void quicken_record(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    sim_slow_record(sim, host, 0);
}

void strike_slow_record(struct sim *sim, struct random *random)
{
    uint32_t host = any_voter(sim, random);
    sim_slow_record(sim, host, draw(random, 10, 800));
    sim_after(sim, draw(random, 500, 8000), quicken_record, host, 0);
}

void strike_stuck_record(struct sim *sim, struct random *random)
{
    uint32_t host = any_voter(sim, random);
    sim_stick_record(sim, host, draw(random, 50, 6000));
}

/* Some of what was asked of the disk is on it, and some is not. */
void strike_crash_before_sync(struct sim *sim, struct random *random)
{
    uint32_t host = any_voter(sim, random);
    uint32_t ms = draw_u32(random, 0, 300);
    sim_stick_record(sim, host, 2 * ms + 50);
    sim_after(sim, ms, fault_crash_and_return, host, draw_u32(random, 0, 1000));
}

void strike_failing_record(struct sim *sim, struct random *random)
{
    uint32_t host = any_voter(sim, random);
    if (sim_may_spoil_record(sim, host)) {
        sim_fail_record(sim, host, true);
        sim_after(sim, draw(random, 100, 5000), fault_crash_and_return, host, 100);
    }
}

void strike_spoilt_record(struct sim *sim, struct random *random)
{
    uint32_t host = any_voter(sim, random);
    bool lost = draw(random, 0, 1) == 0;
    if (!sim_may_spoil_record(sim, host) || sim_keeps_from_founding(sim, host)) {
        return;
    }
    sim_crash(sim, host);
    if (lost) {
        sim_lose_record(sim, host);
    } else {
        sim_damage_record(sim, host);
    }
    sim_after(sim, draw(random, 0, 2000), fault_start_again, host, KEEP_DISK);
}

enum { OLDER_BY = 6 };

/* By hand, and so after all leases that it gave, and all that was granted by them. Where it was
 * started meanwhile, nothing comes of it. */
static void put_back(struct sim *sim, uint32_t host, uint32_t process)
{
    if (sim_process(sim, host) == process && sim_may_restore(sim, host)) {
        sim_restore(sim, host);
        fault_start_again(sim, host, KEEP_DISK);
    }
}

static void lose_and_put_back(struct sim *sim, uint32_t host, uint32_t unused)
{
    const struct timing longest = timing_of(PROFILE_WAN);
    const uint64_t granted_ms = longest.lease_ms + timing_hold_ms(&longest);

    (void)unused;
    if (sim_is_running(sim, host) && !sim_is_acting(sim, host)) { /* Who acts remembers. */
        sim_crash(sim, host);
        sim_after(sim, granted_ms + granted_ms / 8, put_back, host, sim_process(sim, host));
    }
}

static void change_tags(struct sim *sim, uint32_t host, uint32_t time)
{
    if (sim_is_running(sim, host)) {
        sim_set_tags(sim, host, time % 2 == 0 ? "role=db" : "role=web");
    }
}

/* H79: only where the others know all that it has forgotten; else it is as good as lost. That is
 * some views, which changed tags bring. */
void strike_older_record(struct sim *sim, struct random *random)
{
    const uint32_t host = any_voter(sim, random);
    const uint32_t other = another_host(sim, random, host);

    if (!sim_has_backup(sim, host)) { /* The older it is the more it lacks. */
        sim_back_up(sim, host);
    }
    for (uint32_t time = 0; time < OLDER_BY; time++) {
        sim_after(sim, time * 500, change_tags, other, time);
    }
    sim_after(sim, draw(random, 0, 15000), lose_and_put_back, host, 0);
}

/* --- Other voters --- */

/* H75 to H87: whoever it is asked of, and whatever goes on (H82): one for another, one more, one
 * less, any others, or another record for one, who may have lost its own. */
void strike_change_of_voters(struct sim *sim, struct random *random)
{
    const uint32_t hosts = sim_host_count(sim);
    const uint32_t listed = listed_hosts(sim);
    const uint32_t one = UINT32_C(1) << any_host(sim, random);
    const uint32_t voter = UINT32_C(1) << any_voter(sim, random);
    uint32_t wished = listed;
    uint32_t anew = 0;

    if (!sim_has_founded(sim)) {
        return;
    }
    switch (draw(random, 0, 4)) {
    case 0:
        wished = (listed & ~voter) | one;
        break;
    case 1:
        wished = listed | one;
        break;
    case 2:
        wished = listed & ~voter;
        break;
    case 3:
        wished = draw_u32(random, 1, (UINT32_C(1) << (hosts < 9 ? hosts : 9)) - 1);
        break;
    default:
        anew = voter;
        break;
    }
    if (wished != 0) {
        sim_change_voters(sim, any_host(sim, random), wished, anew);
    }
}

static void wish_anew(struct sim *sim, uint32_t asked, uint32_t voter)
{
    const uint32_t set = listed_hosts(sim);
    const uint32_t anew = UINT32_C(1) << voter;

    if ((set & anew) != 0) {
        sim_change_voters(sim, asked, set, anew);
    }
}

/* Another goes by a voter's name while that one is to get another record. */
void strike_double_of_a_voter(struct sim *sim, struct random *random)
{
    const uint32_t voter = any_voter(sim, random);
    const uint32_t host = another_host(sim, random, voter);
    const bool is_down = draw(random, 0, 2) != 0;
    const uint32_t down_ms = draw_u32(random, 0, 8000);
    const uint32_t asked = any_host(sim, random);

    sim_crash(sim, host);
    sim_rename(sim, host, sim_name(sim, voter));
    if (is_down) {
        fault_crash_and_return(sim, voter, down_ms);
    }
    sim_after(sim, draw(random, 0, 1000), fault_start_again, host, KEEP_DISK);
    sim_after(sim, draw(random, 0, 6000), wish_anew, asked, voter);
    sim_after(sim, draw(random, 2000, 15000), fault_put_right, host, 0);
}

/* --- Witnesses --- */

/* It comes, goes, takes a voter's place or makes way for one, or gets another record. */
static void change_with_witness(struct sim *sim, struct random *random, uint32_t witness)
{
    const uint32_t listed = listed_hosts(sim);
    const uint32_t it = UINT32_C(1) << witness;
    const uint32_t voter = UINT32_C(1) << any_voter(sim, random);
    const uint32_t one = UINT32_C(1) << any_host(sim, random);
    uint32_t wished = listed | it;
    uint32_t anew = 0;

    switch (draw(random, 0, 4)) {
    case 0:
        wished = (listed & ~it) | one;
        break;
    case 1:
        wished = (listed & ~voter) | one | it;
        break;
    case 2:
        anew = (listed & it) != 0 ? it : 0;
        break;
    default:
        break;
    }
    sim_change_voters(sim, any_host(sim, random), wished, anew);
}

static void mend(struct sim *sim, uint32_t a, uint32_t b)
{
    sim_mend(sim, a, b);
}

/* As far away as another site, over a line that loses packets. */
static void slow_its_link(struct sim *sim, struct random *random, uint32_t witness)
{
    struct quality quality = sim_default_quality();

    quality.latency_us_min = draw_u32(random, 1000, 200000);
    quality.latency_us_max = quality.latency_us_min + draw_u32(random, 1000, 50000);
    quality.loss_ppm = 50000 * draw_u32(random, 0, 2);
    sim_set_quality_from(sim, witness, &quality);
}

static void lose_its_disk(struct sim *sim, struct random *random, uint32_t witness)
{
    if (sim_may_spoil_record(sim, witness)) {
        sim_crash(sim, witness);
        sim_lose_record(sim, witness);
        sim_after(sim, draw(random, 0, 2000), fault_start_again, witness, KEEP_DISK);
    }
}

static void stop_for(struct sim *sim, struct random *random, uint32_t witness)
{
    sim_pause(sim, witness);
    sim_after(sim, draw(random, 50, 4000), fault_resume, witness, 0);
}

void strike_witness(struct sim *sim, struct random *random)
{
    if (sim_witness_count(sim) == 0 || !sim_has_founded(sim)) {
        return;
    }
    const uint32_t witness = any_witness(sim, random);
    const uint32_t other = any_host(sim, random);

    switch (draw(random, 0, 9)) {
    case 0:
        fault_crash_and_return(sim, witness, draw_u32(random, 0, 3000));
        break;
    case 1:
        lose_its_disk(sim, random, witness);
        break;
    case 2:
        stop_for(sim, random, witness);
        break;
    case 3:
        sim_isolate(sim, witness);
        sim_after(sim, draw(random, 200, 6000), fault_rejoin, witness, 0);
        break;
    case 4:
        sim_cut(sim, witness, other);
        sim_after(sim, draw(random, 200, 6000), mend, witness, other);
        break;
    case 5:
        slow_its_link(sim, random, witness);
        break;
    case 6:
        sim_slow_record(sim, witness, draw(random, 10, 800));
        break;
    default:
        change_with_witness(sim, random, witness);
        break;
    }
}

/* Slewed as much as it may be, mostly; and in a machine that stands still its clock goes on, so
 * that it jumps for whoever looks. */
void strike_clock_of_a_witness(struct sim *sim, struct random *random)
{
    const uint32_t witness = any_witness(sim, random);
    const uint64_t kind = draw(random, 0, 3);
    const int64_t rate_ppm = (int64_t)draw(random, 0, 2 * CLOCK_RATE_PPM_MAX) - CLOCK_RATE_PPM_MAX;

    if (kind == 0) {
        stop_for(sim, random, witness);
    } else if (kind == 1) {
        sim_skew(sim, witness, rate_ppm);
    } else {
        sim_skew(sim, witness, kind == 2 ? CLOCK_RATE_PPM_MAX : -CLOCK_RATE_PPM_MAX);
    }
}

static void write_its_record(struct sim *sim, uint32_t witness, uint32_t unused)
{
    (void)unused;
    sim_fail_record(sim, witness, false);
}

void strike_disk_of_a_witness(struct sim *sim, struct random *random)
{
    const uint32_t witness = any_witness(sim, random);
    const uint64_t ms = draw(random, 100, 8000);

    if (draw(random, 0, 1) == 0) {
        sim_stick_record(sim, witness, ms);
    } else {
        sim_fail_record(sim, witness, true);
        sim_after(sim, ms, write_its_record, witness, 0);
    }
}

/* --- Leases --- */

/* About as long as a coordinator counts a lease, as a voter holds it, or as a silence may last. */
static uint64_t about_a_lease_ms(struct sim *sim, struct random *random)
{
    struct timing timing = sim_timing(sim);
    uint64_t spread_ms = timing.lease_ms / 4;
    uint64_t around[] = {timing_act_ms(timing.lease_ms), timing.lease_ms, timing.lost_ms,
                         timing.lost_ms + timing.lease_ms, 2 * timing.lost_ms};
    uint64_t ms = around[random_below(random, sizeof around / sizeof around[0])];

    return ms - spread_ms + draw(random, 0, 2 * spread_ms);
}

/* Stopped and continued: it wakes up with its old answers before it. */
void strike_pause_of_the_acting(struct sim *sim, struct random *random)
{
    uint32_t host = acting_or_any(sim, random);
    fault_pause_for(sim, host, (uint32_t)about_a_lease_ms(sim, random));
}

/* In the middle of the campaign that follows. */
void strike_pause_in_a_campaign(struct sim *sim, struct random *random)
{
    uint32_t host = acting_or_any(sim, random);
    uint32_t voter = any_voter(sim, random);
    struct timing timing = sim_timing(sim);
    uint64_t after_ms = timing.lease_ms - timing.heartbeat_ms +
                        draw(random, 0, 2 * timing.heartbeat_ms);

    fault_crash_and_return(sim, host, draw_u32(random, 0, 3000));
    sim_after(sim, after_ms, fault_pause_for, voter, (uint32_t)about_a_lease_ms(sim, random));
}

static void mend_one_way(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_mend_one_way(sim, from, to);
}

static void cut_one_way_for(struct sim *sim, uint32_t from, uint32_t to, uint64_t ms)
{
    sim_cut_one_way(sim, from, to);
    sim_after(sim, ms, mend_one_way, from, to);
}

/* Of the acting one, to or from each of the others or only some of them. */
void strike_cut_of_the_acting(struct sim *sim, struct random *random)
{
    uint32_t host = acting_or_any(sim, random);
    uint64_t ms = about_a_lease_ms(sim, random);
    bool deaf = draw(random, 0, 1) == 0;
    bool all = draw(random, 0, 1) == 0;

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        bool hit = draw(random, 0, 1) == 0;
        if (i != host && (hit || all)) {
            cut_one_way_for(sim, deaf ? i : host, deaf ? host : i, ms);
        }
    }
}

/* All hear it, and it hears too few voters: it has to hand over (Z7b). */
void strike_no_quorum_heard(struct sim *sim, struct random *random)
{
    uint32_t host = acting_or_any(sim, random);
    uint64_t ms = draw(random, 500, 8000);
    bool killed = draw(random, 0, 2) == 0;

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host && sim_is_voter(sim, i)) {
            cut_one_way_for(sim, i, host, ms);
        }
    }
    if (killed) {
        fault_crash_and_return(sim, another_host(sim, random, host), 2000);
    }
}

/* And something happens to somebody while it is carried out. */
void strike_hand_over(struct sim *sim, struct random *random)
{
    uint32_t host = acting_or_any(sim, random);
    uint32_t other = another_host(sim, random, host);
    uint64_t after_ms = draw(random, 0, 20);
    bool pauses = draw(random, 0, 1) == 0;

    if (!sim_is_running(sim, host)) {
        return;
    }
    sim_leave(sim, host);
    sim_after(sim, draw(random, LEFT_MS, LEFT_MS + 2000), fault_start_again, host, KEEP_DISK);
    if (pauses) {
        sim_after(sim, after_ms, fault_pause_for, other, (uint32_t)about_a_lease_ms(sim, random));
    } else {
        sim_after(sim, after_ms, fault_crash_and_return, other, draw_u32(random, 0, 500));
    }
}

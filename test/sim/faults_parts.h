/* What the files of faults share: how a strike draws, the ends that several of them have, and all
 * strikes, for the table. All others use faults.h alone. */
#ifndef SIM_FAULTS_PARTS_H
#define SIM_FAULTS_PARTS_H

#include "faults.h"
#include "liar.h"

/* Whoever was asked to leave has ended by then, of every profile. */
#define LEFT_MS 6000U

/* Never two draws among the arguments of one call: compilers differ in which comes first, and a
 * seed must mean the same run with each of them. */
static inline uint64_t draw(struct random *random, uint64_t low, uint64_t high)
{
    return random_between(random, low, high);
}

static inline uint32_t draw_u32(struct random *random, uint64_t low, uint64_t high)
{
    return (uint32_t)random_between(random, low, high);
}

static inline uint32_t any_host(struct sim *sim, struct random *random)
{
    return (uint32_t)random_below(random, sim_host_count(sim));
}

static inline uint32_t another_host(struct sim *sim, struct random *random, uint32_t host)
{
    uint32_t step = (uint32_t)random_below(random, sim_host_count(sim) - 1) + 1;
    return (host + step) % sim_host_count(sim);
}

/* Under guard strict. */
static inline uint32_t any_voter(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);

    for (uint32_t i = 0; !sim_is_voter(sim, host) && i < sim_host_count(sim); i++) {
        host = (host + 1) % sim_host_count(sim);
    }
    return host;
}

/* Where there is one. */
static inline uint32_t any_witness(struct sim *sim, struct random *random)
{
    const uint32_t count = sim_witness_count(sim);

    return sim_witness(sim, count == 1 ? 0 : (uint32_t)random_below(random, count));
}

/* Those who vote, as a set: witnesses, too. */
static inline uint32_t listed_hosts(struct sim *sim)
{
    uint32_t set = 0;

    for (uint32_t i = 0; i < sim_host_count(sim) + sim_witness_count(sim); i++) {
        set |= sim_is_voter(sim, i) ? UINT32_C(1) << i : 0;
    }
    return set;
}

/* Who acts, if anybody does. */
static inline uint32_t acting_or_any(struct sim *sim, struct random *random)
{
    uint32_t any = any_host(sim, random);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (sim_is_acting(sim, i)) {
            return i;
        }
    }
    return any;
}

/* --- Ends, called later --- */

enum { KEEP_DISK, WIPE_DISK, ROLL_BACK_DISK };

/* Unless it runs already. */
void fault_start_again(struct sim *sim, uint32_t host, uint32_t disk);

/* kill -9, and started again so much later. */
void fault_crash_and_return(struct sim *sim, uint32_t host, uint32_t ms);

void fault_resume(struct sim *sim, uint32_t host, uint32_t unused);

/* Stopped, and continued so much later. */
void fault_pause_for(struct sim *sim, uint32_t host, uint32_t ms);

/* Of a host, all links that were cut. */
void fault_rejoin(struct sim *sim, uint32_t host, uint32_t unused);

/* T_heartbeat and T_lost of so many fifths of the usual ones. */
void fault_scale_lengths(struct sim *sim, struct rules *rules, uint64_t fifths);

/* Starts the host with its right name and seeds, if it has others. */
void fault_put_right(struct sim *sim, uint32_t host, uint32_t unused);

/* Crashes a host, again and again. `packed` as of fault_flap, but in 50 ms. */
void fault_crash_again(struct sim *sim, uint32_t host, uint32_t packed);

/* Of paths, in bytes. */
enum {
    HOLE_LEAST = 300,
    HOLE_MOST = 1400,
    REQUEST_HOLE = 800,   /* passes what asks to be let in, with the longest tags and terms drawn */
    SMALL_SEGMENTS = 536, /* as nodes ask for, so that streams pass where IPv4 must */
    LARGE_SEGMENTS = 1448,
};

/* Of some lengths: a few of them make a view too long for a datagram, or for a hole. */
const char *fault_draw_tag(struct random *random);

/* Cuts a host off, again and again. `packed` holds how often yet (8 bits, 0xff: for ever), and how
 * long it is down and up, in 25 ms (8 bits each). */
void fault_flap(struct sim *sim, uint32_t host, uint32_t packed);

/* What is long is to be sent: several start at once, or are to have long tags; or neither. */
void fault_crowd(struct sim *sim, struct random *random);

/* --- faults_processes.c --- */

void strike_crash(struct sim *sim, struct random *random);
void strike_crash_of_coordinator(struct sim *sim, struct random *random);
void strike_crash_while_sending(struct sim *sim, struct random *random);
void strike_crash_of_several(struct sim *sim, struct random *random);
void strike_power_cut(struct sim *sim, struct random *random);
void strike_vanish(struct sim *sim, struct random *random);
void strike_leave(struct sim *sim, struct random *random);
void strike_rolling_restart(struct sim *sim, struct random *random);
void strike_long_lives(struct sim *sim, struct random *random);
void strike_short_pause(struct sim *sim, struct random *random);
void strike_long_pause(struct sim *sim, struct random *random);
void strike_slowness(struct sim *sim, struct random *random);
void strike_late_timers(struct sim *sim, struct random *random);
void strike_skew(struct sim *sim, struct random *random);
void strike_clock_rates(struct sim *sim, struct random *random);
void strike_disk(struct sim *sim, struct random *random);
void strike_transfer(struct sim *sim, struct random *random);
void strike_drain(struct sim *sim, struct random *random);
void strike_undrain(struct sim *sim, struct random *random);
void strike_remove(struct sim *sim, struct random *random);

/* --- faults_links.c --- */

void strike_cut(struct sim *sim, struct random *random);
void strike_long_cut_of_one_link(struct sim *sim, struct random *random);
void strike_partition(struct sim *sim, struct random *random);
void strike_many_parts(struct sim *sim, struct random *random);
void strike_long_partition(struct sim *sim, struct random *random);
void strike_bridge(struct sim *sim, struct random *random);
void strike_ring(struct sim *sim, struct random *random);
void strike_random_links(struct sim *sim, struct random *random);
void strike_isolation(struct sim *sim, struct random *random);
void strike_deafness(struct sim *sim, struct random *random);
void strike_muteness(struct sim *sim, struct random *random);
void strike_flapping(struct sim *sim, struct random *random);
void strike_streams(struct sim *sim, struct random *random);
void strike_datagrams(struct sim *sim, struct random *random);

/* --- faults_packets.c --- */

void strike_loss(struct sim *sim, struct random *random);
void strike_heavy_loss(struct sim *sim, struct random *random);
void strike_send_failures(struct sim *sim, struct random *random);
void strike_duplication(struct sim *sim, struct random *random);
void strike_replay(struct sim *sim, struct random *random);
void strike_reordering(struct sim *sim, struct random *random);
void strike_delay(struct sim *sim, struct random *random);
void strike_heavy_tail(struct sim *sim, struct random *random);
void strike_corruption(struct sim *sim, struct random *random);
void strike_truncation(struct sim *sim, struct random *random);
void strike_foreign_packets(struct sim *sim, struct random *random);
void strike_black_hole(struct sim *sim, struct random *random);
void strike_lost_questions(struct sim *sim, struct random *random);

/* --- faults_size.c --- */

void strike_narrow_path(struct sim *sim, struct random *random);
void strike_narrow_path_to_a_witness(struct sim *sim, struct random *random);
void strike_long_tags(struct sim *sim, struct random *random);

/* --- faults_hole.c --- */

void strike_narrow_path_to_some(struct sim *sim, struct random *random);

/* --- faults_configuration.c --- */

void strike_resolver(struct sim *sim, struct random *random);
void strike_other_answers(struct sim *sim, struct random *random);
void strike_other_versions(struct sim *sim, struct random *random);
void strike_wrong_seeds(struct sim *sim, struct random *random);
void strike_name_clash(struct sim *sim, struct random *random);
void strike_address_reuse(struct sim *sim, struct random *random);

/* --- faults_strict.c --- */

void strike_slow_record(struct sim *sim, struct random *random);
void strike_stuck_record(struct sim *sim, struct random *random);
void strike_crash_before_sync(struct sim *sim, struct random *random);
void strike_failing_record(struct sim *sim, struct random *random);
void strike_spoilt_record(struct sim *sim, struct random *random);
void strike_older_record(struct sim *sim, struct random *random);
void strike_double_of_a_voter(struct sim *sim, struct random *random);
void strike_change_of_voters(struct sim *sim, struct random *random);
void strike_witness(struct sim *sim, struct random *random);
void strike_clock_of_a_witness(struct sim *sim, struct random *random);
void strike_disk_of_a_witness(struct sim *sim, struct random *random);
void strike_pause_of_the_acting(struct sim *sim, struct random *random);
void strike_pause_in_a_campaign(struct sim *sim, struct random *random);
void strike_cut_of_the_acting(struct sim *sim, struct random *random);
void strike_no_quorum_heard(struct sim *sim, struct random *random);
void strike_hand_over(struct sim *sim, struct random *random);

/* --- faults_founders.c --- */

void strike_disks_of_founders(struct sim *sim, struct random *random);
void strike_founders_apart(struct sim *sim, struct random *random);

/* --- faults_founding.c --- */

void strike_new_disk_in_a_founding(struct sim *sim, struct random *random);
void strike_old_disk_in_a_founding(struct sim *sim, struct random *random);
void strike_restart_in_a_founding(struct sim *sim, struct random *random);
void strike_disk_trouble_in_a_founding(struct sim *sim, struct random *random);
void strike_cut_in_a_founding(struct sim *sim, struct random *random);
void strike_double_in_a_founding(struct sim *sim, struct random *random);
void strike_other_order_in_a_founding(struct sim *sim, struct random *random);

/* --- faults_recovery.c --- */

void strike_recovery(struct sim *sim, struct random *random);
void strike_recovery_of_who_was_away(struct sim *sim, struct random *random);
void strike_hasty_recovery(struct sim *sim, struct random *random);
void strike_recoveries_by_two_clocks(struct sim *sim, struct random *random);

/* --- faults_lengths.c --- */

void strike_blow_after_terms(struct sim *sim, struct random *random);
void strike_rival_epoch(struct sim *sim, struct random *random);
void strike_shorter_leases(struct sim *sim, struct random *random);
void strike_far_witness(struct sim *sim, struct random *random);

/* --- faults_voters.c --- */

void strike_blow_in_a_change_of_voters(struct sim *sim, struct random *random);

/* --- faults_copies.c --- */

void strike_copies_of_proposals(struct sim *sim, struct random *random);
void strike_copies_in_a_change_of_voters(struct sim *sim, struct random *random);

/* --- faults_shared.c --- */

void strike_pause_of_several(struct sim *sim, struct random *random);
void strike_stuck_store(struct sim *sim, struct random *random);
void strike_held_back(struct sim *sim, struct random *random);
void strike_loss_of_what_is_long(struct sim *sim, struct random *random);

/* --- faults_hosts.c --- */

void strike_crash_loop(struct sim *sim, struct random *random);
void strike_long_absence(struct sim *sim, struct random *random);
void strike_moved_voter(struct sim *sim, struct random *random);
void strike_two_disks(struct sim *sim, struct random *random);
void strike_standstill(struct sim *sim, struct random *random);

/* --- faults_queues.c --- */

void strike_slow_reader(struct sim *sim, struct random *random);
void strike_full_buffer(struct sim *sim, struct random *random);
void strike_crowded_sender(struct sim *sim, struct random *random);
void strike_few_streams(struct sim *sim, struct random *random);

/* --- faults_streams.c --- */

void strike_streams_that_break(struct sim *sim, struct random *random);
void strike_streams_that_repeat(struct sim *sim, struct random *random);
void strike_bad_link(struct sim *sim, struct random *random);
void strike_refused_connections(struct sim *sim, struct random *random);
void strike_refused_again(struct sim *sim, struct random *random);
void strike_refused_in_a_turn(struct sim *sim, struct random *random);
void strike_refused_everywhere(struct sim *sim, struct random *random);
void strike_translated_source(struct sim *sim, struct random *random);

/* --- faults_terms.c --- */

void strike_change_of_terms(struct sim *sim, struct random *random);
void strike_change_of_capacity(struct sim *sim, struct random *random);
void strike_terms_written_down(struct sim *sim, struct random *random);
void strike_disk_without_terms(struct sim *sim, struct random *random);

/* When everything heals. */
void fault_end_writing(struct sim *sim);

/* --- faults_options.c --- */

void strike_other_options(struct sim *sim, struct random *random);

/* --- faults_liar.c --- */

#define LIE_STRIKES(NAME, function, text)                                                          \
    void strike_stranger_##function(struct sim *sim, struct random *random);                       \
    void strike_liar_##function(struct sim *sim, struct random *random);                           \
    void strike_forger_##function(struct sim *sim, struct random *random);
LIES(LIE_STRIKES)
#undef LIE_STRIKES

#endif

/* The table of all faults, and what is left of them in the end. */
#include "faults_parts.h"

static const struct fault table[] = {
    {"crash", 20, FAULTS_COMMON, FAULT_HARMLESS, strike_crash},
    {"crash of the coordinator", 15, FAULTS_COMMON, FAULT_HARMLESS, strike_crash_of_coordinator},
    {"crash while sending", 8, FAULTS_COMMON, FAULT_HARMLESS, strike_crash_while_sending},
    {"crash of several", 4, FAULTS_COMMON, FAULT_FORGETS, strike_crash_of_several},
    {"power cut", 2, FAULTS_COMMON, FAULT_FORGETS, strike_power_cut},
    {"vanish", 6, FAULTS_COMMON, FAULT_SPLITS, strike_vanish},
    {"leave", 8, FAULTS_COMMON, FAULT_HARMLESS, strike_leave},
    {"short pause", 8, FAULTS_COMMON, FAULT_SPLITS, strike_short_pause},
    {"long pause", 5, FAULTS_COMMON, FAULT_SPLITS, strike_long_pause},
    {"slowness", 4, FAULTS_COMMON, FAULT_SPLITS, strike_slowness},
    {"late timers", 3, FAULTS_COMMON, FAULT_SPLITS, strike_late_timers},
    {"clock skew", 2, FAULTS_COMMON, FAULT_HARMLESS, strike_skew},
    {"failing disk", 2, FAULTS_COMMON, FAULT_FORGETS, strike_disk},
    {"short cut", 8, FAULTS_COMMON, FAULT_SPLITS, strike_cut},
    {"long cut of one link", 6, FAULTS_COMMON, FAULT_SPLITS, strike_long_cut_of_one_link},
    {"partition", 10, FAULTS_COMMON, FAULT_SPLITS, strike_partition},
    {"many parts", 4, FAULTS_COMMON, FAULT_SPLITS, strike_many_parts},
    {"long partition", 3, FAULTS_COMMON, FAULT_SPLITS, strike_long_partition},
    {"bridge", 4, FAULTS_COMMON, FAULT_SPLITS, strike_bridge},
    {"ring", 4, FAULTS_COMMON, FAULT_SPLITS, strike_ring},
    {"random links", 4, FAULTS_COMMON, FAULT_SPLITS, strike_random_links},
    {"isolation", 5, FAULTS_COMMON, FAULT_SPLITS, strike_isolation},
    {"deafness", 4, FAULTS_COMMON, FAULT_SPLITS, strike_deafness},
    {"muteness", 4, FAULTS_COMMON, FAULT_SPLITS, strike_muteness},
    {"flapping", 4, FAULTS_COMMON, FAULT_SPLITS, strike_flapping},
    {"streams cut", 3, FAULTS_COMMON, FAULT_SPLITS, strike_streams},
    {"loss", 5, FAULTS_COMMON, FAULT_SPLITS, strike_loss},
    {"heavy loss", 3, FAULTS_COMMON, FAULT_SPLITS, strike_heavy_loss},
    {"send failures", 3, FAULTS_COMMON, FAULT_SPLITS, strike_send_failures},
    {"duplication", 3, FAULTS_COMMON, FAULT_HARMLESS, strike_duplication},
    {"replay", 4, FAULTS_COMMON, FAULT_SPLITS, strike_replay},
    {"reordering", 3, FAULTS_COMMON, FAULT_HARMLESS, strike_reordering},
    {"delay", 4, FAULTS_COMMON, FAULT_SPLITS, strike_delay},
    {"heavy tail", 4, FAULTS_COMMON, FAULT_SPLITS, strike_heavy_tail},
    {"corruption", 2, FAULTS_COMMON, FAULT_SPLITS, strike_corruption},
    {"truncation", 2, FAULTS_COMMON, FAULT_SPLITS, strike_truncation},
    {"foreign packets", 2, FAULTS_COMMON, FAULT_HARMLESS, strike_foreign_packets},
    {"black hole", 3, FAULTS_COMMON, FAULT_SPLITS, strike_black_hole},
    {"resolver", 2, FAULTS_COMMON, FAULT_FORGETS, strike_resolver},
    {"wrong seeds", 2, FAULTS_COMMON, FAULT_FORGETS | FAULT_SPLITS, strike_wrong_seeds},
    {"name clash", 2, FAULTS_COMMON, FAULT_FORGETS, strike_name_clash},
    {"address reuse", 2, FAULTS_COMMON, FAULT_FORGETS, strike_address_reuse},
    /* Those of other groups come last: see draw_switches. */
    {"clock rates", 1, FAULTS_OF_CLOCKS, FAULT_HARMLESS, strike_clock_rates},
    {"slow record", 4, FAULTS_OF_DISKS, FAULT_HARMLESS, strike_slow_record},
    {"stuck record", 4, FAULTS_OF_DISKS, FAULT_HARMLESS, strike_stuck_record},
    {"crash before sync", 6, FAULTS_OF_DISKS, FAULT_HARMLESS, strike_crash_before_sync},
    {"failing record", 2, FAULTS_OF_DISKS, FAULT_HARMLESS, strike_failing_record},
    {"spoilt record", 1, FAULTS_OF_DISKS, FAULT_HARMLESS, strike_spoilt_record},
    {"pause of the acting", 4, FAULTS_OF_LEASES, FAULT_SPLITS, strike_pause_of_the_acting},
    {"pause in a campaign", 4, FAULTS_OF_LEASES, FAULT_SPLITS, strike_pause_in_a_campaign},
    {"cut of the acting", 4, FAULTS_OF_LEASES, FAULT_SPLITS, strike_cut_of_the_acting},
    {"no quorum heard", 2, FAULTS_OF_LEASES, FAULT_SPLITS, strike_no_quorum_heard},
    {"hand-over", 2, FAULTS_OF_LEASES, FAULT_SPLITS, strike_hand_over},
    {"transfer", 3, FAULTS_OF_OPERATORS, FAULT_HARMLESS, strike_transfer},
    {"drain", 2, FAULTS_OF_OPERATORS, FAULT_HARMLESS, strike_drain},
    {"undrain", 1, FAULTS_OF_OPERATORS, FAULT_HARMLESS, strike_undrain},
    {NARROW_PATH, 3, FAULTS_OF_SIZE, FAULT_SPLITS, strike_narrow_path},
    {"long tags", 4, FAULTS_OF_SIZE, FAULT_HARMLESS, strike_long_tags},
    {"other options", 1, FAULTS_OF_OPTIONS, FAULT_SPLITS | FAULT_FORGETS, strike_other_options},
    {"lost questions", 1, FAULTS_OF_QUESTIONS, FAULT_SPLITS, strike_lost_questions},
    {"change of terms", 1, FAULTS_OF_TERMS, FAULT_HARMLESS, strike_change_of_terms},
    {"change of voters", 8, FAULTS_OF_VOTERS, FAULT_HARMLESS, strike_change_of_voters},
    {"double of a voter", 1, FAULTS_OF_VOTERS, FAULT_FORGETS, strike_double_of_a_voter},
    {"recovery", 3, FAULTS_OF_RECOVERY, FAULT_SPLITS, strike_recovery},
    {"hasty recovery", 1, FAULTS_OF_RECOVERY, FAULT_SPLITS, strike_hasty_recovery},
    {"witness", 4, FAULTS_OF_WITNESSES, FAULT_HARMLESS, strike_witness},
    {"narrow path to a witness", 2, FAULTS_OF_WITNESS_HOSTS, FAULT_HARMLESS,
     strike_narrow_path_to_a_witness},
    {"clock of a witness", 2, FAULTS_OF_WITNESS_HOSTS, FAULT_HARMLESS, strike_clock_of_a_witness},
    {"disk of a witness", 2, FAULTS_OF_WITNESS_HOSTS, FAULT_HARMLESS, strike_disk_of_a_witness},
    {"remove", 1, FAULTS_OF_REMOVAL, FAULT_HARMLESS, strike_remove},
    {"pause of several", 3, FAULTS_OF_SITES, FAULT_SPLITS, strike_pause_of_several},
    {"stuck store", 2, FAULTS_OF_SITES, FAULT_FORGETS, strike_stuck_store},
    {"held back", 3, FAULTS_OF_SITES, FAULT_SPLITS, strike_held_back},
    {"older record", 1, FAULTS_OF_BACKUPS, FAULT_HARMLESS, strike_older_record},
    {"loss of what is long", 2, FAULTS_OF_SITES, FAULT_SPLITS, strike_loss_of_what_is_long},
    {"shorter leases", 1, FAULTS_OF_LENGTHS, FAULT_SPLITS, strike_shorter_leases},
    {"recovery of who was away", 1, FAULTS_OF_ABSENCE, FAULT_SPLITS,
     strike_recovery_of_who_was_away},
    {"blow after terms", 1, FAULTS_OF_HASTE, FAULT_SPLITS, strike_blow_after_terms},
    {"far witness", 1, FAULTS_OF_FAR_WITNESSES, FAULT_SPLITS, strike_far_witness},
    {"disks of founders", 1, FAULTS_OF_FOUNDERS, FAULT_HARMLESS, strike_disks_of_founders},
    {"recoveries by two clocks", 1, FAULTS_OF_DATES, FAULT_SPLITS, strike_recoveries_by_two_clocks},
    {"rival epoch", 1, FAULTS_OF_RIVALS, FAULT_SPLITS, strike_rival_epoch},
    {"founders apart", 1, FAULTS_OF_ISLANDS, FAULT_SPLITS, strike_founders_apart},
    {"new disk in a founding", 6, FAULTS_OF_FOUNDING, FAULT_HARMLESS,
     strike_new_disk_in_a_founding},
    {"old disk in a founding", 1, FAULTS_OF_FOUNDING, FAULT_HARMLESS,
     strike_old_disk_in_a_founding},
    {"restart in a founding", 2, FAULTS_OF_FOUNDING, FAULT_HARMLESS, strike_restart_in_a_founding},
    {"trouble with a disk in a founding", 2, FAULTS_OF_FOUNDING, FAULT_HARMLESS,
     strike_disk_trouble_in_a_founding},
    {"cut in a founding", 2, FAULTS_OF_FOUNDING, FAULT_SPLITS, strike_cut_in_a_founding},
    {"double in a founding", 1, FAULTS_OF_FOUNDING, FAULT_FORGETS, strike_double_in_a_founding},
    {"other order in a founding", 1, FAULTS_OF_FOUNDING, FAULT_HARMLESS,
     strike_other_order_in_a_founding},
    {"crash loop", 3, FAULTS_OF_HOSTS, FAULT_HARMLESS, strike_crash_loop},
    {"long absence", 2, FAULTS_OF_HOSTS, FAULT_FORGETS, strike_long_absence},
    {"datagrams cut", 3, FAULTS_OF_HOSTS, FAULT_SPLITS, strike_datagrams},
    {"moved voter", 1, FAULTS_OF_EXCHANGE, FAULT_FORGETS, strike_moved_voter},
    {"two disks", 3, FAULTS_OF_EXCHANGE, FAULT_HARMLESS, strike_two_disks},
    {"clock that stands still", 1, FAULTS_OF_STANDSTILL, FAULT_SPLITS, strike_standstill},
    {"blow in a change of voters", 1, FAULTS_OF_CHANGES, FAULT_SPLITS,
     strike_blow_in_a_change_of_voters},
    {"terms written down", 3, FAULTS_OF_WRITING, FAULT_SPLITS | FAULT_FORGETS,
     strike_terms_written_down},
    {"disk without terms", 1, FAULTS_OF_WRITING, FAULT_SPLITS | FAULT_FORGETS,
     strike_disk_without_terms},
    {"change of capacity", 1, FAULTS_OF_WRITING, FAULT_HARMLESS, strike_change_of_capacity},
    {"copies of proposals", 1, FAULTS_OF_COPIES, FAULT_HARMLESS, strike_copies_of_proposals},
    {"copies in a change of voters", 3, FAULTS_OF_COPIES, FAULT_SPLITS,
     strike_copies_in_a_change_of_voters},
    {NARROW_PATH_TO_SOME, 1, FAULTS_OF_HOLES, FAULT_SPLITS, strike_narrow_path_to_some},
    {"slow reader", 4, FAULTS_OF_QUEUES, FAULT_SPLITS, strike_slow_reader},
    {"full buffer", 3, FAULTS_OF_QUEUES, FAULT_SPLITS, strike_full_buffer},
    {"crowded sender", 3, FAULTS_OF_QUEUES, FAULT_SPLITS, strike_crowded_sender},
    {"few streams", 2, FAULTS_OF_QUEUES, FAULT_SPLITS, strike_few_streams},
    {"streams that break", 3, FAULTS_OF_STREAMS, FAULT_SPLITS, strike_streams_that_break},
    {"streams that repeat", 3, FAULTS_OF_STREAMS, FAULT_SPLITS, strike_streams_that_repeat},
    {"bad link", 1, FAULTS_OF_BAD_LINKS, FAULT_SPLITS, strike_bad_link},
    {"refused connections", 1, FAULTS_OF_FIREWALLS, FAULT_SPLITS, strike_refused_connections},
    {"translated source", 1, FAULTS_OF_GATEWAYS, FAULT_SPLITS | FAULT_FORGETS,
     strike_translated_source},
    {"other versions", 1, FAULTS_OF_VERSIONS, FAULT_SPLITS | FAULT_FORGETS, strike_other_versions},
    {"other answers", 1, FAULTS_OF_ANSWERS, FAULT_SPLITS | FAULT_FORGETS, strike_other_answers},
    {"refused again", 3, FAULTS_OF_DECEPTIONS, FAULT_SPLITS, strike_refused_again},
    {"refused in a turn of the view", 3, FAULTS_OF_DECEPTIONS, FAULT_SPLITS,
     strike_refused_in_a_turn},
    {"refused everywhere", 1, FAULTS_OF_DECEPTIONS, FAULT_SPLITS, strike_refused_everywhere},
    {"rolling restart", 1, FAULTS_OF_RELEASES, FAULT_FORGETS, strike_rolling_restart},
    {"long lives", 1, FAULTS_OF_LONG_LIVES, FAULT_SPLITS, strike_long_lives},
#define LIE_FAULTS(NAME, function, text)                                                           \
    {"stranger: " text, 1, FAULTS_OF_STRANGERS, FAULT_HARMLESS, strike_stranger_##function},       \
        {"liar: " text, 1, FAULTS_OF_LIARS, FAULT_SPLITS | FAULT_FORGETS, strike_liar_##function}, \
        {"forger: " text, 1, FAULTS_OF_FORGERS, FAULT_SPLITS | FAULT_FORGETS,                      \
         strike_forger_##function},
    LIES(LIE_FAULTS)
#undef LIE_FAULTS
};

_Static_assert(sizeof table / sizeof table[0] <= FAULTS_MAX, "a plan has room for each fault");

const struct fault *fault_table(uint32_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

/* A seed keeps its disk: without one, and with all other seeds down, it has nobody to ask and
 * founds a second cluster (F2). */
void fault_start_again(struct sim *sim, uint32_t host, uint32_t disk)
{
    if (sim_is_running(sim, host) || !sim_may_start(sim, host)) {
        return; /* Another fault's end came first, or it is refused until it is put right. */
    }
    if (disk == WIPE_DISK && !sim_is_seed(sim, host)) {
        sim_wipe(sim, host);
    } else if (disk == ROLL_BACK_DISK) {
        sim_roll_back(sim, host);
    }
    sim_start(sim, host);
}

void fault_crash_and_return(struct sim *sim, uint32_t host, uint32_t ms)
{
    sim_crash(sim, host);
    sim_fail_record(sim, host, false);
    sim_after(sim, ms, fault_start_again, host, KEEP_DISK);
}

void fault_resume(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    sim_resume(sim, host);
}

void fault_pause_for(struct sim *sim, uint32_t host, uint32_t ms)
{
    sim_pause(sim, host);
    sim_after(sim, ms, fault_resume, host, 0);
}

void fault_rejoin(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    sim_rejoin_network(sim, host);
}

static void cut_datagrams(struct sim *sim, enum breakage breakage, uint32_t host)
{
    for (uint32_t i = 0; i < sim_host_count(sim) + sim_witness_count(sim); i++) {
        if (i != host && breakage != BREAK_NO_DATAGRAMS_OUT) {
            sim_cut_datagrams(sim, i, host);
        }
        if (i != host && breakage != BREAK_NO_DATAGRAMS_IN) {
            sim_cut_datagrams(sim, host, i);
        }
    }
}

static void strain(struct sim *sim, enum breakage breakage, uint32_t host)
{
    for (uint32_t i = 0; i < sim_host_count(sim) + sim_witness_count(sim); i++) {
        if (i == host) {
            continue;
        }
        if (breakage == BREAK_LOSSY) {
            sim_lose_some(sim, i, host, 400000);
        } else if (breakage == BREAK_REFUSED) {
            sim_refuse_streams(sim, i, host, true);
        } else {
            sim_slow_streams(sim, i, host, 3000, 0, 2);
        }
    }
}

void fault_break(struct sim *sim, enum breakage breakage, uint32_t host, uint64_t turn_ms)
{
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host && breakage == BREAK_DEAF) {
            sim_cut_one_way(sim, i, host);
        } else if (i != host && breakage == BREAK_MUTE) {
            sim_cut_one_way(sim, host, i);
        }
    }
    if (breakage >= BREAK_NO_DATAGRAMS && breakage <= BREAK_NO_DATAGRAMS_OUT) {
        cut_datagrams(sim, breakage, host);
    }
    if (breakage >= BREAK_LOSSY && breakage <= BREAK_BEHIND) {
        strain(sim, breakage, host);
    }
    if (breakage == BREAK_CROWDED) {
        sim_limit_sends(sim, host, 3);
    }
    if (breakage == BREAK_LOOPING) {
        fault_crash_again(sim, host, 0xff | 40U << 8 | 10U << 16); /* up 2 s, down 0.5 s */
    }
    if (breakage == BREAK_FLAPPING) {
        fault_flap(sim, host, 0xff | 60U << 8 | 80U << 16); /* down 1.5 s, up 2 s, for ever */
    }
    if (breakage == BREAK_SLOW) {
        sim_slow(sim, host, turn_ms);
    }
    if (breakage != BREAK_NOTHING) {
        sim_break(sim, host);
    }
}

void fault_end_all(struct sim *sim, struct random *random)
{
    sim_heal(sim);
    fault_end_writing(sim);
    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        bool stays_down = draw(random, 0, 7) == 0 && !sim_is_seed(sim, host) &&
                          !sim_is_voter(sim, host); /* Founding takes all of them. */
        fault_put_right(sim, host, 0);
        if (!sim_is_running(sim, host) && !stays_down) {
            sim_start(sim, host);
        } else if (sim_is_leaving(sim, host)) {
            sim_after(sim, LEFT_MS, fault_start_again, host, KEEP_DISK);
        }
    }
}

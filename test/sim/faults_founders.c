/* Faults under guard strict of those with whom a cluster was founded, who look like new ones when
 * they have lost their disks (Z8). */
#include "faults_parts.h"

enum {
    LOOK_MS = 250,   /* so often it is looked what the next one can bear */
    LOOKS_MAX = 250, /* and so often at the most */
    WISH_LOOKS = 8,  /* and each time after so many an operator wishes */
    ANEW_ONE_IN = 4, /* of them prefers other records to other voters */
    MOVE_ONE_IN = 8, /* looks changes who is cut off */
};

/* For sim_after: who has lost its disk (16 bits), and how often to look yet. */
static uint32_t pack(uint32_t lost, uint32_t looks)
{
    return lost | looks << 16;
}

/* It has a record, or had one of its own made as a member, as far as that is done at all. */
static bool is_known(const struct sim *sim, uint32_t host)
{
    return sim_knows_of_founding(sim, host) ||
           (sim_is_running(sim, host) && sim_is_written(sim, host) &&
            sim_phase(sim, host) == PHASE_MEMBER);
}

/* Of those to found with, besides that one. */
static uint32_t known_count(const struct sim *sim, uint32_t but)
{
    uint32_t count = 0;

    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        count += host != but && sim_founds(sim, host) && is_known(sim, host);
    }
    return count;
}

static uint32_t founder_count(const struct sim *sim)
{
    uint32_t count = 0;

    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        count += sim_founds(sim, host);
    }
    return count;
}

/* Nobody could tell it from a new one while the others are unknown, too; but one that is alone has
 * nobody else. */
static bool may_lose_disk(const struct sim *sim, uint32_t host)
{
    return sim_may_spoil_record(sim, host) &&
           (known_count(sim, host) > 0 || founder_count(sim) == 1);
}

/* Of those who have not lost theirs yet one that may, or else the first. */
static uint32_t next_of(const struct sim *sim, uint32_t lost)
{
    uint32_t next = SIM_NOBODY;

    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        if (host >= 16 || !sim_founds(sim, host) || (lost >> host & 1) != 0) {
            continue;
        }
        if (may_lose_disk(sim, host)) {
            return host;
        }
        next = next == SIM_NOBODY ? host : next;
    }
    return next;
}

/* Another disk, mostly an empty one. */
static void lose_disk(struct sim *sim, struct random *random, uint32_t host)
{
    sim_crash(sim, host);
    if (draw(random, 0, 7) == 0) {
        sim_damage_record(sim, host);
    } else {
        sim_lose_record(sim, host);
    }
    if (draw(random, 0, 3) != 0) {
        sim_wipe(sim, host);
    }
    sim_after(sim, draw(random, 0, 1500), fault_start_again, host, KEEP_DISK);
}

/* A member that can stand in, and rather one that is not to found: that one gets a record by it. */
static uint32_t spare_host(struct sim *sim, struct random *random, uint32_t listed)
{
    const uint32_t first = any_host(sim, random);
    uint32_t spare = SIM_NOBODY;

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        const uint32_t host = (first + i) % sim_host_count(sim);
        const bool may = (listed >> host & 1) == 0 && sim_is_running(sim, host);
        if (may && (spare == SIM_NOBODY || sim_founds(sim, spare))) {
            spare = host;
        }
    }
    return spare;
}

/* So that the next one can be borne: whoever has lost its own gets another record, or somebody
 * stands in for it, or for the next one. */
static void bring_voters(struct sim *sim, struct random *random, uint32_t next, bool anew)
{
    const uint32_t listed = listed_hosts(sim);
    const uint32_t asked = acting_or_any(sim, random);
    const uint32_t spare = spare_host(sim, random, listed);
    uint32_t forgot = 0;

    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        forgot |= sim_is_left(sim, host) ? 0 : listed & UINT32_C(1) << host;
    }
    const uint32_t goes = forgot != 0 ? forgot & ~(forgot - 1) : listed & UINT32_C(1) << next;
    if (spare == SIM_NOBODY || anew) {
        sim_change_voters(sim, asked, listed, goes);
    } else {
        sim_change_voters(sim, asked, (listed & ~goes) | UINT32_C(1) << spare, 0);
    }
}

static void restart(struct sim *sim, uint32_t host, uint64_t ms)
{
    sim_crash(sim, host);
    sim_after(sim, ms, fault_start_again, host, KEEP_DISK);
}

/* At one instant, or those to found with first and the others much later, or one by one. */
static void restart_all(struct sim *sim, struct random *random)
{
    const uint64_t way = draw(random, 0, 3);
    const uint64_t down_ms = draw(random, 0, 2000);

    sim_note(sim, "all who found have other disks");
    for (uint32_t host = 0; host < sim_host_count(sim) + sim_witness_count(sim); host++) {
        const bool founds = host < sim_host_count(sim) && sim_founds(sim, host);
        const uint64_t later_ms = draw(random, 0, way == 3 ? 3000 : 20000);
        const bool waits = way == 3 || (way == 2 && !founds);
        restart(sim, host, down_ms + (waits ? later_ms : 0));
    }
}

static void lose_disks(struct sim *sim, uint32_t seed, uint32_t packed)
{
    const uint32_t lost = packed & 0xffff;
    const uint32_t looks = packed >> 16;
    const uint32_t next = next_of(sim, lost);
    struct random random;

    random_seed(&random, seed | (uint64_t)looks << 32);
    if (next == SIM_NOBODY && known_count(sim, SIM_NOBODY) == founder_count(sim)) {
        restart_all(sim, &random);
        return;
    }
    const bool may = next != SIM_NOBODY && may_lose_disk(sim, next);
    if (may) {
        lose_disk(sim, &random, next);
    } else if (next != SIM_NOBODY && looks % WISH_LOOKS == 0) {
        bring_voters(sim, &random, next, seed % ANEW_ONE_IN == 0);
    }
    if (looks > 0) {
        sim_after(sim, LOOK_MS, lose_disks, seed,
                  pack(may ? lost | UINT32_C(1) << next : lost, looks - 1));
    }
}

/* H24: one after the other, and others vote meanwhile. Then all start again. */
void strike_disks_of_founders(struct sim *sim, struct random *random)
{
    lose_disks(sim, draw_u32(random, 0, UINT32_MAX), pack(0, LOOKS_MAX));
}

/* --- Cut off from the others --- */

/* As `pack`, of nine hosts, and who of them is cut off. */
struct apart {
    uint32_t lost;
    uint32_t away;
    uint32_t looks;
};

static uint32_t pack_apart(struct apart apart)
{
    return apart.lost | apart.away << VOTERS_MAX | apart.looks << 2 * VOTERS_MAX;
}

static struct apart unpack_apart(uint32_t packed)
{
    const uint32_t all = (UINT32_C(1) << VOTERS_MAX) - 1;

    return (struct apart){.lost = packed & all,
                          .away = packed >> VOTERS_MAX & all,
                          .looks = packed >> 2 * VOTERS_MAX};
}

/* From now on those hear each other, and nobody else. */
static void move_away(struct sim *sim, uint32_t before, uint32_t away)
{
    const uint32_t count = sim_host_count(sim) + sim_witness_count(sim);

    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            const bool was_cut = ((before >> i ^ before >> k) & 1) != 0;
            const bool is_cut = ((away >> i ^ away >> k) & 1) != 0;
            if (is_cut && !was_cut) {
                sim_cut(sim, i, k);
            } else if (was_cut && !is_cut) {
                sim_mend(sim, i, k);
            }
        }
    }
}

/* Some of those who have lost their disks; once all have, none, now and then. */
static uint32_t draw_away(struct random *random, uint32_t lost, bool all)
{
    const bool none = draw(random, 0, 1) == 0;
    const uint32_t some = draw_u32(random, 0, lost) & lost;

    return all && none ? 0 : some;
}

static void lose_disks_apart(struct sim *sim, uint32_t seed, uint32_t packed)
{
    struct apart apart = unpack_apart(packed);
    const uint32_t before = apart.away;
    const uint32_t next = next_of(sim, apart.lost);
    struct random random;

    random_seed(&random, seed | (uint64_t)apart.looks << 32);
    if (next == SIM_NOBODY && before == 0 && known_count(sim, SIM_NOBODY) == founder_count(sim)) {
        restart_all(sim, &random);
        return;
    }
    if (draw(&random, 1, MOVE_ONE_IN) == 1) {
        apart.away = draw_away(&random, apart.lost, next == SIM_NOBODY);
    }
    if (next != SIM_NOBODY && may_lose_disk(sim, next)) {
        lose_disk(sim, &random, next);
        apart.lost |= UINT32_C(1) << next;
        apart.away |= UINT32_C(1) << next;
    } else if (next != SIM_NOBODY && apart.looks % WISH_LOOKS == 0) {
        bring_voters(sim, &random, next, seed % ANEW_ONE_IN == 0);
    }
    move_away(sim, before, apart.away);
    if (apart.looks > 0) {
        apart.looks--;
        sim_after(sim, LOOK_MS, lose_disks_apart, seed, pack_apart(apart));
    } else {
        move_away(sim, apart.away, 0);
    }
}

/* H24: likewise, but they meet each other before they meet anybody else, now these and now those of
 * them. */
void strike_founders_apart(struct sim *sim, struct random *random)
{
    if (founder_count(sim) > 1) {
        lose_disks_apart(sim, draw_u32(random, 0, UINT32_MAX),
                         pack_apart((struct apart){.looks = LOOKS_MAX}));
    }
}

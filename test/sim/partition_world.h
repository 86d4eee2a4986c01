/* Members of a simulated cluster that keep partitions (docs/partitions.md): a keeper stands beside
 * each core, and, where the world is told so, a tenure. What they say to each other is late, lost
 * and cut off as everything is. Held all the while: of one view there is one table, it is balanced,
 * and it cost the least that it could; and of one partition there is one owner. */
#ifndef SIM_PARTITION_WORLD_H
#define SIM_PARTITION_WORLD_H

#include "base/random.h"
#include "partition/keeper.h"
#include "partition/tenure.h"
#include "story.h"

enum {
    WORLD_HOSTS_MAX = 10,
    WORLD_CAPACITY = 20,
    TABLE_MS = 1000, /* a table is settled within it, once views are */
};

struct world;

struct station {
    struct world *world;
    uint32_t host;
    struct keeper *keeper;
    struct partition_work *work;
    struct tenure *tenure; /* NULL: this world is of tables alone */
    struct ledger_slot *slots;
    struct view view; /* the core's, with tags */
    void *storage;
    uint32_t tables; /* told of */
    uint32_t lost;   /* by all of them */
    struct keeper_news news;
    uint64_t *programs; /* by partition: the host's programs go by it until then, on its clock */
    uint64_t changes;   /* news of the tenure */
};

struct flying {
    uint64_t due_ms;
    uint32_t to;
    bool of_owners;
    struct partition_message message;
    struct own_message own;
};

/* The table of a view, as whoever was first had it. */
struct known {
    struct view_id view;
    uint64_t digest;
};

struct world_options {
    uint64_t seed;
    uint32_t hosts;
    const char *tag; /* of each member, as --partitions and --backups make it */
    bool owns;       /* with tenures */
    bool uses;       /* by programs that ask what they may go by */
    uint64_t ready_ms;
    bool strict; /* three voters, and clocks that drift */
};

struct world {
    struct sim *sim;
    struct random random;
    struct world_options options;
    struct member example; /* has the tag */
    struct tags tags;      /* of that one */
    struct station stations[WORLD_HOSTS_MAX];
    struct flying *flying;
    size_t flying_count;
    struct known *known;
    size_t known_count;
    uint32_t loss_percent;
    uint32_t group_of[WORLD_HOSTS_MAX];
    uint64_t sent;     /* messages of keepers */
    uint64_t sent_own; /* of tenures */
    uint64_t *tokens;  /* the highest under which each partition was ever owned */
    bool parted;       /* two parts, or members that sleep, may own the same: not under strict */
};

#define world_check(world, condition) story_check(condition, (world)->options.seed)

struct world *world_of(const struct world_options *options);
void world_free(struct world *world);
void world_run(struct world *world, uint64_t ms);
void world_settle_within(struct world *world, uint64_t ms);
void world_start_first(struct world *world, uint32_t hosts);

/* Of the present table; and owned, by a lease that lasts. */
uint32_t world_owned_by(const struct world *world, uint32_t host);
uint32_t world_held_by(const struct world *world, uint32_t host);

/* The host's own clock. */
uint64_t world_clock_ms(const struct world *world, uint32_t host);

void world_split(struct world *world, uint32_t first_of_second);
void world_heal(struct world *world);

/* Something bad, or its end. */
void world_strike(struct world *world);

#endif

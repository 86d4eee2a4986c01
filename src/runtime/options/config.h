/* The settings of one node, as plain data. */
#ifndef RUNTIME_CONFIG_H
#define RUNTIME_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/core.h"

enum {
    CONFIG_SEEDS_MAX = 16,
    CONFIG_PATH_MAX = 107, /* bytes a Unix socket's path may have; libuv 1.44 cuts longer ones */
    CONFIG_HOST_MAX = 253,
    CONFIG_GROUP_MAX = 63,
    CONFIG_HTTP_HOSTS_MAX = 16,
    CONFIG_DIR_MAX = 4095,
    CONFIG_PORT_DEFAULT = 7420,
    CONFIG_OPTIONS_MAX = 51,  /* rows that the table of options may have */
    CONFIG_MESSAGE_MAX = 512, /* bytes of a refusal or warning, with its zero */
    CONFIG_WARNINGS_MAX = 8,
};

/* A host name or an address literal (without brackets), not resolved yet. */
struct endpoint {
    char host[CONFIG_HOST_MAX + 1];
    uint16_t port;
};

/* What becomes of frames without a key at a node that has one. */
enum auth { AUTH_REQUIRE, AUTH_ACCEPT };

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };
enum log_format { LOG_AUTO, LOG_TEXT, LOG_JSON };
enum election_kind { ELECT_OLDEST, ELECT_BULLY, ELECT_RING, ELECT_TOKEN_RING, ELECT_SEQUENTIAL };
enum { ELECT_NEWEST = ELECT_SEQUENTIAL + 1 }; /* is added where the newest is best */
enum sandbox { SANDBOX_ON, SANDBOX_OFF };

struct config {
    char file[CONFIG_DIR_MAX + 1]; /* of --config; empty: none */
    char name[NAME_BYTES_MAX + 1];
    char cluster[NAME_BYTES_MAX + 1];
    struct address listen;
    struct address advertise; /* never a wildcard */
    struct endpoint seeds[CONFIG_SEEDS_MAX];
    uint32_t seed_count;
    char control[CONFIG_PATH_MAX + 1];
    bool control_from_environment; /* DOYEN_CONTROL, which may have been meant for the command
                                      doyen, gave the path */
    char control_group[CONFIG_GROUP_MAX + 1]; /* as given; empty: none */
    char control_admin[CONFIG_GROUP_MAX + 1]; /* the same */
    gid_t control_gid;       /* the socket's, with either group: control_group where there is one */
    gid_t control_admin_gid; /* who may change, with either group: control_admin, if there is one */
    mode_t control_mode;     /* of the socket */
    bool http_on;
    struct address http;
    char http_hosts[CONFIG_HTTP_HOSTS_MAX]
                   [CONFIG_HOST_MAX + 1]; /* further names that it answers to */
    uint32_t http_host_count;
    char state_dir[CONFIG_DIR_MAX + 1]; /* empty: volatile */
    struct guard guard;
    struct voters voters;   /* none but under guard strict */
    uint64_t voters_target; /* 0: as many as vote */
    enum profile profile;
    uint64_t watchers;
    uint64_t fanout;
    uint64_t detect_ms;   /* --detect, which the timings follow from; 0: not given */
    struct timing timing; /* the profile's, with the overrides applied */
    struct tags tags;     /* with those of --priority and --partitions */
    uint32_t priority;    /* 0: not given */
    unsigned election;    /* enum election_kind, perhaps with ELECT_NEWEST added */
    uint32_t partitions;  /* 0: none */
    uint32_t backups;
    uint64_t partitions_ready_ms; /* 0: nothing is waited for */
    uint32_t capacity;
    uint64_t join_timeout_ms;     /* 0: ask for ever */
    uint32_t expect;              /* --bootstrap-expect; 0: not given */
    char key[CONFIG_DIR_MAX + 1]; /* the key file; empty: frames are not sealed */
    enum auth auth;               /* with a key */
    bool insecure;                /* without a key, within reach of strangers */
    enum log_level log_level;
    enum log_format log_format;
    bool faults;
    enum sandbox sandbox;
    char record[CONFIG_DIR_MAX + 1]; /* empty: nothing is recorded */
    char hooks[CONFIG_DIR_MAX + 1];  /* a folder of executables; empty: none are run */
};

/* How the leader is found, and whether the newest is best among equal priorities. */
static inline enum election_kind config_election(const struct config *config)
{
    return (enum election_kind)(config->election % ELECT_NEWEST);
}

static inline bool config_prefers_newest(const struct config *config)
{
    return config->election >= ELECT_NEWEST;
}

#endif

/* The verbs of doyen: what the table of main.c is made of. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "cli/request/cli.h"

extern const struct verb verb_campaign;
extern const struct verb verb_change;
extern const struct verb verb_coordinator;
extern const struct verb verb_doctor;
extern const struct verb verb_drain;
extern const struct verb verb_elect;
extern const struct verb verb_fault;
extern const struct verb verb_history;
extern const struct verb verb_hook;
extern const struct verb verb_init;
extern const struct verb verb_invite;
extern const struct verb verb_join;
extern const struct verb verb_keys;
extern const struct verb verb_leader;
extern const struct verb verb_lease;
extern const struct verb verb_leave;
extern const struct verb verb_links;
extern const struct verb verb_matrix;
extern const struct verb verb_members;
extern const struct verb verb_observe;
extern const struct verb verb_partitions;
extern const struct verb verb_report;
extern const struct verb verb_resign;
extern const struct verb verb_restart_plan;
extern const struct verb verb_roles;
extern const struct verb verb_run;
extern const struct verb verb_status;
extern const struct verb verb_tag;
extern const struct verb verb_top;
extern const struct verb verb_transfer;
extern const struct verb verb_undrain;
extern const struct verb verb_remove;
extern const struct verb verb_value;
extern const struct verb verb_version;
extern const struct verb verb_voters;
extern const struct verb verb_wait;
extern const struct verb verb_watch;
extern const struct verb verb_why;

#endif

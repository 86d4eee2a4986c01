/* A cluster in one process: cores driven by a simulated network and clock. A story starts hosts,
 * breaks things and asks what each node sees; the oracle checks the safety rules after every
 * step. Two runs from one seed are the same to the last bit.
 *
 * Hosts are numbered from 0; host 0 is athens at 10.0.0.1:7420. A host has a kernel, a disk if it
 * was given one, and at most one process at a time. Durations are milliseconds of virtual time. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/random.h"
#include "clock.h"
#include "core/core.h"
#include "network.h"
#include "queue.h"

struct sim;

#define SIM_NOBODY UINT32_MAX /* no host */
#define SIM_ANY UINT32_MAX    /* any host, any type of message */

enum {
    SIM_SEEDS_MAX = 8,
    SIM_NOTICE_COUNT = NOTICE_OLD_RECORD + 1,
    SIM_CLAIM_COUNT = CLAIM_DECLINED + 1,
};

struct sim_options {
    uint64_t seed;
    uint32_t host_count;
    uint32_t capacity;     /* members a node can hold; 0: twice the hosts */
    uint32_t seed_count;   /* the first so many hosts are everybody's seeds; 0: one */
    enum profile profile;  /* 0: lan */
    uint8_t watchers;      /* 0: WATCHERS_DEFAULT */
    uint32_t fanout;       /* 0: FANOUT_DEFAULT */
    uint64_t heartbeat_ms; /* these two instead of the profile's; 0: the profile's */
    uint64_t lost_ms;
    struct guard guard;     /* policy 0: none */
    uint32_t expect;        /* of every host (F3); 0: none */
    uint32_t voter_count;   /* the first so many hosts are voters, under guard strict; else 0 */
    uint32_t witness_count; /* so many hosts more, behind the others, that only vote (Z16) */
    uint32_t voters_target; /* so many are to vote then (Z17); 0: as many as do */
    bool disks;             /* every host has a state directory */
    bool exclusive;         /* at any instant one may act at the most (S9, S10) */
    bool disorder;          /* splits may happen: S5 to S7 are held against each maker of views, not
                               against all of them together */
    uint64_t silent_ms;     /* the shortest T_silent that terms are changed to, or that a host is
                               started with; 0: there is none but the sim's */
    bool mixed;             /* hosts are started with other options than the sim's, too */
    bool successors;   /* who lies says also that another history takes the place of this one */
    bool roles;        /* every host has clients that stand for roles (roles.h) */
    bool spares_codec; /* messages are made frames and read again only where the bytes matter: the
                          same run, sooner */
    bool spares_hash;  /* sim_trace_hash is not kept */
    bool counts_bytes; /* of all frames, for sim_wire_bytes: each becomes one for that */
    bool scribbles; /* over what a core does not use, before it and after each step: the same run */
    bool lenient;   /* a broken rule ends the run and is kept for sim_failure; otherwise it is
                       printed and the process aborts */
    FILE *trace;    /* one line for each event and effect; NULL: none, unless the
                       environment has DOYEN_SIM_TRACE, then stderr */
};

/* Never fails; memory that cannot be had ends the process. */
struct sim *sim_new(const struct sim_options *options);
void sim_free(struct sim *sim);

/* --- Hosts and processes --- */

/* Starts a process on the host, which comes up if it was down. With a disk it finds there what
 * its predecessor stored. */
void sim_start(struct sim *sim, uint32_t host);

/* Starts all hosts in order, letting `gap_ms` pass after each. */
void sim_start_in_order(struct sim *sim, uint64_t gap_ms);

/* Starts all hosts at one instant. */
void sim_start_together(struct sim *sim);

/* kill -9: the kernel closes its connections. */
void sim_crash(struct sim *sim, uint32_t host);

/* The process is killed in the middle of a step: right after the `count`th message of this type
 * that it sends from now on. 0: not any more. */
void sim_trip(struct sim *sim, uint32_t host, enum message_type type, uint32_t count);

/* What the disk holds is gone. */
void sim_wipe(struct sim *sim, uint32_t host);

/* A voter's record is gone: it does not vote any more. */
void sim_lose_record(struct sim *sim, uint32_t host);

/* A backup of what the disk has now; and the disk as it was then, with the incarnation and all else
 * that the node had stored. */
void sim_back_up(struct sim *sim, uint32_t host);
void sim_restore(struct sim *sim, uint32_t host);

/* Is there one of the record by which it votes, made while the present lists of voters held? */
bool sim_has_backup(const struct sim *sim, uint32_t host);

/* May a voter that is down get its backup back, so that nothing is lost? A quorum is sound besides,
 * and each other voter has promised as much, and accepted as much, as this one. */
bool sim_may_restore(const struct sim *sim, uint32_t host);

/* A host that is down has two disks, of which one is in it: the other one takes its place, at first
 * an empty one, with whatever was written to it. */
void sim_exchange_disk(struct sim *sim, uint32_t host);

/* Does no list of voters rest on the record that this host has now, or suffice the others? */
bool sim_may_exchange_disk(const struct sim *sim, uint32_t host);

/* A host that is down has a new disk. May it, so that nothing is lost? All may while nobody has
 * promised anything; from then on another one of those to found with has to know of the founding,
 * and the others suffice. */
void sim_reinstall(struct sim *sim, uint32_t host);
bool sim_may_reinstall(const struct sim *sim, uint32_t host);

/* Has any voter promised anything, whether it remembers or not? */
bool sim_has_promised(const struct sim *sim);

/* Counts the processes that it has had. */
uint32_t sim_process(const struct sim *sim, uint32_t host);

/* It does not match its checksum any more: from the next process on the voter does not vote. */
void sim_damage_record(struct sim *sim, uint32_t host);

/* Writes of the record end with an error, or work again. A process that met an error does not vote
 * any more; the next one does. */
void sim_fail_record(struct sim *sim, uint32_t host, bool fails);

/* Writes take up to so long, 0: as usual; or none ends for so long. */
void sim_slow_record(struct sim *sim, uint32_t host, uint64_t sync_ms);
void sim_stick_record(struct sim *sim, uint32_t host, uint64_t ms);

/* Has that host a sound record on its disk? */
bool sim_has_record(const struct sim *sim, uint32_t host);

/* Has that host a sound record that votes, by the highest view that there is; has it accepted a
 * higher one than that other such host; and are these a quorum of it? */
bool sim_is_left(const struct sim *sim, uint32_t host);
bool sim_has_seen_more(const struct sim *sim, uint32_t host, uint32_t other);
bool sim_have_quorum(const struct sim *sim);

/* Have they none any more since a host has its right name again, under which its record is not
 * found? */
bool sim_has_lost_quorum(const struct sim *sim);

/* Does the cluster's founding take that host? */
bool sim_founds(const struct sim *sim, uint32_t host);

/* How far a founding has come with that host. */
enum founding_stage {
    STAGE_NOTHING,
    STAGE_RECORD, /* it has one */
    STAGE_AGAIN,  /* and was asked for it again; the founder asks again */
    STAGE_OVER,   /* it is the founder, and all have said it twice */
    STAGE_PROMISED,
    STAGE_VIEW, /* it has accepted one */
};
enum founding_stage sim_founding_stage(const struct sim *sim, uint32_t host);

/* Is there no cluster yet, nor can there be one, as somebody keeps a record for a founder whose own
 * is lost, or too many are (docs/strict.md)? */
bool sim_founding_is_stuck(const struct sim *sim);

/* Has it a record by which it founds no other cluster? */
bool sim_knows_of_founding(const struct sim *sim, uint32_t host);

/* Is there nothing to be written to its record any more, by the process that it runs? */
bool sim_is_written(const struct sim *sim, uint32_t host);

/* Has it the only record that is left of those with whom the cluster was founded? Without it they
 * would found another one (Z8). */
bool sim_keeps_from_founding(const struct sim *sim, uint32_t host);

/* Has the record of that host accepted a higher view than that of the other? */
bool sim_has_higher_record(const struct sim *sim, uint32_t host, uint32_t other);

/* Could the operator of that host, which does not run, give up all other voters (Z18)? */
bool sim_may_recover(const struct sim *sim, uint32_t host);

/* He does: from its next process on it votes alone, in another history. */
void sim_recover(struct sim *sim, uint32_t host);

/* The host's wall clock from now on, by what it would have shown when the run began, in seconds
 * since 1970; at first DATE_S. */
enum { DATE_S = 1 << 30 };
void sim_set_date(struct sim *sim, uint32_t host, uint64_t date_s);

/* Has every voter a record that says so, or did it have one? */
bool sim_has_founded(const struct sim *sim);

/* May this voter's record be spoilt: does it vote, and do the sound ones of the others suffice? A
 * cluster of fewer never acts again, and rightly so. */
bool sim_may_spoil_record(const struct sim *sim, uint32_t host);

/* How far apart are the lowest and the highest epoch that a view has, or that a voter is bound to?
 */
uint64_t sim_epochs_apart(const struct sim *sim);

/* Does anybody that is not broken list that host, and hold another view than it does? */
bool sim_is_behind(const struct sim *sim, uint32_t host);

/* Do the voters that vote suffice without these two hosts? Without guard strict they always do. */
bool sim_can_do_without(const struct sim *sim, uint32_t one, uint32_t other);

/* What the disk holds is what it held one write earlier. */
void sim_roll_back(struct sim *sim, uint32_t host);

/* Writes to the disk are lost from now on, or work again. */
void sim_fail_disk(struct sim *sim, uint32_t host, bool fails);

/* From now on the host's clock runs too fast by so many millionths, too slow if negative; at most
 * CLOCK_RATE_PPM_MAX. */
void sim_skew(struct sim *sim, uint32_t host, int64_t rate_ppm);

/* The process's timers fire late by up to so much; 0: as usual. */
void sim_delay_timers(struct sim *sim, uint32_t host, uint64_t late_ms);

/* From now on agreement is expected of all others only (Y6). */
void sim_break(struct sim *sim, uint32_t host);

/* As if its process had sent so many messages more, to nobody here: numbers that take days (D6). */
void sim_send_to_nobody(struct sim *sim, uint32_t host, uint64_t count);

/* The whole host falls silent, kernel included. sim_start brings it back. */
void sim_vanish(struct sim *sim, uint32_t host);

/* SIGSTOP and SIGCONT: meanwhile everything queues up. Harmless when repeated. */
void sim_pause(struct sim *sim, uint32_t host);
void sim_resume(struct sim *sim, uint32_t host);

/* The same of a host that is paused, whose clock stood still meanwhile: for its process no time has
 * passed. */
void sim_resume_unaware(struct sim *sim, uint32_t host);

/* The process looks at its timers and sockets only every `turn_ms` (0: at once). */
void sim_slow(struct sim *sim, uint32_t host, uint64_t turn_ms);

/* From now on every process takes so long for each datagram that it sends or reads, one after the
 * other; 0, as at first: no time. */
void sim_set_work(struct sim *sim, uint64_t datagram_us);

/* SIGTERM: leaves in good order, as soon as it looks. */
void sim_leave(struct sim *sim, uint32_t host);

/* The operator of `host` wants `to` to coordinate. Nothing happens unless both run, and `host`
 * knows it as a member. */
void sim_transfer(struct sim *sim, uint32_t host, uint32_t to);

/* It wants it drained, or not any more. */
void sim_drain(struct sim *sim, uint32_t host, uint32_t subject);
void sim_undrain(struct sim *sim, uint32_t host, uint32_t subject);

/* Its operator wants the host to have that one tag, "role=db"; "": none. The text is of static
 * storage. Nothing happens unless it runs. */
void sim_set_tags(struct sim *sim, uint32_t host, const char *tag);
struct tags sim_tags_of(const char *tag);

/* Before sim_start: the one tag that each process there begins with, likewise. */
void sim_tag(struct sim *sim, uint32_t host, const char *tag);

/* Has `subject` that one tag in the view of the host? */
bool sim_has_tag(const struct sim *sim, uint32_t host, uint32_t subject, const char *tag);

/* E8c: does each member that is sound show itself with the tags that its operator wants? */
bool sim_shows_wanted_tags(const struct sim *sim);

/* The terms that the node of the host goes by; and its operator wants the cluster to have these.
 * Nothing happens unless it runs. */
struct rules sim_rules(const struct sim *sim, uint32_t host);
void sim_change_terms(struct sim *sim, uint32_t host, const struct rules *rules);

/* The operator of the host says that of those who failed none runs anywhere (A4c). */
void sim_forget_failed(struct sim *sim, uint32_t host);

/* E9: that one, who is gone, is listed no more. */
void sim_forget(struct sim *sim, uint32_t host, const struct node_id *gone);

/* Liars made members up that a coordinator takes for failed, and keeps places for, while others
 * wait to be let in (G1e); if so, its operator says that none of these runs anywhere. */
bool sim_forgets_invented(struct sim *sim);

/* Does nothing speak against it, but that another change is under way? Do all go by them alone? */
bool sim_may_change_terms(const struct sim *sim, const struct rules *rules);
bool sim_has_terms(const struct sim *sim, const struct rules *rules);

/* Did they begin with guard majority? */
bool sim_keeps_majority(const struct sim *sim);

/* Before sim_start: another name, other seeds, another guard than the sim's. */
void sim_rename(struct sim *sim, uint32_t host, const char *name);
void sim_set_seeds(struct sim *sim, uint32_t host, const uint32_t *seeds, uint32_t count);
void sim_set_guard(struct sim *sim, uint32_t host, struct guard guard);

/* What doyend is told of the terms. */
struct sim_terms {
    struct guard guard;
    enum profile profile;
    uint64_t heartbeat_ms; /* these two instead of the profile's; 0: the profile's */
    uint64_t lost_ms;
    uint32_t capacity; /* no more than the sim's */
    struct voters voters;
};

/* What all hosts are told; and before sim_start: this one is told something else. */
struct sim_terms sim_usual_terms(const struct sim *sim);
void sim_set_terms(struct sim *sim, uint32_t host, const struct sim_terms *terms);

/* An operator has written changed terms, those of that number, into the configuration of the host,
 * with the capacity of the start: its next process is started with them, and that is right from now
 * on. */
void sim_write_down(struct sim *sim, uint32_t host, const struct sim_terms *terms, uint64_t number);
const struct sim_terms *sim_right_terms(const struct sim *sim, uint32_t host);

/* Was any host's last process started with other terms than are written down for it? If the terms
 * change now, that one forgets them when it is started again (A5a), so sim_change_terms does
 * nothing. */
bool sim_is_ahead(const struct sim *sim);

/* Has that host, or will it, as it is started, have forgotten changed terms, and rightly so: is its
 * disk behind what it was to hold, or does its configuration say what was agreed before the last
 * change? */
bool sim_forgets_terms(const struct sim *sim, uint32_t host);

/* May a wish for others than the terms of that number be under way yet (E1a)? */
bool sim_may_be_wished(const struct sim *sim, uint64_t number);

/* The changed terms that the disk of the host holds, or held one write before. */
struct agreed sim_kept_terms(const struct sim *sim, uint32_t host, bool before);

/* Does doyend start with what it is told, beside what it finds on its disk (Z3d)? */
bool sim_may_start(const struct sim *sim, uint32_t host);

/* Before sim_start: the versions of the protocol that the host speaks, counted from 0; at first 0
 * alone. What is written is version 1, whatever they agree on. */
void sim_set_versions(struct sim *sim, uint32_t host, uint8_t low, uint8_t high);

/* Are its name, seeds and terms as they were in the beginning, or as sim_swap left them, and its
 * terms as sim_write_down did? */
bool sim_is_configured(const struct sim *sim, uint32_t host);

/* Gives it back the name, seeds and terms of the beginning, or the terms that were written down. */
void sim_configure(struct sim *sim, uint32_t host);
const char *sim_name(const struct sim *sim, uint32_t host);

/* The two trade names and disks: each comes up at the other's address. Neither may run. */
void sim_swap(struct sim *sim, uint32_t a, uint32_t b);

/* What the resolver answers: so late, or nothing at all. */
void sim_set_resolver(struct sim *sim, uint64_t delay_ms, bool fails);

/* It leaves out so many of a million addresses, and gives others; each time it is asked. */
void sim_unsettle_resolver(struct sim *sim, uint32_t ppm);

/* --- The network. A cut is counted: it takes as many mends as cuts, or one sim_heal --- */

void sim_cut_one_way(struct sim *sim, uint32_t from, uint32_t to);
void sim_mend_one_way(struct sim *sim, uint32_t from, uint32_t to);

/* The same, but datagrams that are sent while it is cut are not lost: they come `ms` from now, also
 * where it was mended before. */
void sim_hold_back(struct sim *sim, uint32_t from, uint32_t to, uint64_t ms);

void sim_cut(struct sim *sim, uint32_t a, uint32_t b);
void sim_mend(struct sim *sim, uint32_t a, uint32_t b);
bool sim_is_cut(const struct sim *sim, uint32_t a, uint32_t b);

/* Connections between the two alone: datagrams pass. */
void sim_cut_streams(struct sim *sim, uint32_t a, uint32_t b);
void sim_mend_streams(struct sim *sim, uint32_t a, uint32_t b);

/* Datagrams alone, one way: connections are made and carry what they did. */
void sim_cut_datagrams(struct sim *sim, uint32_t from, uint32_t to);
void sim_mend_datagrams(struct sim *sim, uint32_t from, uint32_t to);

/* Nothing longer passes from one to the other, or between the host and all others: a path of a
 * smaller MTU that tells nobody so. Longer datagrams are lost; a stream is stuck at the first
 * segment that is longer, with all that comes later, and its sender learns nothing. At least 300
 * bytes; 0: everything passes, also what was stuck. */
void sim_narrow_one_way(struct sim *sim, uint32_t from, uint32_t to, uint32_t bytes_max);
void sim_narrow(struct sim *sim, uint32_t host, uint32_t bytes_max);

/* Segments of streams are no longer than that; at first 1448 bytes. */
void sim_set_segments(struct sim *sim, uint32_t bytes);

/* Datagrams from one to the other are lost, so many of a million; 0: none. */
void sim_lose_some(struct sim *sim, uint32_t from, uint32_t to, uint32_t loss_ppm);

/* Streams from one to the other are read so slowly that a frame takes `pace_ms`; 0: at once. So
 * many frames wait in kernels, and so many at their sender; what comes then is lost. */
void sim_slow_streams(struct sim *sim, uint32_t from, uint32_t to, uint32_t pace_ms, uint32_t taken,
                      uint32_t room);

/* Of the frames from one to the other so many of a million are the last ones of their stream, and
 * so many come twice; late by up to `late_ms`. Two zeros: none. */
void sim_break_streams(struct sim *sim, uint32_t from, uint32_t to, uint32_t break_ppm,
                       uint32_t repeat_ppm, uint32_t late_ms);

/* A firewall resets the connections of one to the other, and refuses new ones in its name; or does
 * so no more. */
void sim_refuse_streams(struct sim *sim, uint32_t from, uint32_t to, bool refuses);

/* A gateway has the datagrams of the host seem to come from another's address, or from a port of
 * its own where nobody is (`as`: the host itself); or does so no more. */
void sim_translate(struct sim *sim, uint32_t host, uint32_t as);
void sim_translate_no_more(struct sim *sim, uint32_t host);

/* The host has so many streams to those to whom it has no lifeline; so many messages leave it in a
 * millisecond; and while its process does not look, so many datagrams wait for it. 0: as ever. */
void sim_limit_streams(struct sim *sim, uint32_t host, uint32_t streams_max);
void sim_limit_sends(struct sim *sim, uint32_t host, uint32_t sends_max);
void sim_limit_buffer(struct sim *sim, uint32_t host, uint32_t buffer_max);

/* Cuts the host off from all others, or lets it back. An isolated host is not waited for by
 * sim_converges. */
void sim_isolate(struct sim *sim, uint32_t host);
void sim_rejoin_network(struct sim *sim, uint32_t host);

/* A line in the trace. */
void sim_note(struct sim *sim, const char *text);

/* Mends every link, forgets what sim_after still had to call, resumes every paused process;
 * quality, resolver, losses, trips, slow hosts, timers and disks are as in the beginning. */
void sim_heal(struct sim *sim);

struct quality sim_default_quality(void);
void sim_set_quality(struct sim *sim, const struct quality *quality);
void sim_set_quality_from(struct sim *sim, uint32_t host, const struct quality *quality);

/* Nothing is left to be lost of what sim_lose was told. */
void sim_lose_nothing(struct sim *sim);

/* Loses the next `count` messages of that type from one host to another; SIM_ANY in each place. */
void sim_lose(struct sim *sim, uint32_t from, uint32_t to, uint32_t type, uint32_t count);

/* --- Time --- */

void sim_run(struct sim *sim, uint64_t ms);
uint64_t sim_now_ms(const struct sim *sim);
struct timing sim_timing(const struct sim *sim);

/* Calls back after that time, in order with everything else. */
void sim_after(struct sim *sim, uint64_t ms, sim_call *call, uint32_t a, uint32_t b);

/* Runs until all processes that run and can be reached hold one view of exactly themselves, one
 * of them acting if the guard can be met (Y1 to Y3). False when `ms` passes first. */
bool sim_converges(struct sim *sim, uint64_t ms);
bool sim_agrees(const struct sim *sim);

/* How long the last sim_converges took. */
uint64_t sim_converged_ms(const struct sim *sim);

/* Runs until the node's process has ended by itself (after a leave). */
bool sim_ends(struct sim *sim, uint32_t host, uint64_t ms);

/* Runs until the node sees `text` as its view. */
bool sim_sees(struct sim *sim, uint32_t host, const char *text, uint64_t ms);

/* --- What the nodes see --- */

bool sim_is_running(const struct sim *sim, uint32_t host);
bool sim_is_leaving(const struct sim *sim, uint32_t host); /* was asked to, and still runs */
uint32_t sim_host_count(const struct sim *sim);            /* without the witnesses */
uint32_t sim_witness_count(const struct sim *sim);
uint32_t sim_witness(const struct sim *sim, uint32_t n); /* that one as a host */
bool sim_is_seed(const struct sim *sim, uint32_t host);  /* one of everybody's seeds */
uint32_t sim_voter_count(const struct sim *sim);         /* 0 but under guard strict */
/* For how long may something still arrive that broken streams have held up? */
uint64_t sim_late_ms(const struct sim *sim);
/* On rings: does everybody hold lifelines to its neighbours in its view, and to nobody else (D9)?
 */
bool sim_watches_its_neighbours(const struct sim *sim);
bool sim_is_voter(const struct sim *sim, uint32_t host); /* by the name that it was given */

/* Does it vote, or did it once, or may it yet, as an operator wanted it to; or does it go by the
 * name of such a one, whose word on the chain counts (Z9d)? */
bool sim_may_have_a_vote(const struct sim *sim, uint32_t host);

/* The voters of the highest view that anybody holds, or has on disk; NULL: there is none. */
const struct voter_lists *sim_lists(const struct sim *sim);

/* Of the highest that somebody who runs has installed. */
const struct voter_lists *sim_lists_installed(const struct sim *sim);

bool sim_witness_votes(const struct sim *sim); /* any */

/* Does the coordinator at that host know that the witness answers, and how long that takes? */
bool sim_knows_witness(const struct sim *sim, uint32_t host, uint32_t witness);

/* Is no change of the voters on any voter's disk that is not settled? */
bool sim_has_settled(const struct sim *sim);

/* Is it settled who votes, and do they all? */
bool sim_all_vote(const struct sim *sim);

/* The operator of that host wants these to vote, `anew` under other records (Z11). */
void sim_change_voters(struct sim *sim, uint32_t host, uint32_t set, uint32_t anew);
enum phase sim_phase(const struct sim *sim, uint32_t host);
struct waiting_state sim_waiting(const struct sim *sim, uint32_t host);

/* The view of the host's node, hosts by letter, oldest first: "A B C"; "-" while it has none.
 * Valid until eight calls later. */
const char *sim_view_text(struct sim *sim, uint32_t host);

/* Host of the coordinator in that node's view, or SIM_NOBODY. */
uint32_t sim_coordinator(const struct sim *sim, uint32_t host);
bool sim_is_acting(const struct sim *sim, uint32_t host);
uint32_t sim_acting_count(const struct sim *sim);

/* Age of the subject's present life in the observer's view; 0: not in it. */
uint64_t sim_age(const struct sim *sim, uint32_t observer, uint32_t subject);
uint64_t sim_epoch(const struct sim *sim, uint32_t host);
uint64_t sim_version(const struct sim *sim, uint32_t host);

/* The version of the protocol in which the node writes to members, counted from 0. */
uint8_t sim_protocol(const struct sim *sim, uint32_t host);

/* How the observer's view says that the subject's last life went; NULL when it does not. */
const struct gone *sim_gone(const struct sim *sim, uint32_t observer, uint32_t subject);

/* The node's core, or NULL while the host runs none. */
const struct core *sim_core(const struct sim *sim, uint32_t host);

/* --- What happened so far. SIM_ANY for the host: all hosts together --- */

uint64_t sim_notices(const struct sim *sim, uint32_t host, enum notice_type type);
uint64_t sim_claims(const struct sim *sim, uint32_t host, enum claim_step step);
uint64_t sim_foundings(const struct sim *sim, uint32_t host);
uint64_t sim_sent(const struct sim *sim, uint32_t host, enum message_type type);

/* Messages about changes of the view that a host, or all, put on the network: PREPARE, ACK, COMMIT,
 * VIEW and PULL, those that were handed on among them; and the bytes of their frames, where the
 * codec is spared 100 for each without a view. */
struct sim_traffic {
    uint64_t messages;
    uint64_t bytes;
};
struct sim_traffic sim_traffic(const struct sim *sim, uint32_t host);

/* What the host sent as bytes on an Ethernet, with a key, beats in the place of heartbeats where
 * doyend sends them; 0 unless `counts_bytes`. */
uint64_t sim_wire_bytes(const struct sim *sim, uint32_t host);

/* How often a node that is not broken was told that another such had failed. */
uint64_t sim_sound_removals(const struct sim *sim);

/* Does any node hold a verdict against a member of its view? */
bool sim_suspects_any(const struct sim *sim);

/* Does `observer` hear `subject`, as far as the host knows? Both are in its view. */
bool sim_hears(const struct sim *sim, uint32_t host, uint32_t observer, uint32_t subject);

/* The last refusal that a joining process on this host was told; reason 0: none. */
struct join_refused sim_refusal(const struct sim *sim, uint32_t host);

/* For how long two lives or more could act at one instant, in all and at the longest. */
uint64_t sim_two_acted_ms(struct sim *sim);
uint64_t sim_two_acted_longest_ms(struct sim *sim);

/* Where one alone may act: was it given up that no two do? An operator gave up voters that lived
 * (Z18c), or a liar said in a member's name that it had handed over (Z2c), or in a voter's what
 * that one grants. */
bool sim_may_two_act(const struct sim *sim);

/* Steps taken by all cores. */
uint64_t sim_steps(const struct sim *sim);

/* Over time, node, event and effects of every step so far. */
uint64_t sim_trace_hash(const struct sim *sim);

/* The first rule that was broken, in words, or NULL. */
const char *sim_failure(const struct sim *sim);

/* The run's chance, for faults. */
struct random *sim_random(struct sim *sim);

#endif

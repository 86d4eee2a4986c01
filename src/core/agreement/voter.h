/* This node as a voter of guard strict: the one place that decides what a voter grants, and to whom
 * it is bound (Z2); what it must find again after a restart (Z1, Z3); and how its record begins
 * (Z8). It stands beside membership: a new life of this node changes nothing here.
 *
 * Whoever gets a question from the network hands it in as plain values and sends the answer. While
 * the record on disk does not hold what the answer speaks of, the question waits here: core.c takes
 * the answers that are due after EVENT_SYNCED.
 *
 *     may it have the epoch? --.     refuse: bound to a higher one, or to another under this one
 *                               +--> grant: written first? --no--> waits for the disk --> answer
 *     may it lease until t? ---'                           --yes--> answer at once
 */
#ifndef CORE_VOTER_H
#define CORE_VOTER_H

#include "core/state/state.h"

/* At the start of the process: with the record that was found, NULL for none, or none because it is
 * damaged; and whether it could keep one. From then on the promise that it holds is taken to be
 * leased (Z3). */
void voter_start(struct core *core, const struct vote_record *record, bool damaged, bool has_disk);

/* Does this node vote: has it a record of that lineage, and can it write it? */
bool voter_votes(const struct core *core, uint64_t lineage);

/* --- Questions (Z2) --- */

/* May that life have that epoch? The caller has made the tests of C2 first. The answer carries
 * core->voter.accepted. */
struct vote voter_on_claim(struct core *core, const struct vote_question *question);

/* For so long yet, in milliseconds, somebody may hold what a coordinator has granted whose reign
 * this voter knows to be over; 0: nobody (Z15c). */
uint64_t voter_held_ms(const struct core *core);

/* Accepts a proposal that its own first member makes: ballot, lineage and view of the question
 * follow from it, whatever `asked` says. Gives the lease along with it. */
struct vote voter_on_prepare(struct core *core, const struct vote_question *asked,
                             const struct view *view);

/* The coordinator asks for the lease, and will ask again: what waits for the disk is not kept. */
struct vote voter_on_question(struct core *core, const struct vote_question *question);

/* Has this voter accepted, T_lost ago or longer, a view of the epoch of the one that the heartbeat
 * names which is not below that one, and another (Z2l)? By then it was dropped, or never proposed
 * by the one in whose name it came; and whoever is elected next would build on it. */
bool voter_disagrees(const struct core *core, const struct heartbeat *heartbeat);

/* Is that life this one, a member here, or proved? What any other proposes is not accepted (Z2a).
 */
bool voter_knows(const struct core *core, const struct node_id *life);

/* That life, which is no member here, has shown that it receives where it asked from (Z2k). */
void voter_proved(struct core *core, const struct node_id *life);

/* --- The record (Z8) --- */

/* A founder asks this voter to make a record with the question's lineage. Granted if it has one, or
 * will have when the disk says so; mute if it may have none, or has another. */
struct vote voter_on_founding(struct core *core, const struct vote_question *question);

/* Z11e: the coordinator wants this node for a voter. Makes a record of that lineage, without a
 * promise or a view, unless it has one that may vote. Returns whether that is on disk. */
bool voter_has_new_record(struct core *core, uint64_t lineage);

/* The same, asked by its coordinator: granted at once, or when the disk has it; mute if it cannot
 * keep one. */
struct vote voter_on_wanted(struct core *core, const struct vote_question *question);

/* Z11h: could that view, if it is committed, leave out the voter whom the accepted one names? */
bool voter_may_be_left_out(const struct core *core, const struct view_id *committed);

/* Z11h: does that view, which is committed, leave out the voter whom the accepted one names? Then
 * it is retired, for good. */
bool voter_is_left_out(const struct core *core, const struct view *committed);
void voter_retire(struct core *core, const struct view *committed);

/* Retires the record where the view leaves it out, or its history is over (Z18c); where there could
 * be one and is none, or one for another founding, makes one that is retired (Z8i). */
void voter_on_view_installed(struct core *core);

/* Z18c: does that lineage succeed the one of its record? */
bool voter_is_succeeded(const struct core *core, uint64_t lineage);

/* Z18c: retires the record, whatever the epochs are, where that view's lineage succeeds its own. */
void voter_on_successor(struct core *core, const struct view *view);

/* Z18d: does this node's record tell of a lineage that succeeds that one? */
bool voter_knows_successor(const struct core *core, uint64_t lineage);

/* This node begins to found: makes a record with a new lineage, unless it has one that is still
 * about to be founded. Returns that lineage, or 0 if this node may not found. */
uint64_t voter_begin_founding(struct core *core);

/* All voters have had a record, these: the view that names them, by which they are asked again. */
struct view *voter_name_founders(struct core *core, const struct voter_lists *founders);

/* All voters have a record, these: from now on nobody may get one any more. */
void voter_end_founding(struct core *core, const struct voter_lists *founders);

/* How often the disk has got this record (Z14a). */
uint64_t voter_writes(const struct core *core);

/* Was it told lately that its record was written more often than that (Z14b)? */
bool voter_goes_by_older(const struct core *core, uint64_t now_ms);

/* Does the disk hold all that this voter has decided? */
bool voter_is_synced(const struct core *core);

/* --- The disk --- */

/* The record as it is now, to be written; `accepted` points into the core. */
void voter_record(const struct core *core, struct vote_record *record);

/* Asks for the record to be written, if this step has changed it, or if it is time to try again. */
void voter_end_step(struct core *core);

void voter_on_synced(struct core *core, const struct synced_event *synced);

/* When a record that could not be written is to be written anew. */
uint64_t voter_deadline_ms(const struct core *core);

/* Takes a question out that can be granted now, the oldest first; false when there is none. */
bool voter_take_answer(struct core *core, struct vote_question *answered);

#endif

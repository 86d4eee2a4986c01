/* Whom this node watches (D9): its neighbours on the rings, and for a while whoever is in doubt. Of
 * all others it knows nothing, and must not conclude anything (D9g).
 *
 *     neighbour  --- the view turns the rings ---> former neighbour, for 2 T_heartbeat more
 *         ^                                             |
 *         |  a view makes it one                        v
 *     unknown  <-------- its time is over --------- watched for a while
 *         `-------------- a doubt, or a question whether it lives -----^
 *
 * Heartbeats go to neighbours. A lifeline and questions go to whoever is watched. An unknown member
 * counts as heard, for nobody has said anything against it.
 */
#ifndef CORE_WATCH_H
#define CORE_WATCH_H

#include "core/state/state.h"

/* D8e: which half of the neighbours, as bits. */
enum { WATCH_FIRST_HALF = 1, WATCH_SECOND_HALF = 2, WATCH_BOTH_HALVES = 3 };

/* Is the member at `position` watched by this node? Then its silence counts. */
bool watch_is_on(const struct core *core, uint32_t position);

/* All who are watched, and perhaps some that were until lately: how many, and the position of each,
 * rising. So what concerns them alone takes no look at all members. O(1). */
uint32_t watch_count(const struct core *core);
uint32_t watch_at(const struct core *core, uint32_t index);

/* Is it watched as a neighbour, to which heartbeats go all the time? */
bool watch_is_edge(const struct core *core, uint32_t position);

/* D8e: does a round for these halves of the neighbours go to it? One that is no neighbour gets all
 * rounds. */
bool watch_is_of_half(const struct core *core, uint32_t position, uint8_t halves);

/* Does each round go to one half of the neighbours (D8e)? */
bool watch_takes_turns(const struct core *core);

/* Was it not heard since this watch began, which is not that of a new member? */
bool watch_is_asking(const struct core *core, uint32_t position);

/* By the view, does the member at `observer` watch the one at `subject`? */
bool watch_sees(const struct core *core, uint32_t observer, uint32_t subject);

/* Those who watch the member at `subject` by the view, by rising position. Where all or most do,
 * `everybody` is set, and these are all members, of whom watch_sees tells who does. O(1). */
enum { OBSERVERS_MAX = RING_LISTED_MAX + 4 };
struct observers {
    uint32_t count;
    bool everybody;
    uint32_t list[OBSERVERS_MAX];
};
void watch_observers(const struct core *core, uint32_t subject, struct observers *out);

static inline uint32_t watch_observer(const struct observers *observers, uint32_t index)
{
    return observers->everybody ? index : observers->list[index];
}

/* Watches the member until `until_ms` at least. Returns whether it was not watched before; only
 * then what watch_at tells changes. O(watched). */
bool watch_begin(struct core *core, uint32_t position, uint64_t until_ms);

void watch_heard(struct core *core, uint32_t position);
void watch_asked(struct core *core, uint32_t position);

/* There is something new to tell of it: at once, if it is the coordinator or dead, and else after
 * the pause of D9d. */
void watch_tell(struct core *core, uint32_t position);

/* D9d: when all who are watched are told of it; NEVER_MS, if nothing is new. O(1). */
uint64_t watch_tell_at_ms(const struct core *core);

/* D9d: is there anything new of which the coordinator was not told? */
bool watch_has_news(const struct core *core);

/* Notes that all were told, or the coordinator alone. */
void watch_told(struct core *core);
void watch_told_coordinator(struct core *core);

/* D9d: is it a neighbour that this node tells of, of which the others who watch it know nothing
 * yet? Never the coordinator, at which everybody looks in time, nor one that is dead (D9j). */
bool watch_is_untold(const struct core *core, uint32_t position);
void watch_told_others(struct core *core, uint32_t position);

/* Notes that the member is told of already. */
void watch_note_told(struct core *core, uint32_t position);

/* D9j: a member was found dead by this coordinator. Returns whether everybody is to be asked: it is
 * not the only one within T_lost, and that was not done since then. */
bool watch_note_death(struct core *core);

/* D9h: is there news since everybody was asked last? */
bool watch_is_to_call(const struct core *core);

/* Notes that everybody is asked in this step (D9h). */
void watch_called(struct core *core);

/* Notes the position of the member that this node would follow: the oldest that is heard. */
void watch_note_elder(struct core *core, uint32_t position);

/* Notes whether none of those who are older is heard. Returns whether that is new. */
bool watch_lead(struct core *core, bool leads);

/* D9g: somebody has to know whether the member lives, so the detector asks it in this step, or the
 * next. */
void watch_want(struct core *core, uint32_t position);

/* D9g: the same of everybody older than the member at `position`; VIEW_NONE: of all. */
void watch_want_older(struct core *core, uint32_t position);

/* D9g: the same of one that did not answer what it was sent so often. */
void watch_want_late(struct core *core, uint32_t position, uint32_t sendings);

/* Takes back a wish; returns whether there was one. */
bool watch_take_wish(struct core *core, uint32_t position);
void watch_took_wishes(struct core *core);

/* Holds lifelines to those who are watched, and to nobody else. O(watched). */
void watch_hold_lifelines(struct core *core);

void watch_on_view_installed(struct core *core, const struct installed *before);
void watch_reset(struct core *core);

#endif

/* Following views: making one this node's own, and bringing itself and others to the one that holds
 * (V4, V5, L1 to L3).
 *
 *     a VIEW, or a heartbeat that names one:
 *         lower than ours     show ours: at once if we coordinate, else when that did not help (V5)
 *         the same name       another hash: damage, the coordinator makes a new version (V2)
 *         higher              ask for it; if it speaks for us (V4) install it, or without us in it
 *                             be out (L1); if it does not, say NOT_FOLLOWING
 */
#ifndef CORE_INSTALL_H
#define CORE_INSTALL_H

#include "core/agreement/authority.h"
#include "core/state/state.h"

/* Makes the view this node's own, and lets every module know. The caller has made sure that it may
 * be: it holds this life and is higher than the installed one. Returns what held before. */
struct installed install_view(struct core *core, const struct view *view);

/* What came of a view that was shown. The modules above act on all but the first. */
enum shown_view {
    SHOWN_SETTLED,   /* installed, or of no use */
    SHOWN_REFUSED,   /* higher, and holds us, but our coordinator is another (V4) */
    SHOWN_LEFT_OUT,  /* this life is over (L1) */
    SHOWN_SUCCESSOR, /* and so is the history that it was in (Z18c) */
    SHOWN_TO_JOINER, /* while joining: it holds us; not installed yet (V4g) */
    SHOWN_GONE,      /* while joining: this id was in without knowing, and is out again (S5) */
    SHOWN_NOT_OURS,  /* higher, in this node's name, and a member holds it that it never made (V4i)
                      */
};
enum shown_view install_on_view(struct core *core, const struct message *message);

/* Asks for the whole view, not more often than once in a quarter of a heartbeat (V5). */
void install_pull(struct core *core, const struct message *message);
void install_on_pull(struct core *core, const struct message *message);

/* V5: compares the view that the heartbeat of the member at `position` names with our own. */
void install_compare(struct core *core, const struct message *message, uint32_t position);

/* L5a: also of a heartbeat that was overtaken, by the PULL that it led to (D6a). */
void install_note_lower(struct core *core, const struct message *heartbeat, uint32_t position);

/* A message from somebody outside our view: show it what holds. */
void install_answer_stranger(struct core *core, const struct message *message);

/* By which authority the higher view that it brings along speaks for this member. One that has to
 * be asked for is (Z9d). */
enum authority install_weigh(struct core *core, const struct message *message);

/* D9g: a view of a member's does not speak for this node while its own coordinator may live, so it
 * has to know whether that is so. */
void install_ask_coordinator(struct core *core, const struct message *message);

/* NOT_FOLLOWING, to the maker of the view that it brings along, which does not speak for this node;
 * to that of a stranger's within the bound of V6. */
void install_answer_not_following(struct core *core, const struct message *message);

/* PULL, to one who is no member here, within the bound of V6. */
void install_ask_stranger(struct core *core, const struct message *message);

/* Shows the view at an address of the caller's choice, within the bounds of V6a, or not at all. */
bool install_show(struct core *core, const struct message *message, const struct node_id *to,
                  const struct address *address);

/* Checks that a view from the wire may be acted on at all; drops and counts otherwise. */
bool install_is_sound(struct core *core, const struct message *message);

/* Is the view in the message further ahead than time allows (V7)? */
bool install_leaps(const struct core *core, const struct message *message);

/* M4g: the heartbeat of a stranger says that it lives in the view that we accepted already: the
 * COMMIT was lost. */
bool install_is_as_good_as_commit(const struct core *core, const struct message *heartbeat);

/* L3a: a coordinator whose every other member follows another view or is suspected, and at least
 * one follows another; or whose views reach nobody. */
bool install_is_left_alone(const struct core *core);

/* L4: one whose word counts has just shown, or said, what this node cannot follow. */
void install_saw_leap(struct core *core);

/* L4: this node's own coordinator has named a lower view than this node's for T_stall, so it never
 * made this one; or whose word counts has shown for as long what this node cannot take. */
bool install_is_disowned(const struct core *core);

void install_on_view_installed(struct core *core, const struct installed *before);
void install_reset(struct core *core);

#endif

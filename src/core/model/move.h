/* What an operator may want moved while all is well (rules E4 to E7, E9), and why it cannot be. */
#ifndef CORE_MOVE_H
#define CORE_MOVE_H

#include "core/model/id.h"

/* On the wire and in recordings: append only. */
enum move_kind {
    MOVE_NONE = 0,     /* never on the wire */
    MOVE_TRANSFER = 1, /* the subject is to coordinate */
    MOVE_DRAIN = 2,    /* it is not to coordinate any more, while others can */
    MOVE_UNDRAIN = 3,
    MOVE_FORGET = 4, /* it is gone, and is to be listed no more */
};

struct move {
    enum move_kind kind;
    struct node_id subject; /* a member; of MOVE_FORGET one that is gone */
};

/* Why a member cannot take over what a coordinator hands it (E4). */
enum unfit {
    UNFIT_NOT,
    UNFIT_STRANGER,  /* no member */
    UNFIT_DRAINED,   /* it is not to coordinate */
    UNFIT_LEAVING,   /* it asked to be let out */
    UNFIT_SUSPECTED, /* this node holds a verdict against it */
    UNFIT_SILENT,    /* it was not heard within T_fresh */
    UNFIT_MOVED,     /* it follows another coordinator (L2) */
    UNFIT_BEHIND,    /* it holds a lower view, and does not get this node's (L5) */
    UNFIT_DEAF,      /* it has not heard this coordinator within T_lost */
};

#endif

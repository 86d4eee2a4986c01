/* Why a message of another member's program is not handed on. Counted, never logged one by one. */
#ifndef RUNTIME_USER_REFUSAL_H
#define RUNTIME_USER_REFUSAL_H

enum user_refusal {
    USER_TAKEN = 0,
    USER_UNWANTED,   /* the program here takes none */
    USER_NOT_MEMBER, /* this node is no member now */
    USER_OTHER_LIFE, /* for another life than this one */
    USER_STRANGER,   /* the sender is not in the view */
    USER_REPEATED,   /* it came before, or is too old to tell */
    USER_FLOOD,      /* the sender has used up its budget */
    USER_FULL,       /* the program has too many to take yet */
    USER_REFUSALS,
};
const char *user_refusal_text(enum user_refusal refusal);

#endif

/* Why a beat is dropped. Counted, never logged one by one. */
#ifndef RUNTIME_BEAT_REFUSAL_H
#define RUNTIME_BEAT_REFUSAL_H

enum beat_refusal {
    BEAT_TAKEN = 0,
    BEAT_FLAGS,         /* flags that make no sense, or a version that has none */
    BEAT_STRANGER,      /* no member's life begins like that */
    BEAT_OTHER_VIEW,    /* in a view that this node has not named of late */
    BEAT_NOT_AUTHENTIC, /* the tag does not hold */
    BEAT_REFUSALS,
};
const char *beat_refusal_text(enum beat_refusal refusal);

#endif

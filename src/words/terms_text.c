#include "words/terms_text.h"

#include <inttypes.h>
#include <stdio.h>

void guard_text(const struct guard *guard, char out[GUARD_TEXT_MAX])
{
    /* Also asked about guards that other nodes tell of, hence no assertion. */
    if (guard->policy == GUARD_COUNT) {
        snprintf(out, GUARD_TEXT_MAX, "%u", guard->count);
    } else {
        snprintf(out, GUARD_TEXT_MAX, "%s", guard->policy == GUARD_NONE ? "none" : "majority");
    }
}

void guard_words(const struct guard *guard, char out[GUARD_TEXT_MAX])
{
    if (guard->policy == GUARD_MAJORITY) {
        snprintf(out, GUARD_TEXT_MAX, "majority of %u", guard->count);
    } else {
        guard_text(guard, out);
    }
}

const char *profile_text(enum profile profile)
{
    switch (profile) {
    case PROFILE_LOCAL:
        return "local";
    case PROFILE_LAN:
        return "lan";
    case PROFILE_WAN:
        return "wan";
    }
    return "unknown";
}

void terms_words(const struct terms *terms, char out[TERMS_WORDS_MAX])
{
    char guard[GUARD_TEXT_MAX];

    guard_words(&terms->guard, guard);
    snprintf(out, TERMS_WORDS_MAX,
             "guard %s, profile %s, heartbeat %" PRIu64 "ms, fail-after %" PRIu64
             "ms, capacity %" PRIu32,
             guard, profile_text(terms->profile), terms->heartbeat_ms, terms->lost_ms,
             terms->capacity);
}

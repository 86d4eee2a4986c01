#include "words/terms_text.h"

#include <inttypes.h>
#include <stdio.h>

void guard_text(const struct guard *guard, char out[GUARD_TEXT_MAX])
{
    /* Also asked about guards that other nodes tell of, hence no assertion. */
    switch (guard->policy) {
    case GUARD_NONE:
        break;
    case GUARD_COUNT:
        snprintf(out, GUARD_TEXT_MAX, "%u", guard->count);
        return;
    case GUARD_MAJORITY:
        snprintf(out, GUARD_TEXT_MAX, "majority");
        return;
    case GUARD_STRICT:
        snprintf(out, GUARD_TEXT_MAX, "strict");
        return;
    }
    snprintf(out, GUARD_TEXT_MAX, "none");
}

void voters_text(const struct voters *voters, char out[VOTERS_TEXT_MAX])
{
    size_t used = 0;

    out[0] = '\0';
    for (uint8_t i = 0; i < voters->count && i < VOTERS_MAX; i++) {
        used += (size_t)snprintf(out + used, VOTERS_TEXT_MAX - used, "%s%s", i == 0 ? "" : ",",
                                 voters->names[i]);
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
    char voters[VOTERS_TEXT_MAX];

    guard_words(&terms->guard, guard);
    voters_text(&terms->voters, voters);
    snprintf(out, TERMS_WORDS_MAX,
             "guard %s%s%s, profile %s, heartbeat %" PRIu64 "ms, fail-after %" PRIu64
             "ms, capacity %" PRIu32 ", watchers %u",
             guard, voters[0] == '\0' ? "" : " of ", voters, profile_text(terms->profile),
             terms->heartbeat_ms, terms->lost_ms, terms->capacity, (unsigned)terms->watchers);
}

const char *versions_text(const struct versions *versions, char out[VERSIONS_TEXT_MAX])
{
    const unsigned low = versions->low + 1U;
    const unsigned high = versions->high + 1U;

    if (low > high) {
        return "none";
    }
    if (low == high) {
        snprintf(out, VERSIONS_TEXT_MAX, "%u", low);
    } else {
        snprintf(out, VERSIONS_TEXT_MAX, "%u-%u", low, high);
    }
    return out;
}

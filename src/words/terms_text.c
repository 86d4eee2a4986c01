#include "words/terms_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

__attribute__((format(printf, 2, 3))) static void add_difference(char out[TERMS_DIFFERENCE_MAX],
                                                                 const char *format, ...)
{
    const size_t used = strlen(out);
    const char *comma = used == 0 ? "" : ", ";
    va_list arguments;

    (void)snprintf(out + used, TERMS_DIFFERENCE_MAX - used, "%s", comma);
    va_start(arguments, format);
    (void)vsnprintf(out + strlen(out), TERMS_DIFFERENCE_MAX - strlen(out), format, arguments);
    va_end(arguments);
}

static void add_guard(const struct guard *theirs, const struct guard *ours,
                      char out[TERMS_DIFFERENCE_MAX])
{
    char there[GUARD_TEXT_MAX];
    char here[GUARD_TEXT_MAX];

    guard_text(theirs, there);
    guard_text(ours, here);
    if (strcmp(there, here) != 0) {
        add_difference(out, "--guard %s (here %s)", there, here);
    }
    if (theirs->policy == GUARD_MAJORITY && theirs->count != ours->count) {
        if (ours->policy == GUARD_MAJORITY) {
            add_difference(out, "--size %u (here %u)", theirs->count, ours->count);
        } else {
            add_difference(out, "--size %u", theirs->count);
        }
    }
}

void terms_difference(const struct terms *theirs, const struct terms *ours,
                      char out[TERMS_DIFFERENCE_MAX])
{
    char there[VOTERS_TEXT_MAX];
    char here[VOTERS_TEXT_MAX];

    out[0] = '\0';
    add_guard(&theirs->guard, &ours->guard, out);
    voters_text(&theirs->voters, there);
    voters_text(&ours->voters, here);
    if (guard_is_strict(&theirs->guard) && guard_is_strict(&ours->guard) &&
        strcmp(there, here) != 0) {
        add_difference(out, "--voters %.80s (here %.80s)", there, here);
    }
    if (theirs->profile != ours->profile) {
        add_difference(out, "--profile %s (here %s)", profile_text(theirs->profile),
                       profile_text(ours->profile));
    }
    if (theirs->heartbeat_ms != ours->heartbeat_ms) {
        add_difference(out, "--heartbeat %" PRIu64 "ms (here %" PRIu64 "ms)", theirs->heartbeat_ms,
                       ours->heartbeat_ms);
    }
    if (theirs->lost_ms != ours->lost_ms) {
        add_difference(out, "--fail-after %" PRIu64 "ms (here %" PRIu64 "ms)", theirs->lost_ms,
                       ours->lost_ms);
    }
    if (theirs->capacity != ours->capacity) {
        add_difference(out, "--capacity %" PRIu32 " (here %" PRIu32 ")", theirs->capacity,
                       ours->capacity);
    }
    if (theirs->watchers != ours->watchers) {
        add_difference(out, "--watchers %u (here %u)", (unsigned)theirs->watchers,
                       (unsigned)ours->watchers);
    }
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

#include "runtime/options/budget.h"

enum {
    QUESTIONS = 4, /* within T_verify (R1b) */
    MS_PER_S = 1000,
};

static const double ms_per_year = 365.0 * 24 * 3600 * MS_PER_S;

/* --- One number for all of it ---------------------------------------------------------------- */

/* All questions have been put before the verdict (D2h), and then the view waits for others who
 * went. */
bool budget_split(const struct timing *profile, uint64_t detect_ms, uint64_t *heartbeat_ms,
                  uint64_t *lost_ms)
{
    if (detect_ms < budget_least_ms(profile)) {
        return false;
    }
    *lost_ms = detect_ms - profile->batch_ms;
    *heartbeat_ms = profile->heartbeat_ms * *lost_ms / profile->lost_ms;
    return true;
}

uint64_t budget_detect_ms(const struct timing *timing)
{
    return timing->lost_ms + timing->batch_ms;
}

uint64_t budget_least_ms(const struct timing *profile)
{
    /* A heartbeat is at most 5/8 of T_lost: T_doubt and T_verify fit in (Timings). */
    return (profile->verify_ms * 16 + 4) / 5 + profile->batch_ms;
}

/* --- What it promises ------------------------------------------------------------------------ */

uint64_t budget_gap_ms(const struct timing *timing)
{
    const uint64_t round_ms = timing_round_ms(timing);

    return round_ms + round_ms * ROUND_JITTER_PERCENT / 100;
}

static uint64_t less(uint64_t from, uint64_t what)
{
    return from > what ? from - what : 0;
}

/* Questions go on until the verdict, and one of the neighbours heard it a round ago at most. */
struct promise budget_promise(const struct timing *timing, uint64_t answer_ms)
{
    const uint64_t gap_ms = budget_gap_ms(timing);
    const uint64_t asked_ms = timing->lost_ms - timing_question_ms(timing);

    return (struct promise){
        .survived_ms = less(less(asked_ms, gap_ms), answer_ms),
        .removed_ms_min = less(timing->lost_ms, gap_ms),
        .removed_ms_max = timing->lost_ms + timing->batch_ms + answer_ms,
    };
}

uint64_t budget_beats_per_1000_s(const struct timing *timing, uint64_t watchers, uint32_t others)
{
    const uint64_t beaten = others < watchers ? others : watchers;

    return beaten * MS_PER_S * MS_PER_S / timing->heartbeat_ms;
}

/* --- Chance ---------------------------------------------------------------------------------- */

static double power(double base, uint64_t exponent)
{
    double product = 1;

    while (exponent-- > 0) {
        product *= base;
    }
    return product;
}

/* That one packet is lost, where a question and its answer together are lost with that chance q:
 * the p with 1 - (1 - p)^2 = q, found by putting (q + p^2) / 2 in its own place. */
static double one_way(double lost)
{
    double p = 0;

    for (int i = 0; i < 60; i++) {
        p = (lost + p * p) / 2;
    }
    return p;
}

/* The heartbeats of one member to another that are due within T_lost, and the questions after the
 * first of them is missing, of which each takes an answer. */
static double unheard(const struct timing *timing, double lost)
{
    const uint64_t asked_ms = timing->lost_ms - timing_missed_ms(timing);

    return power(one_way(lost), timing->lost_ms / timing->heartbeat_ms) *
           power(lost, asked_ms / timing_question_ms(timing));
}

double budget_removals_per_year(const struct timing *timing, uint32_t watchers, uint32_t members,
                                uint64_t unanswered, uint64_t asked)
{
    if (asked == 0 || unanswered == 0 || members < 2) {
        return 0;
    }
    const double lost = (double)unanswered / (double)asked;
    const double arrives = 1 - one_way(lost);
    const double verdict = unheard(timing, lost) * lost * lost;
    const uint32_t others = members - 1;
    const uint32_t observers = watchers < others ? watchers : others;
    /* Another than the first backs it; with two members there is none (D7a). */
    const double backed = observers == 1 ? 1 : (observers - 1) * verdict;
    /* A question through a helper takes four packets. */
    const uint32_t helpers = others - 1 < HELPERS_MAX ? others - 1 : HELPERS_MAX;
    const double through = 1 - power(arrives, 4);
    const double unasked = power(lost, QUESTIONS) * power(through, QUESTIONS * (uint64_t)helpers);
    const double silences = observers * ms_per_year / (double)timing->heartbeat_ms;

    return silences * verdict * (backed < 1 ? backed : 1) * unasked;
}

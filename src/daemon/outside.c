#include "daemon/outside.h"

#include "words/notice_fields.h"
#include "words/notice_text.h"
#include "words/whole.h"

enum { WAITING_WORDS_MAX = 480 };

/* Those of the view; before there is one, those that it was started with. */
static uint32_t voters_of(const struct node *node)
{
    const struct voter_lists *lists = &core_view(node_core(node))->voters;

    return lists->count > 0 ? voter_lists_length(lists) : node_config(node)->voters.count;
}

/* Whom it waits for (F3); false where that is nobody it knows of. */
static bool waiting_words(const struct node *node, char out[WAITING_WORDS_MAX])
{
    const struct waiting_state waiting = core_waiting(node_core(node), node_now_ms(node));
    const struct guard_state guard = core_guard(node_core(node), node_now_ms(node));
    char sentence[WHOLE_TEXT_MAX];
    char next[WHOLE_TEXT_MAX];

    if (whole_awaits_voters(&waiting, &guard, voters_of(node), node_has_other_seed(node), sentence,
                            next)) {
        snprintf(out, WAITING_WORDS_MAX, "%.230s: %.230s", sentence, next);
        return true;
    }
    if (waiting.expect > waiting.met) {
        snprintf(out, WAITING_WORDS_MAX,
                 "met=%u expected=%u: start the others that --bootstrap-expect waits for, with one "
                 "of these among their seeds",
                 waiting.met, waiting.expect);
        return true;
    }
    if (waiting.met > 1 && !waiting.may_found) {
        snprintf(out, WAITING_WORDS_MAX,
                 "%u nodes wait for a member, and none of them may found: if no member comes back, "
                 "start these with --bootstrap-expect %u, or one of them with its own address as "
                 "--seed",
                 waiting.met, waiting.met);
        return true;
    }
    return false;
}

static void log_refusal(struct log *log, enum log_level level, const struct journal_entry *refusal,
                        const char *since)
{
    struct notice_fields fields;
    char text[NOTICE_TEXT_MAX];

    notice_fields(refusal, &fields);
    notice_text(refusal, &fields, text);
    log_line(log, level, "join", "not let in %s, refused: %s", since, text);
}

bool outside_holds(const struct node *node)
{
    char seeds[NODE_SEED_WORDS_MAX];

    return core_phase(node_core(node)) == PHASE_JOINING || node_seed_words(node, seeds);
}

void outside_log(struct log *log, enum log_level level, struct node *node, const char *since)
{
    const struct journal_entry *refusal = journal_refusal(node_journal(node));
    char waiting[WAITING_WORDS_MAX];
    char seeds[NODE_SEED_WORDS_MAX];

    if (core_phase(node_core(node)) != PHASE_JOINING) {
        (void)node_seed_words(node, seeds);
        log_line(log, level, "join", "the only member %s: %s", since, seeds);
        return;
    }
    if (refusal != NULL) {
        log_refusal(log, level, refusal, since);
        return;
    }
    const bool waits = waiting_words(node, waiting);
    const bool knocked = node_seed_words(node, seeds);
    if (waits || knocked) {
        log_line(log, level, "join", "not let in %s: %s%s%s", since, waits ? waiting : "",
                 waits && knocked ? "; " : "", knocked ? seeds : "");
        return;
    }
    log_line(log, level, "join",
             "not let in %s: check that a seed runs and can be reached, and that --cluster is its",
             since);
}

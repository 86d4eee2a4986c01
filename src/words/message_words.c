#include "words/message_words.h"
#include "words/id_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "words/notice_text.h"

struct words {
    char *out;
    size_t used;
};

static void add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What does not fit is cut. */
static void add(struct words *words, const char *format, ...)
{
    const size_t left = MESSAGE_WORDS_MAX - words->used;
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(words->out + words->used, left, format, arguments);
    va_end(arguments);
    if (length > 0) {
        words->used += (size_t)length < left ? (size_t)length : left - 1;
    }
}

static const char *name_of(const struct view *view, const struct node_id *id)
{
    const uint32_t position = view_find(view, id);
    const struct gone *gone = view_find_gone(view, id);

    if (position != VIEW_NONE) {
        return view->members[position].name;
    }
    return gone == NULL ? "" : gone->name;
}

static void add_view_id(struct words *words, const char *key, const struct view_id *id,
                        const struct view *known)
{
    char name[VIEW_NAME_MAX];

    view_name_print(id, name_of(known, &id->coordinator), name);
    add(words, "%s%s=%s", words->used == 0 ? "" : " ", key, name);
}

static void add_number(struct words *words, const char *key, uint64_t number)
{
    if (number != 0) {
        add(words, "%s%s=%" PRIu64, words->used == 0 ? "" : " ", key, number);
    }
}

static void add_text(struct words *words, const char *key, const char *text)
{
    add(words, "%s%s=%s", words->used == 0 ? "" : " ", key, text);
}

static void add_carrier(struct words *words, const struct view_carrier *carrier)
{
    if (carrier->view != NULL) {
        const struct view_id id = view_id_of(carrier->view);
        add_view_id(words, "view", &id, carrier->view);
        add_number(words, "members", carrier->view->member_count);
        add_text(words, "cause", view_cause_text(carrier->view->cause));
    }
    add_number(words, "epoch", carrier->epoch);
    add_number(words, "merge", carrier->merge);
}

static void add_heartbeat(struct words *words, const struct heartbeat *heartbeat,
                          const struct view *known)
{
    add_view_id(words, "view", &heartbeat->view, known);
    add_number(words, "suspects", heartbeat->suspect_count);
    if (heartbeat->late) {
        add(words, " late");
    }
    if (heartbeat->acting) {
        add(words, " acting");
    }
}

static const char *vote_result_text(enum vote_result result)
{
    switch (result) {
    case VOTE_GRANTED:
        return "granted";
    case VOTE_REFUSED_EPOCH:
        return "epoch";
    case VOTE_REFUSED_LEASE:
        return "lease";
    case VOTE_REFUSED_FRESH:
        return "fresh";
    case VOTE_REFUSED_BEHIND:
        return "behind";
    case VOTE_WAITS:
    case VOTE_MUTE:
    case VOTE_UNPROVED:
        break;
    }
    return "?";
}

static const char *vote_kind_text(enum vote_kind kind)
{
    switch (kind) {
    case VOTE_CLAIM:
        return "claim";
    case VOTE_PREPARE:
        return "view";
    case VOTE_HEARTBEAT:
        return "lease";
    case VOTE_FOUNDING:
        return "record";
    }
    return "?";
}

static void add_claim(struct words *words, const struct message *message, const struct view *known)
{
    const struct vote_answer *vote = &message->carrier.vote;

    if (message->carrier.named.view.epoch != 0) {
        add_view_id(words, "view", &message->carrier.named.view, known);
    }
    add_carrier(words, &message->carrier);
    if (message->type == MESSAGE_VOTE) {
        char record[ID_TEXT_MAX];
        add_text(words, "record", id_text(&vote->record, record));
        add_text(words, "about", vote_kind_text(vote->kind));
        add_text(words, "vote", vote_result_text(vote->result));
        add_number(words, "version", vote->version);
        add_number(words, "promised", vote->promised);
        add_number(words, "wait_ms", vote->wait_ms);
    }
}

static const char *move_kind_text(enum move_kind kind)
{
    switch (kind) {
    case MOVE_NONE:
        break;
    case MOVE_TRANSFER:
        return "transfer";
    case MOVE_DRAIN:
        return "drain";
    case MOVE_UNDRAIN:
        return "undrain";
    case MOVE_FORGET:
        return "forget";
    }
    return "?";
}

static void add_wish(struct words *words, const struct wish *wish, const struct view *known)
{
    const char *about;

    switch (wish->kind) {
    case WISH_LEAVE:
        add(words, " leave");
        return;
    case WISH_MOVE:
        about = name_of(known, &wish->move.subject);
        add_text(words, "move", move_kind_text(wish->move.kind));
        add_text(words, "about", about[0] == '\0' ? "?" : about);
        return;
    case WISH_TAGS:
        add_number(words, "tags_bytes", wish->tags.length);
        return;
    case WISH_TERMS:
        add_number(words, "terms_from",
                   wish->terms.voters.count > 0 ? wish->terms.voters.number : wish->terms.number);
        return;
    }
}

static void add_role(struct words *words, const struct message *message)
{
    const struct role_word *word = &message->role;

    add_number(words, "epoch", word->epoch);
    if (message->type == MESSAGE_ROLES_ENTER) {
        add_text(words, "role", word->entry.role);
    }
    add_number(words, "number", word->entry.number);
    add_number(words, "token", word->entry.token);
    if (message->type == MESSAGE_ROLES_ASK) {
        add_number(words, "candidates", word->count);
    }
    if (message->type == MESSAGE_ROLES_ANSWER) {
        add(words, word->flag ? " agrees" : " tell");
    }
    if (message->type == MESSAGE_ROLES_LET_GO && word->flag) {
        add(words, " resigned");
    }
    if (word->order != ROLE_KEEP) {
        add(words, word->order == ROLE_LET_GO ? " let_go" : " refused");
    }
}

static void add_body(struct words *words, const struct message *message, const struct view *known)
{
    switch (message_body(message->type)) {
    case CARRIES_NOTHING:
    case CARRIES_OFFER:
        return;
    case CARRIES_HEARTBEAT:
        add_heartbeat(words, &message->heartbeat, known);
        return;
    case CARRIES_REFERENCE:
        add_view_id(words, "view", &message->reference.view, known);
        add_number(words, "promised", message->reference.promised);
        return;
    case CARRIES_VIEW:
        add_carrier(words, &message->carrier);
        return;
    case CARRIES_CLAIM:
        add_claim(words, message, known);
        return;
    case CARRIES_JOINER:
        add_text(words, "name", message->joiner.member.name);
        add_number(words, "hops", message->joiner.hops);
        return;
    case CARRIES_JOIN_REFUSED:
        add_text(words, "refusal", join_refusal_text(message->join_refused.reason));
        return;
    case CARRIES_PING:
        add_text(words, "about",
                 name_of(known, &message->ping.subject)[0] == '\0'
                     ? "?"
                     : name_of(known, &message->ping.subject));
        return;
    case CARRIES_PROBE:
        add_view_id(words, "view", &message->probe.view, known);
        add_number(words, "holders", message->probe.holders);
        if (message->probe.answer) {
            add(words, " answer");
        }
        return;
    case CARRIES_MERGE_REFUSED:
        add_number(words, "merge", message->merge_refused.merge);
        add_text(words, "refusal", merge_refusal_text(message->merge_refused.reason));
        return;
    case CARRIES_ROLES:
        add_role(words, message);
        return;
    case CARRIES_WISH:
        add_wish(words, &message->wish, known);
        return;
    }
}

const char *message_words(const struct message *message, const struct view *known,
                          char out[MESSAGE_WORDS_MAX])
{
    struct words words = {.out = out};

    out[0] = '\0';
    add_body(&words, message, known);
    return out;
}

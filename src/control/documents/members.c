#include "control/documents/members.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "control/events/sentence.h"
#include "control/text/json.h"
#include "runtime/options/value.h"
#include "words/acting.h"
#include "words/notice_text.h"
#include "words/terms_text.h"
#include "words/voter_text.h"

enum {
    HOLE_BYTES_MAX = DECIMAL_DIGITS_MAX, /* no other word in a hole is longer */
    HOLES_MIN = 32,
};

void members_deinit(struct members *members)
{
    text_builder_deinit(&members->text);
    free(members->holes);
    *members = (struct members){0};
}

/* --- Building the template: once per change --- */

static void members_hole(struct members *members, enum hole_kind kind, uint32_t position)
{
    if (members->hole_count == members->hole_capacity) {
        const size_t capacity = members->hole_capacity == 0 ? HOLES_MIN
                                                            : 2 * members->hole_capacity;
        struct hole *holes = realloc(members->holes, capacity * sizeof *holes);
        if (holes == NULL) {
            members->text.failed = true;
            return;
        }
        members->holes = holes;
        members->hole_capacity = capacity;
    }
    members->holes[members->hole_count++] = (struct hole){
        .at = members->text.length, .kind = kind, .position = position};
}

/* Puts what acting_put does, and how old the word is. */
static void members_write_acting(struct members *members, const struct facts *facts)
{
    struct text_builder *text = &members->text;

    text_builder_add(text, ",\"acting\":");
    members_hole(members, HOLE_ACTING, 0);
    text_builder_add(text, ",\"acting_ms\":");
    members_hole(members, HOLE_ACTING_MS, 0);
    text_builder_format(text, ",\"acting_is\":\"%s\"", acting_kind_text(facts->advisory));
    if (!facts->advisory) {
        text_builder_add(text, ",\"lease_ms\":");
        members_hole(members, HOLE_ACTING_MS, 0);
    }
    text_builder_add(text, ",\"acting_said_ms\":");
    members_hole(members, HOLE_ACTING_SAID_MS, 0);
}

static void members_write_head(struct members *members, const struct facts *facts)
{
    struct text_builder *text = &members->text;
    char policy[GUARD_TEXT_MAX];
    char cursor[CURSOR_TEXT_MAX];

    guard_text(&facts->guard.guard, policy);
    text_builder_add(text, "{\"schema\":1,\"cluster\":");
    text_builder_add_json(text, json_of_word(facts->config->cluster));
    text_builder_add(text, ",\"self\":");
    text_builder_add_json(text, json_of_word(facts->self->name));
    text_builder_format(text, ",\"phase\":\"%s\",\"cursor\":\"", phase_text(facts->phase));
    text_builder_add(text, cursor_text(facts_cursor(facts), cursor));
    text_builder_add(text, "\",\"epoch\":\"");
    text_builder_add_u64(text, facts->view->epoch);
    text_builder_add(text, "\",\"view\":{\"epoch\":\"");
    text_builder_add_u64(text, facts->view->epoch);
    text_builder_add(text, "\",\"version\":\"");
    text_builder_add_u64(text, facts->view->version);
    text_builder_add(text, "\",\"acked\":");
    members_hole(members, HOLE_ACKED, 0);
    text_builder_add(text, "},\"coordinator\":");
    text_builder_add_json(
        text, json_of_word(facts->coordinator == NULL ? NULL : facts->coordinator->name));
    members_write_acting(members, facts);
    text_builder_format(text, ",\"guard\":{\"policy\":\"%s\",\"size\":", policy);
    text_builder_add_json(text, json_of_guard_size(&facts->guard.guard));
    text_builder_add(text, ",\"needed\":");
    members_hole(members, HOLE_NEEDED, 0);
    text_builder_add(text, ",\"fresh\":");
    members_hole(members, HOLE_FRESH, 0);
    text_builder_add(text, ",\"met\":");
    members_hole(members, HOLE_MET, 0);
    text_builder_add(text, "},\"voter\":");
    members_hole(members, HOLE_VOTER, 0);
}

static void members_write_member(struct members *members, const struct facts *facts,
                                 uint32_t position)
{
    struct text_builder *text = &members->text;
    const struct member *member = &facts->view->members[position];
    const bool is_self = id_equal(&member->id, &facts->self->id);
    const bool coordinates = facts->coordinator != NULL &&
                             id_equal(&member->id, &facts->coordinator->id);
    char versions[VERSIONS_TEXT_MAX];

    text_builder_add(text, position == 0 ? "{\"name\":" : ",{\"name\":");
    text_builder_add_json(text, json_of_word(member->name));
    text_builder_add(text, ",\"id\":");
    text_builder_add_json(text, json_of_id(&member->id));
    text_builder_add(text, ",\"incarnation\":\"");
    text_builder_add_u64(text, member->incarnation);
    text_builder_add(text, "\",\"address\":");
    text_builder_add_json(text, json_of_address(&member->address));
    text_builder_add(text, ",\"age\":");
    text_builder_add_u64(text, member->age);
    text_builder_add(text, ",\"state\":");
    if (is_self) {
        text_builder_add(text, "\"alive\",\"silent\":false");
    } else {
        members_hole(members, HOLE_STATE, position);
        text_builder_add(text, ",\"silent\":");
        members_hole(members, HOLE_SILENT, position);
    }
    text_builder_add(text, ",\"behind\":");
    members_hole(members, HOLE_BEHIND, position);
    text_builder_format(text,
                        ",\"coordinator\":%s,\"drained\":%s,\"protocol\":\"%s\",\"heard_ms\":",
                        coordinates ? "true" : "false", member->drained ? "true" : "false",
                        versions_text(&member->versions, versions));
    if (is_self) {
        text_builder_add(text, "0");
    } else {
        members_hole(members, HOLE_HEARD_MS, position);
    }
    text_builder_add(text, ",\"tags\":");
    text_builder_add_json(text, json_of_tags(member_tags(member)));
    text_builder_add(text, "}");
}

static void members_write_gone(struct members *members, const struct facts *facts,
                               uint32_t position)
{
    struct text_builder *text = &members->text;
    const struct gone *gone = &facts->view->gone[position];

    text_builder_add(text, position == 0 ? "{\"name\":" : ",{\"name\":");
    text_builder_add_json(text, json_of_word(gone->name));
    text_builder_add(text, ",\"id\":");
    text_builder_add_json(text, json_of_id(&gone->id));
    text_builder_add(text, ",\"address\":");
    text_builder_add_json(text, json_of_address(&gone->address));
    text_builder_add(text, ",\"age\":");
    text_builder_add_u64(text, gone->age);
    text_builder_format(text, ",\"state\":\"%s\",\"reason\":\"%s\",\"verdict\":",
                        gone_state_text(gone->reason), gone_reason_text(gone->reason));
    text_builder_add_json(
        text, json_of_word(gone->verdict == VERDICT_NONE ? NULL : verdict_text(gone->verdict)));
    text_builder_add(text, ",\"since_ms\":");
    members_hole(members, HOLE_SINCE_MS, position);
    text_builder_add(text, "}");
}

static bool members_build(struct members *members, const struct facts *facts)
{
    text_builder_clear(&members->text);
    members->hole_count = 0;

    members_write_head(members, facts);
    text_builder_add(&members->text, ",\"members\":[");
    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        members_write_member(members, facts, i);
    }
    text_builder_add(&members->text, "],\"gone\":[");
    for (uint32_t i = 0; i < facts->view->gone_count; i++) {
        members_write_gone(members, facts, i);
    }
    text_builder_add(&members->text, "]}\n");

    members->cursor = facts->cursor;
    members->named = facts->coordinator != NULL;
    members->built = !members->text.failed;
    return members->built;
}

/* --- Filling the holes: once per answer --- */

static size_t word_write(char *to, const char *word)
{
    const size_t length = strlen(word);

    assert(length <= HOLE_BYTES_MAX);
    memcpy(to, word, length); /* NOLINT(bugprone-not-null-terminated-result): text follows. */
    return length;
}

/* A fixed word without anything to escape, or null. */
static size_t text_write(char *to, const char *text)
{
    if (text == NULL) {
        return word_write(to, "null");
    }
    size_t length = word_write(to, "\"");

    length += word_write(to + length, text);
    return length + word_write(to + length, "\"");
}

static size_t ago_write(char *to, uint64_t ms)
{
    return ms == NEVER_MS ? word_write(to, "null") : decimal_write(to, ms);
}

static size_t hole_write(char *to, const struct hole *hole, const struct facts *facts)
{
    switch (hole->kind) {
    case HOLE_ACKED:
        return decimal_write(to, facts->acked);
    case HOLE_ACTING:
        return word_write(to, facts->acting ? "true" : "false");
    case HOLE_ACTING_MS:
        return decimal_write(to, facts->acting_ms);
    case HOLE_ACTING_SAID_MS:
        return ago_write(to, facts->acting_said_ms);
    case HOLE_NEEDED:
        return decimal_write(to, facts->guard.needed);
    case HOLE_FRESH:
        return decimal_write(to, facts->guard.fresh);
    case HOLE_MET:
        return word_write(to, facts->guard.met ? "true" : "false");
    case HOLE_VOTER:
        return text_write(to, facts_voter_text(facts));
    case HOLE_STATE:
        return word_write(to, facts->peers[hole->position].verdict == VERDICT_NONE ? "\"alive\""
                                                                                   : "\"suspect\"");
    case HOLE_SILENT:
        return word_write(to, facts->silent[hole->position] ? "true" : "false");
    case HOLE_BEHIND:
        return word_write(to, facts->peers[hole->position].behind ? "true" : "false");
    case HOLE_HEARD_MS:
        return ago_write(to, facts->peers[hole->position].heard_ms_ago);
    case HOLE_SINCE_MS:
        return decimal_write(to, facts->gone_ms[hole->position]);
    }
    return 0;
}

struct document *members_render(struct members *members, const struct facts *facts,
                                struct document_pool *pool)
{
    if (!members->built || members->cursor != facts->cursor ||
        members->named != (facts->coordinator != NULL)) {
        if (!members_build(members, facts)) {
            return NULL;
        }
    }

    const struct text_builder *text = &members->text;
    struct document *document = document_new(pool,
                                             text->length + members->hole_count * HOLE_BYTES_MAX);
    if (document == NULL) {
        return NULL;
    }
    size_t taken = 0;
    size_t length = 0;
    for (size_t i = 0; i < members->hole_count; i++) {
        const struct hole *hole = &members->holes[i];
        memcpy(document->text + length, text->bytes + taken, hole->at - taken);
        length += hole->at - taken;
        taken = hole->at;
        length += hole_write(document->text + length, hole, facts);
    }
    memcpy(document->text + length, text->bytes + taken, text->length - taken);
    document->length = length + text->length - taken;
    assert(document->length <= document->size);
    return document;
}

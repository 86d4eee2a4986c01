#include "control/members.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "control/words.h"
#include "runtime/value.h"
#include "words/notice_text.h"
#include "words/terms_text.h"

enum {
    HOLE_BYTES_MAX = DECIMAL_DIGITS_MAX, /* no other word in a hole is longer */
    HOLES_MIN = 32,
};

void members_deinit(struct members *members)
{
    sheet_deinit(&members->text);
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

static void members_write_head(struct members *members, const struct facts *facts)
{
    struct sheet *text = &members->text;
    char policy[GUARD_TEXT_MAX];

    guard_text(&facts->guard.guard, policy);
    sheet_text(text, "{\"schema\":1,\"cluster\":");
    sheet_json(text, json_of_word(facts->config->cluster));
    sheet_text(text, ",\"self\":");
    sheet_json(text, json_of_word(facts->self->name));
    sheet_format(text, ",\"phase\":\"%s\",\"cursor\":\"", phase_text(facts->phase));
    sheet_u64(text, facts->cursor);
    sheet_text(text, "\",\"view\":{\"epoch\":\"");
    sheet_u64(text, facts->view->epoch);
    sheet_text(text, "\",\"version\":\"");
    sheet_u64(text, facts->view->version);
    sheet_text(text, "\",\"acked\":");
    members_hole(members, HOLE_ACKED, 0);
    sheet_text(text, "},\"coordinator\":");
    sheet_json(text, json_of_word(facts->coordinator == NULL ? NULL : facts->coordinator->name));
    sheet_text(text, ",\"acting\":");
    members_hole(members, HOLE_ACTING, 0);
    sheet_format(text, ",\"guard\":{\"policy\":\"%s\",\"size\":", policy);
    sheet_json(text, json_of_guard_size(&facts->guard.guard));
    sheet_text(text, ",\"needed\":");
    members_hole(members, HOLE_NEEDED, 0);
    sheet_text(text, ",\"fresh\":");
    members_hole(members, HOLE_FRESH, 0);
    sheet_text(text, ",\"met\":");
    members_hole(members, HOLE_MET, 0);
    sheet_text(text, "}");
}

static void members_write_member(struct members *members, const struct facts *facts,
                                 uint32_t position)
{
    struct sheet *text = &members->text;
    const struct member *member = &facts->view->members[position];
    const bool is_self = id_equal(&member->id, &facts->self->id);
    const bool coordinates = facts->coordinator != NULL &&
                             id_equal(&member->id, &facts->coordinator->id);

    sheet_text(text, position == 0 ? "{\"name\":" : ",{\"name\":");
    sheet_json(text, json_of_word(member->name));
    sheet_text(text, ",\"id\":");
    sheet_json(text, json_of_id(&member->id));
    sheet_text(text, ",\"incarnation\":\"");
    sheet_u64(text, member->incarnation);
    sheet_text(text, "\",\"address\":");
    sheet_json(text, json_of_address(&member->address));
    sheet_text(text, ",\"age\":");
    sheet_u64(text, member->age);
    sheet_text(text, ",\"state\":");
    if (is_self) {
        sheet_text(text, "\"alive\"");
    } else {
        members_hole(members, HOLE_STATE, position);
    }
    sheet_format(text, ",\"coordinator\":%s,\"heard_ms\":", coordinates ? "true" : "false");
    if (is_self) {
        sheet_text(text, "0");
    } else {
        members_hole(members, HOLE_HEARD_MS, position);
    }
    sheet_text(text, ",\"tags\":");
    sheet_json(text, json_of_tags(&member->tags));
    sheet_text(text, "}");
}

static void members_write_gone(struct members *members, const struct facts *facts,
                               uint32_t position)
{
    struct sheet *text = &members->text;
    const struct gone *gone = &facts->view->gone[position];

    sheet_text(text, position == 0 ? "{\"name\":" : ",{\"name\":");
    sheet_json(text, json_of_word(gone->name));
    sheet_text(text, ",\"id\":");
    sheet_json(text, json_of_id(&gone->id));
    sheet_text(text, ",\"address\":");
    sheet_json(text, json_of_address(&gone->address));
    sheet_text(text, ",\"age\":");
    sheet_u64(text, gone->age);
    sheet_format(text,
                 ",\"state\":\"%s\",\"reason\":\"%s\",\"verdict\":", gone_state_word(gone->reason),
                 gone_reason_text(gone->reason));
    sheet_json(text,
               json_of_word(gone->verdict == VERDICT_NONE ? NULL : verdict_text(gone->verdict)));
    sheet_text(text, ",\"since_ms\":");
    members_hole(members, HOLE_SINCE_MS, position);
    sheet_text(text, "}");
}

static bool members_build(struct members *members, const struct facts *facts)
{
    sheet_clear(&members->text);
    members->hole_count = 0;

    members_write_head(members, facts);
    sheet_text(&members->text, ",\"members\":[");
    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        members_write_member(members, facts, i);
    }
    sheet_text(&members->text, "],\"gone\":[");
    for (uint32_t i = 0; i < facts->view->gone_count; i++) {
        members_write_gone(members, facts, i);
    }
    sheet_text(&members->text, "]}\n");

    members->cursor = facts->cursor;
    members->built = !members->text.failed;
    return members->built;
}

/* --- Filling the holes: once per answer --- */

static size_t word_write(char *to, const char *word)
{
    const size_t length = strlen(word);

    assert(length <= HOLE_BYTES_MAX);
    memcpy(to, word, length);
    return length;
}

static size_t hole_write(char *to, const struct hole *hole, const struct facts *facts)
{
    switch (hole->kind) {
    case HOLE_ACKED:
        return decimal_write(to, facts->acked);
    case HOLE_ACTING:
        return word_write(to, facts->acting ? "true" : "false");
    case HOLE_NEEDED:
        return decimal_write(to, facts->guard.needed);
    case HOLE_FRESH:
        return decimal_write(to, facts->guard.fresh);
    case HOLE_MET:
        return word_write(to, facts->guard.met ? "true" : "false");
    case HOLE_STATE:
        return word_write(to, facts->peers[hole->position].verdict == VERDICT_NONE ? "\"alive\""
                                                                                   : "\"suspect\"");
    case HOLE_HEARD_MS:
        if (facts->peers[hole->position].heard_ms_ago == NEVER_MS) {
            return word_write(to, "null");
        }
        return decimal_write(to, facts->peers[hole->position].heard_ms_ago);
    case HOLE_SINCE_MS:
        return decimal_write(to, facts->gone_ms[hole->position]);
    }
    return 0;
}

struct document *members_render(struct members *members, const struct facts *facts,
                                struct shelf *shelf)
{
    if (!members->built || members->cursor != facts->cursor) {
        if (!members_build(members, facts)) {
            return NULL;
        }
    }

    const struct sheet *text = &members->text;
    struct document *document = document_new(shelf,
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

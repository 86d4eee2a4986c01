#include "cli/print/member_field.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/request/document.h"

enum { TEXT_MAX = MEMBER_FIELD_TEXT_MAX };

#define TAG_PREFIX "tag."

/* `name` is that of the field, for the fields that stand for many. */
typedef enum tone write_fn(char text[TEXT_MAX], const struct member_row *row, const char *name);

struct field_kind {
    const char *name; /* with a dot at its end: a key follows */
    bool is_number;
    write_fn *write;
};

const char *member_state(const json_t *entry)
{
    const char *state = document_text(entry, "state", "?");

    if (strcmp(state, "alive") == 0 && document_is_true(entry, "silent")) {
        return "silent";
    }
    if (strcmp(state, "alive") == 0 && document_is_true(entry, "behind")) {
        return "behind";
    }
    return document_text(entry, "reason", state);
}

static bool is_self(const struct member_row *row)
{
    return !row->is_gone && strcmp(document_text(row->entry, "name", "?"),
                                   document_text(row->document, "self", "")) == 0;
}

/* --- Fields of the document --- */

/* Numbers of 64 bits are texts there. */
static enum tone write_as_it_is(char text[TEXT_MAX], const struct member_row *row, const char *name)
{
    const json_t *value = json_object_get(row->entry, name);

    if (json_is_integer(value)) {
        snprintf(text, TEXT_MAX, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else {
        snprintf(text, TEXT_MAX, "%s", document_text(row->entry, name, ""));
    }
    return TONE_PLAIN;
}

static enum tone write_state(char text[TEXT_MAX], const struct member_row *row, const char *name)
{
    const char *state = member_state(row->entry);

    (void)name;
    snprintf(text, TEXT_MAX, "%s", state);
    if (row->is_gone) {
        return strcmp(state, "left") == 0 ? TONE_FAINT : TONE_BAD;
    }
    return strcmp(state, "alive") == 0 ? TONE_GOOD : TONE_DOUBTFUL;
}

/* --- Times --- */

static enum tone write_heard(char text[TEXT_MAX], const struct member_row *row, const char *name)
{
    char duration[DURATION_TEXT_MAX];

    (void)name;
    if (row->is_gone) {
        text[0] = '\0';
        return TONE_PLAIN;
    }
    if (is_self(row) || !document_has(row->entry, "heard_ms")) {
        snprintf(text, TEXT_MAX, "%s", is_self(row) ? "-" : "not yet");
        return TONE_FAINT;
    }
    duration_text(duration, document_number(row->entry, "heard_ms"));
    snprintf(text, TEXT_MAX, "%s", duration);
    return TONE_PLAIN;
}

static enum tone write_since(char text[TEXT_MAX], const struct member_row *row, const char *name)
{
    char duration[DURATION_TEXT_MAX] = "";

    (void)name;
    if (document_has(row->entry, "since_ms")) {
        duration_text(duration, document_number(row->entry, "since_ms"));
    }
    snprintf(text, TEXT_MAX, "%s", duration);
    return TONE_PLAIN;
}

/* --- Parts of the address: "127.0.0.1:7420", "[::1]:7420" --- */

static enum tone write_host(char text[TEXT_MAX], const struct member_row *row, const char *name)
{
    const char *address = document_text(row->entry, "address", "");
    const char *colon = strrchr(address, ':');
    size_t length = colon == NULL ? strlen(address) : (size_t)(colon - address);

    (void)name;
    if (length >= 2 && address[0] == '[' && address[length - 1] == ']') {
        address++;
        length -= 2;
    }
    snprintf(text, TEXT_MAX, "%.*s", (int)length, address);
    return TONE_PLAIN;
}

static enum tone write_port(char text[TEXT_MAX], const struct member_row *row, const char *name)
{
    const char *colon = strrchr(document_text(row->entry, "address", ""), ':');

    (void)name;
    snprintf(text, TEXT_MAX, "%s", colon == NULL ? "" : colon + 1);
    return TONE_PLAIN;
}

/* --- Tags --- */

/* "rack=a zone=b"; empty without tags. */
static enum tone write_tags(char text[TEXT_MAX], const struct member_row *row, const char *name)
{
    json_t *tags = json_object_get(row->entry, "tags");
    size_t length = 0;
    const char *key = NULL;
    json_t *value = NULL;

    (void)name;
    text[0] = '\0';
    json_object_foreach(tags, key, value)
    {
        const int more = snprintf(text + length, TEXT_MAX - length, "%s%s=%s",
                                  length == 0 ? "" : " ", key, json_string_value(value));
        if (more < 0 || (size_t)more >= TEXT_MAX - length) {
            break;
        }
        length += (size_t)more;
    }
    return TONE_PLAIN;
}

static enum tone write_tag(char text[TEXT_MAX], const struct member_row *row, const char *name)
{
    const json_t *tags = json_object_get(row->entry, "tags");

    snprintf(text, TEXT_MAX, "%s", document_text(tags, name + strlen(TAG_PREFIX), ""));
    return TONE_PLAIN;
}

/* --- What a member is to this node --- */

/* Whether another coordinator acts only that one knows. */
static enum tone write_role(char text[TEXT_MAX], const struct member_row *row, const char *name)
{
    const json_t *guard = json_object_get(row->document, "guard");
    const bool self = is_self(row);
    const char *drained = document_is_true(row->entry, "drained") ? "drained" : "";
    const char *comma = drained[0] != '\0' ? ", " : "";

    (void)name;
    if (!document_is_true(row->entry, "coordinator")) {
        snprintf(text, TEXT_MAX, "%s%s%s", drained, self ? comma : "", self ? "this node" : "");
        return TONE_PLAIN;
    }
    if (!self || document_is_true(row->document, "acting")) {
        snprintf(text, TEXT_MAX, "coordinator%s%s%s", comma, drained, self ? ", this node" : "");
        return TONE_PLAIN;
    }
    if (document_guard_is_met(row->document)) {
        snprintf(text, TEXT_MAX, "coordinator, not acting%s%s, this node", comma, drained);
        return TONE_DOUBTFUL;
    }
    snprintf(text, TEXT_MAX, "coordinator, not acting (%" PRIu64 " of %" PRIu64 ")%s%s, this node",
             document_number(guard, "fresh"), document_number(guard, "needed"), comma, drained);
    return TONE_DOUBTFUL;
}

/* --- All of them --- */

/* MEMBER_FIELD_NAMES lists them for people. */
static const struct field_kind kinds[] = {
    {"name", false, write_as_it_is},       {"address", false, write_as_it_is},
    {"host", false, write_host},           {"port", true, write_port},
    {"age", true, write_as_it_is},         {"state", false, write_state},
    {"heard", true, write_heard},          {"heard_ms", true, write_as_it_is},
    {"since", true, write_since},          {"since_ms", true, write_as_it_is},
    {"role", false, write_role},           {"tags", false, write_tags},
    {TAG_PREFIX, false, write_tag},        {"id", false, write_as_it_is},
    {"incarnation", true, write_as_it_is}, {"protocol", false, write_as_it_is},
};

bool member_field_parse(struct member_field *field, const char *name, size_t length)
{
    if (length >= sizeof field->name) {
        return false;
    }
    snprintf(field->name, sizeof field->name, "%.*s", (int)length, name);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const size_t known = strlen(kinds[i].name);
        const bool has_key = kinds[i].name[known - 1] == '.';
        if (has_key ? length > known && strncmp(field->name, kinds[i].name, known) == 0 &&
                          strcspn(field->name, " =") == length /* as no key of a tag has */
                    : strcmp(field->name, kinds[i].name) == 0) {
            field->kind = &kinds[i];
            return true;
        }
    }
    return false;
}

bool member_field_is_number(const struct member_field *field)
{
    return field->kind->is_number;
}

enum tone member_field_text(char text[MEMBER_FIELD_TEXT_MAX], const struct member_field *field,
                            const struct member_row *row)
{
    return field->kind->write(text, row, field->name);
}

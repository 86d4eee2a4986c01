#include "control/text/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "control/text/text_builder.h"
#include "words/address_text.h"
#include "words/id_text.h"

bool json_put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

bool json_is_quoted_number(const json_t *value)
{
    return text_is_number(json_string_value(value));
}

json_t *json_finished(json_t *value, bool complete)
{
    if (complete) {
        return value;
    }
    json_decref(value);
    return NULL;
}

/* The parser quotes the input; only where it stopped is repeated. */
json_t *json_of_body(const char *body, size_t length, char *why, size_t size)
{
    json_error_t error;
    json_t *value = length == 0 ? NULL : json_loadb(body, length, JSON_REJECT_DUPLICATES, &error);

    if (length == 0) {
        snprintf(why, size, "the request has no body");
    } else if (value == NULL) {
        snprintf(why, size, "%s line %d, column %d",
                 json_error_code(&error) == json_error_duplicate_key
                     ? "the body has a key twice, by"
                     : "the body is not JSON: it goes wrong in",
                 error.line, error.column);
    }
    return value;
}

const char *json_unknown_key(json_t *object, const char *const *known, size_t count)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        size_t at = 0;
        while (at < count && !text_equal(key, known[at])) {
            at++;
        }
        if (at == count) {
            return key;
        }
    }
    return NULL;
}

json_t *json_of_text(const char *text, size_t length)
{
    json_t *value = json_stringn(text, length);
    if (value != NULL) {
        return value;
    }

    char *mended = malloc(length + 1);
    if (mended == NULL) {
        return NULL;
    }
    for (size_t at = 0; at < length;) {
        const size_t bytes = utf8_character_bytes(text + at, length - at);
        if (bytes == 0) {
            mended[at++] = '?';
            continue;
        }
        memcpy(mended + at, text + at, bytes);
        at += bytes;
    }
    value = json_stringn(mended, length);
    free(mended);
    return value;
}

json_t *json_of_word(const char *word)
{
    return word == NULL ? json_null() : json_of_text(word, strlen(word));
}

json_t *json_of_id(const struct node_id *id)
{
    char text[ID_TEXT_MAX];
    return json_string(id_text(id, text));
}

json_t *json_of_address(const struct address *address)
{
    char text[ADDRESS_TEXT_MAX];
    return address_is_none(address) ? json_null() : json_string(address_text(address, text));
}

json_t *json_of_number(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

json_t *json_of_u64(uint64_t value)
{
    char digits[DECIMAL_DIGITS_MAX];
    return json_stringn(digits, decimal_write(digits, value));
}

json_t *json_of_guard_size(const struct guard *guard)
{
    return guard->policy == GUARD_MAJORITY ? json_of_number(guard->count) : json_null();
}

json_t *json_of_lineage(uint64_t lineage)
{
    return json_sprintf("%016" PRIx64, lineage);
}

json_t *json_of_tags(const struct tags *tags)
{
    json_t *object = json_object();
    const size_t end = tags->length < TAGS_BYTES_MAX ? tags->length : TAGS_BYTES_MAX;

    for (size_t at = 0; object != NULL && at < end;) {
        const char *tag = tags->text + at;
        const size_t length = text_length(tag, end - at);
        const char *equals = memchr(tag, '=', length);
        const size_t key_length = equals == NULL ? length : (size_t)(equals - tag);
        const size_t value_at = equals == NULL ? length : key_length + 1;

        json_t *key = json_of_text(tag, key_length);
        json_t *value = json_of_text(tag + value_at, length - value_at);
        if (key == NULL || value == NULL) {
            json_decref(value);
            json_decref(object);
            object = NULL;
        } else if (json_object_set_new(object, json_string_value(key), value) != 0) {
            json_decref(object);
            object = NULL;
        }
        json_decref(key);
        at += length + 1;
    }
    return object;
}

#include "runtime/options/option_kinds.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "words/address_text.h"

bool option_print_text(const char *text, uint32_t index, char *out)
{
    if (index > 0 || text[0] == '\0') {
        return false;
    }
    snprintf(out, OPTION_TEXT_MAX, "%s", text);
    return true;
}

static void *value_in(const struct setting *option, struct partial_config *partial)
{
    return (char *)partial + option->into;
}

static const void *value_of(const struct setting *option, const struct config *config)
{
    return (const char *)config + option->from;
}

/* --- Texts --- */

bool option_print_field(const struct setting *option, const struct config *config, uint32_t index,
                        char *out)
{
    return option_print_text(value_of(option, config), index, out);
}

bool option_name_is_valid(const char *text)
{
    const size_t length = strlen(text);

    return length >= 1 && length <= NAME_BYTES_MAX && text[0] != '-' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               length;
}

static bool parse_name(const struct setting *option, struct partial_config *partial,
                       const char *text, struct complaint *complaint)
{
    assert(option->bytes == NAME_BYTES_MAX + 1);
    if (!option_name_is_valid(text)) {
        return complaint_set(complaint,
                             "'%.80s' is not a name: use 1 to %d of A-Z a-z 0-9 . _ -, no dash "
                             "first",
                             text, NAME_BYTES_MAX);
    }
    return text_set(value_in(option, partial), NAME_BYTES_MAX + 1, text, strlen(text));
}

const struct option_kind option_name = {.parse = parse_name, .print = option_print_field};

static bool parse_path(const struct setting *option, struct partial_config *partial,
                       const char *text, struct complaint *complaint)
{
    return value_path(text, value_in(option, partial), option->bytes, complaint);
}

const struct option_kind option_path = {.parse = parse_path, .print = option_print_field};

static bool parse_socket(const struct setting *option, struct partial_config *partial,
                         const char *text, struct complaint *complaint)
{
    return value_socket(text, value_in(option, partial), option->bytes, complaint);
}

const struct option_kind option_socket = {.parse = parse_socket, .print = option_print_field};

/* --- Addresses --- */

static bool parse_address(const struct setting *option, struct partial_config *partial,
                          const char *text, struct complaint *complaint)
{
    return value_address(text, CONFIG_PORT_DEFAULT, value_in(option, partial), complaint);
}

bool option_print_address(const struct setting *option, const struct config *config, uint32_t index,
                          char *out)
{
    char text[ADDRESS_TEXT_MAX];

    return option_print_text(address_text(value_of(option, config), text), index, out);
}

const struct option_kind option_address = {.parse = parse_address, .print = option_print_address};

/* --- Numbers --- */

static bool parse_number(const struct setting *option, struct partial_config *partial,
                         const char *text, struct complaint *complaint)
{
    return value_number(text, (uint32_t)option->min, (uint32_t)option->max,
                        value_in(option, partial), complaint);
}

static bool print_number(const struct setting *option, const struct config *config, uint32_t index,
                         char *out)
{
    const uint32_t *number = value_of(option, config);
    char text[16];

    snprintf(text, sizeof text, "%u", *number);
    return *number != 0 && option_print_text(text, index, out);
}

const struct option_kind option_number = {.parse = parse_number, .print = print_number};

static bool parse_duration(const struct setting *option, struct partial_config *partial,
                           const char *text, struct complaint *complaint)
{
    return value_duration(text, option->min, option->max, value_in(option, partial), complaint);
}

static bool print_duration(const struct setting *option, const struct config *config,
                           uint32_t index, char *out)
{
    const uint64_t *ms = value_of(option, config);
    char text[VALUE_DURATION_MAX];

    value_duration_print(*ms, text);
    return option_print_text(text, index, out);
}

const struct option_kind option_duration = {.parse = parse_duration, .print = print_duration};

/* --- Words --- */

/* An enum that the row's words are in the order of. */
static bool parse_word(const struct setting *option, struct partial_config *partial,
                       const char *text, struct complaint *complaint)
{
    size_t index = 0;

    if (!value_word(text, option->words, option->word_count, &index, complaint)) {
        return false;
    }
    unsigned value = (unsigned)(index + option->min);
    assert(option->bytes == sizeof value);
    memcpy(value_in(option, partial), &value, sizeof value);
    return true;
}

static bool print_word(const struct setting *option, const struct config *config, uint32_t index,
                       char *out)
{
    unsigned value;

    memcpy(&value, value_of(option, config), sizeof value);
    assert(value >= option->min && value - option->min < option->word_count);
    return option_print_text(option->words[value - option->min], index, out);
}

const struct option_kind option_word = {.parse = parse_word, .print = print_word};

static bool parse_switch(const struct setting *option, struct partial_config *partial,
                         const char *text, struct complaint *complaint)
{
    return value_switch(text, value_in(option, partial), complaint);
}

static bool print_switch(const struct setting *option, const struct config *config, uint32_t index,
                         char *out)
{
    const bool *on = value_of(option, config);

    return option_print_text(*on ? "yes" : "no", index, out);
}

const struct option_kind option_switch = {.parse = parse_switch, .print = print_switch};

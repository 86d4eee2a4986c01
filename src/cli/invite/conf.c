#include "cli/invite/conf.h"

#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies the text between the two without the blanks around it. False: it does not fit. */
static bool take(const char *from, const char *to, char *out, size_t size)
{
    while (from < to && is_blank(*from)) {
        from++;
    }
    while (to > from && is_blank(to[-1])) {
        to--;
    }
    const size_t length = (size_t)(to - from);
    if (length >= size) {
        return false;
    }
    memcpy(out, from, length);
    out[length] = '\0';
    return true;
}

/* Where a comment behind a value begins, or the end. */
static const char *end_of_value(const char *from, const char *to)
{
    for (const char *at = from; at < to; at++) {
        if (*at == ';' && at > from && is_blank(at[-1])) {
            return at;
        }
    }
    return to;
}

static bool read_line(const char *from, const char *to, struct conf_line *line)
{
    const char *equals = memchr(from, '=', (size_t)(to - from));

    while (from < to && is_blank(*from)) {
        from++;
    }
    if (from == to || *from == '#' || *from == ';' || equals == NULL || equals < from) {
        return false;
    }
    return take(from, equals, line->key, sizeof line->key) && line->key[0] != '\0' &&
           take(equals + 1, end_of_value(equals + 1, to), line->value, sizeof line->value);
}

bool conf_next(const char *text, struct conf_line *line)
{
    for (size_t at = line->end; text[at] != '\0'; at = line->end) {
        const size_t length = strcspn(text + at, "\n");

        line->begin = at;
        line->end = at + length + (text[at + length] == '\n' ? 1 : 0);
        if (read_line(text + at, text + at + length, line)) {
            return true;
        }
    }
    return false;
}

/* The next line with that key. */
static bool find(const char *text, const char *key, struct conf_line *line)
{
    while (conf_next(text, line)) {
        if (strcmp(line->key, key) == 0) {
            return true;
        }
    }
    return false;
}

bool conf_value(const char *text, const char *key, char out[CONF_VALUE_MAX])
{
    struct conf_line line = {.end = 0};

    if (!find(text, key, &line)) {
        return false;
    }
    memcpy(out, line.value, sizeof line.value);
    return true;
}

bool conf_has(const char *text, const char *key, const char *value)
{
    struct conf_line line = {.end = 0};

    while (find(text, key, &line)) {
        if (strcmp(line.value, value) == 0) {
            return true;
        }
    }
    return false;
}

size_t conf_count(const char *text, const char *key)
{
    struct conf_line line = {.end = 0};
    size_t count = 0;

    while (find(text, key, &line)) {
        count++;
    }
    return count;
}

/* Puts the line in place of the bytes from `begin` to `end`. */
static bool put(char text[CONF_TEXT_MAX], size_t begin, size_t end, const char *key,
                const char *value)
{
    const bool after_half_line = begin > 0 && text[begin - 1] != '\n';
    const size_t rest = strlen(text + end) + 1;
    char made[CONF_KEY_MAX + CONF_VALUE_MAX + 8];

    const int length = snprintf(made, sizeof made, "%s%s = %s\n", after_half_line ? "\n" : "", key,
                                value);
    if (length < 0 || (size_t)length >= CONF_VALUE_MAX ||
        begin + (size_t)length + rest > CONF_TEXT_MAX || strchr(value, '\n') != NULL ||
        end_of_value(made, made + length) != made + length) {
        return false;
    }
    memmove(text + begin + (size_t)length, text + end, rest);
    memcpy(text + begin, made, (size_t)length);
    return true;
}

bool conf_add(char text[CONF_TEXT_MAX], const char *key, const char *value)
{
    return put(text, strlen(text), strlen(text), key, value);
}

bool conf_add_beside(char text[CONF_TEXT_MAX], const char *key, const char *value)
{
    struct conf_line line = {.end = 0};
    size_t at = strlen(text);

    while (find(text, key, &line)) {
        at = line.end;
    }
    return put(text, at, at, key, value);
}

bool conf_change(char text[CONF_TEXT_MAX], const char *key, const char *value)
{
    struct conf_line line = {.end = 0};

    return find(text, key, &line) && put(text, line.begin, line.end, key, value);
}

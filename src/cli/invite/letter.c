#include "cli/invite/letter.h"

#include <stdio.h>
#include <string.h>

#include "cli/invite/place.h"
#include "seal/keyring.h"

static const char *const shared[] = {
    "cluster",    "seed",          "guard",    "size",
    "voters",     "voters-target", "capacity", "profile",
    "heartbeat",  "fail-after",    "detect",   "watchers",
    "partitions", "backups",       "election", "bootstrap-expect",
};

/* Does a key of the configuration say the same on all nodes, so that a joiner is told it? */
static bool is_shared(const char *key)
{
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        if (strcmp(shared[i], key) == 0) {
            return true;
        }
    }
    return false;
}

bool letter_name_is_good(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const size_t length = strlen(name);

    return length > 0 && length < LETTER_NAME_MAX && name[0] != '-' &&
           strspn(name, allowed) == length;
}

/* --- Writing -------------------------------------------------------------------------------- */

static size_t written(int length)
{
    return length > 0 && length < LETTER_TEXT_MAX ? (size_t)length : 0;
}

size_t letter_write_ask(const struct letter_ask *ask, char out[LETTER_TEXT_MAX])
{
    return written(
        snprintf(out, LETTER_TEXT_MAX, "name = %s\naddress = %s\n", ask->name, ask->address));
}

static bool add_keys(const char *keys, char text[CONF_TEXT_MAX])
{
    while (*keys != '\0') {
        keys += strspn(keys, " \t");
        const size_t length = strcspn(keys, "\n");
        char key[CONF_VALUE_MAX];

        if (length > 0 && keys[0] != '#') {
            snprintf(key, sizeof key, "%.*s", length < sizeof key ? (int)length : 0, keys);
            if (!conf_add(text, "key", key)) {
                return false;
            }
        }
        keys += length + (keys[length] == '\n' ? 1 : 0);
    }
    return true;
}

static bool add_settings(const char *conf, char text[CONF_TEXT_MAX])
{
    struct conf_line line = {.end = 0};

    while (conf_next(conf, &line)) {
        if (is_shared(line.key) && !conf_add(text, line.key, line.value)) {
            return false;
        }
    }
    return true;
}

size_t letter_write_answer(const struct letter_answer *answer, char out[LETTER_TEXT_MAX])
{
    char text[CONF_TEXT_MAX] = "";

    if (answer->refusal[0] != '\0') {
        return written(snprintf(out, LETTER_TEXT_MAX, "refused = %.180s\n", answer->refusal));
    }
    const bool fits = add_keys(answer->keys, text) && add_settings(answer->conf, text);
    const size_t length =
        fits ? written(snprintf(out, LETTER_TEXT_MAX, "%.*s", LETTER_TEXT_MAX, text)) : 0;
    secret_wipe(text, sizeof text);
    return length;
}

/* --- Reading -------------------------------------------------------------------------------- */

/* As text with a zero. False: there is one in it, or it is too long. */
static bool text_of(const void *bytes, size_t length, char text[LETTER_TEXT_MAX + 1])
{
    if (length > LETTER_TEXT_MAX || memchr(bytes, '\0', length) != NULL) {
        return false;
    }
    memcpy(text, bytes, length);
    text[length] = '\0';
    return true;
}

static bool is_printable(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text < ' ' || *text > '~') {
            return false;
        }
    }
    return true;
}

/* The number of a host, with or without a port. */
static bool is_address(const char *text)
{
    char host[PLACE_HOST_MAX];
    uint16_t port;

    return strlen(text) < LETTER_ADDRESS_MAX && place_split(text, DOYEND_PORT, host, &port) &&
           !place_is_wildcard(host) && place_is_number(host);
}

bool letter_read_ask(struct letter_ask *ask, const void *bytes, size_t length)
{
    char text[LETTER_TEXT_MAX + 1];
    char value[CONF_VALUE_MAX];

    if (!text_of(bytes, length, text) || !conf_value(text, "name", value) ||
        !letter_name_is_good(value)) {
        return false;
    }
    snprintf(ask->name, sizeof ask->name, "%.63s", value);
    if (!conf_value(text, "address", value) || !is_address(value)) {
        return false;
    }
    snprintf(ask->address, sizeof ask->address, "%.63s", value);
    return true;
}

static bool read_key(struct letter_answer *answer, const char *key)
{
    const size_t used = strlen(answer->keys);
    const size_t room = sizeof answer->keys - used;
    const int length = snprintf(answer->keys + used, room, "%s\n", key);

    return length > 0 && (size_t)length < room;
}

bool letter_read_answer(struct letter_answer *answer, const void *bytes, size_t length)
{
    struct conf_line line = {.end = 0};
    char text[LETTER_TEXT_MAX + 1];
    bool good = text_of(bytes, length, text);

    memset(answer, 0, sizeof *answer);
    while (good && conf_next(text, &line)) {
        if (!is_printable(line.value)) {
            good = false;
        } else if (strcmp(line.key, "refused") == 0) {
            snprintf(answer->refusal, sizeof answer->refusal, "%s", line.value);
        } else if (strcmp(line.key, "key") == 0) {
            good = read_key(answer, line.value);
        } else if (is_shared(line.key)) {
            good = conf_add(answer->conf, line.key, line.value);
        } /* What a later version tells besides is no harm. */
    }
    secret_wipe(text, sizeof text);
    secret_wipe(&line, sizeof line);
    return good && (answer->refusal[0] != '\0' || answer->keys[0] != '\0');
}

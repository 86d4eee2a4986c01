#include "runtime/options/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "usage/line.h"
#include "words/address_text.h"

bool complaint_set(struct complaint *complaint, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(complaint->text, sizeof complaint->text, format, arguments);
    va_end(arguments);
    line_hide_keys(complaint->text);
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Parses digits at `*text` and moves it behind them. Returns false when there are none, or when the
 * number is larger than any value can be. */
static bool digits(const char **text, uint64_t *out)
{
    uint64_t number = 0;

    if (!is_digit(**text)) {
        return false;
    }
    for (; is_digit(**text); (*text)++) {
        number = number * 10 + (uint64_t)(**text - '0');
        if (number > UINT32_MAX) {
            return false;
        }
    }
    *out = number;
    return true;
}

struct unit {
    const char *name;
    uint64_t ms;
};

/* Largest first. */
static const struct unit units[] = {{"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1}};
enum { UNIT_COUNT = sizeof units / sizeof units[0] };

/* Of a number alone, one or two durations that may have been meant: "5ms or 5s". False: none may.
 */
static bool with_units(uint64_t number, uint64_t min_ms, uint64_t max_ms, char out[64])
{
    unsigned count = 0;

    out[0] = '\0';
    for (size_t i = UNIT_COUNT; i-- > 0 && count < 2;) {
        const uint64_t ms = number * units[i].ms;
        if (ms >= min_ms && ms <= max_ms) {
            const size_t used = strlen(out);
            snprintf(out + used, 64 - used, "%s%llu%s", count++ > 0 ? " or " : "",
                     (unsigned long long)number, units[i].name);
        }
    }
    return count > 0;
}

static bool complain_of_bounds(const char *text, const char *fault, uint64_t min_ms,
                               uint64_t max_ms, struct complaint *complaint)
{
    char least[VALUE_DURATION_MAX];
    char most[VALUE_DURATION_MAX];

    value_duration_print(min_ms, least);
    value_duration_print(max_ms, most);
    return complaint_set(complaint, "'%.60s' %s: choose between %s and %s", text, fault, least,
                         most);
}

/* The length of a whole number at the beginning of the text, however long, with a minus if it has
 * one; 0: there is none. */
static size_t whole_number_length(const char *text)
{
    const size_t sign = text[0] == '-' ? 1 : 0;
    const size_t count = strspn(text + sign, "0123456789");

    return count == 0 ? 0 : sign + count;
}

static bool is_unit(const char *text)
{
    size_t i = 0;

    while (i < UNIT_COUNT && !text_equal(text, units[i].name)) {
        i++;
    }
    return i < UNIT_COUNT;
}

bool value_duration(const char *text, uint64_t min_ms, uint64_t max_ms, uint64_t *out_ms,
                    struct complaint *complaint)
{
    const char *at = text;
    uint64_t number = 0;

    if (!digits(&at, &number)) {
        const size_t length = whole_number_length(text);
        return length > 0 && is_unit(text + length)
                   ? complain_of_bounds(text, "is out of bounds", min_ms, max_ms, complaint)
                   : complaint_set(complaint, "'%.60s' is not a duration: write 250ms, 2s or 1m",
                                   text);
    }
    if (*at == '\0') {
        char meant[64];
        return with_units(number, min_ms, max_ms, meant)
                   ? complaint_set(complaint, "'%.60s' has no unit: write %s", text, meant)
                   : complain_of_bounds(text, "has no unit", min_ms, max_ms, complaint);
    }
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (text_equal(at, units[i].name)) {
            const uint64_t ms = number * units[i].ms;
            if (ms < min_ms || ms > max_ms) {
                return complain_of_bounds(text, "is out of bounds", min_ms, max_ms, complaint);
            }
            *out_ms = ms;
            return true;
        }
    }
    return complaint_set(complaint, "'%.60s' is not a duration: use whole numbers of ms, s, m or h",
                         text);
}

void value_duration_print(uint64_t ms, char out[VALUE_DURATION_MAX])
{
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (ms % units[i].ms == 0 && (ms >= units[i].ms || units[i].ms == 1)) {
            snprintf(out, VALUE_DURATION_MAX, "%llu%s", (unsigned long long)(ms / units[i].ms),
                     units[i].name);
            return;
        }
    }
}

bool value_number(const char *text, uint32_t min, uint32_t max, uint32_t *out,
                  struct complaint *complaint)
{
    const char *at = text;
    uint64_t number = 0;

    const bool read = digits(&at, &number);
    if (text[0] == '\0' || whole_number_length(text) != strlen(text)) {
        return complaint_set(complaint, "'%.60s' is not a number: write %u to %u", text, min, max);
    }
    if (!read || number < min || number > max) {
        return complaint_set(complaint, "'%.60s' is out of bounds: choose between %u and %u", text,
                             min, max);
    }
    *out = (uint32_t)number;
    return true;
}

bool value_word(const char *text, const char *const *words, size_t count, size_t *out,
                struct complaint *complaint)
{
    char list[160] = "";

    for (size_t i = 0; i < count; i++) {
        if (text_equal(text, words[i])) {
            *out = i;
            return true;
        }
        const char *joint = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", joint, words[i]);
    }

    const char *near = suggest_nearest(text, words, count);
    if (near != NULL) {
        return complaint_set(complaint, "unknown word '%.60s' (did you mean '%s'?): use %s", text,
                             near, list);
    }
    return complaint_set(complaint, "unknown word '%.60s': use %s", text, list);
}

bool value_switch(const char *text, bool *out, struct complaint *complaint)
{
    static const char *const words[] = {"yes", "no", "true", "false", "on", "off", "1", "0"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (text_equal(text, words[i])) {
            *out = i % 2 == 0;
            return true;
        }
    }
    return complaint_set(complaint, "'%.60s' is neither yes nor no: write one of them", text);
}

/* Could this be a host name or an address? Enough to find typing mistakes. */
static bool host_is_plausible(const char *host)
{
    for (const char *c = host; *c != '\0'; c++) {
        const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        if (!letter && !is_digit(*c) && strchr(".-_:", *c) == NULL) {
            return false;
        }
    }
    return true;
}

/* Is an IPv4 address meant: digits and dots alone? No host name ends in a number. */
static bool host_is_numeric(const char *host)
{
    const char *dot = strrchr(host, '.');
    const char *label = dot == NULL ? host : dot + 1;

    return text_is_number(label);
}

static bool port_parse(const char *text, uint16_t *out, struct complaint *complaint)
{
    const char *at = text;
    uint64_t number = 0;

    if (!digits(&at, &number) || *at != '\0' || number < 1 || number > UINT16_MAX) {
        return complaint_set(complaint, "'%.60s' is not a port: write 1 to 65535", text);
    }
    *out = (uint16_t)number;
    return true;
}

static bool host_check(const char *host, struct complaint *complaint)
{
    struct address address;

    if (address_needs_zone(host)) {
        return complaint_set(
            complaint,
            "'%.60s' is of one link, and has or needs a zone, which differs from host to "
            "host: name an address without, such as one of fd00::/8",
            host);
    }
    if (!host_is_plausible(host)) {
        return complaint_set(
            complaint, "'%.60s' is neither a host name nor an address: write HOST:PORT", host);
    }
    if (address_parse_host(host, 0, &address)) {
        return true;
    }
    if (strchr(host, ':') != NULL) {
        return complaint_set(complaint,
                             "'%.60s' is not an IPv6 address of use here: write HOST:PORT or "
                             "[V6]:PORT",
                             host);
    }
    if (strspn(host, "0123456789") == strlen(host)) {
        uint16_t port = 7420;
        struct complaint unsaid = {.exit_code = 0};
        (void)port_parse(host, &port, &unsaid);
        return complaint_set(complaint,
                             "'%.60s' is a number and no host: write HOST:PORT, as in "
                             "127.0.0.1:%u",
                             host, (unsigned)port);
    }
    if (host_is_numeric(host)) {
        return complaint_set(complaint,
                             "'%.60s' is not an IPv4 address: write four numbers from 0 to 255, as "
                             "in 10.0.0.5:7420",
                             host);
    }
    return true;
}

/* Splits "HOST:PORT". `*port` is NULL when there is none. Returns false when brackets do not pair.
 */
static bool endpoint_cut(const char *text, const char **host, size_t *host_length,
                         const char **port)
{
    *port = NULL;
    if (text[0] == '[') {
        const char *end = strchr(text, ']');
        if (end == NULL || (end[1] != '\0' && end[1] != ':')) {
            return false;
        }
        *host = text + 1;
        *host_length = (size_t)(end - *host);
        *port = end[1] == ':' ? end + 2 : NULL;
        return true;
    }

    const char *colon = strchr(text, ':');
    *host = text;
    *host_length = strlen(text);
    if (colon != NULL && strchr(colon + 1, ':') == NULL) {
        *host_length = (size_t)(colon - text);
        *port = colon + 1;
    }
    return true; /* With two colons and no bracket it is an IPv6 address alone. */
}

/* Is it an IPv6 address without brackets whose last group may be meant as a port? "::1:7420" is one
 * both with it and without it. */
static bool port_is_in_doubt(const char *text)
{
    const char *last = strrchr(text, ':');
    char shorter[CONFIG_HOST_MAX + 1];
    struct address address;

    return text[0] != '[' && last != NULL && last != strchr(text, ':') && last[1] != '\0' &&
           strspn(last + 1, "0123456789") == strlen(last + 1) &&
           text_set(shorter, sizeof shorter, text, (size_t)(last - text)) &&
           address_parse_host(shorter, 0, &address);
}

bool value_endpoint(const char *text, uint16_t port_default, struct endpoint *out,
                    struct complaint *complaint)
{
    const char *host = NULL;
    const char *port = NULL;
    size_t host_length = 0;

    if (!endpoint_cut(text, &host, &host_length, &port)) {
        return complaint_set(complaint,
                             "'%.60s' has a bracket too many or too few: write [V6]:PORT", text);
    }
    if (host_length == 0) {
        return complaint_set(complaint, "'%.60s' names no host: write HOST:PORT", text);
    }
    if (port_is_in_doubt(text)) {
        const char *last = strrchr(text, ':');
        return complaint_set(complaint,
                             "'%.60s' may end in a port or in the address: write [%.*s]:%s or [%s]",
                             text, (int)(last - text), text, last + 1, text);
    }
    if (!text_set(out->host, sizeof out->host, host, host_length)) {
        return complaint_set(complaint, "a host name of %zu bytes: use at most %d", host_length,
                             CONFIG_HOST_MAX);
    }
    if (!host_check(out->host, complaint)) {
        return false;
    }
    out->port = port_default;
    return port == NULL || port_parse(port, &out->port, complaint);
}

void value_endpoint_print(const struct endpoint *endpoint, char out[VALUE_ENDPOINT_MAX])
{
    const bool is_v6 = strchr(endpoint->host, ':') != NULL;

    snprintf(out, VALUE_ENDPOINT_MAX, is_v6 ? "[%s]:%u" : "%s:%u", endpoint->host,
             (unsigned)endpoint->port);
}

bool value_address(const char *text, uint16_t port_default, struct address *out,
                   struct complaint *complaint)
{
    struct endpoint endpoint = {.port = port_default};

    if (!value_endpoint(text, port_default, &endpoint, complaint)) {
        return false;
    }
    if (!address_parse_host(endpoint.host, endpoint.port, out)) {
        const unsigned sample = endpoint.port != 0 ? endpoint.port : CONFIG_PORT_DEFAULT;
        return complaint_set(complaint,
                             "'%.60s' is not an IP address of use here: write one, as in "
                             "127.0.0.1:%u or [::1]:%u",
                             endpoint.host, sample, sample);
    }
    if (!address_is_wildcard(out) && !address_is_of_one_host(out)) {
        return complaint_set(complaint, VALUE_NO_SINGLE_ADDRESS, text);
    }
    return true;
}

bool value_path(const char *text, char *out, size_t size, struct complaint *complaint)
{
    const size_t length = strlen(text);

    if (length == 0) {
        return complaint_set(complaint, "is empty: give a path");
    }
    if (line_is_key(text)) {
        return complaint_set(complaint, "is a key itself: write it into a file of mode 600, and "
                                        "give the path of that");
    }
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f) {
            return complaint_set(complaint,
                                 "the path has a control character in it: choose another");
        }
    }
    if (!text_set(out, size, text, length)) {
        return complaint_set(complaint, "a path of %zu bytes: use at most %zu", length, size - 1);
    }
    return true;
}

bool value_socket(const char *text, char *out, size_t size, struct complaint *complaint)
{
    if (strstr(text, "://") != NULL) {
        return complaint_set(complaint,
                             "'%.60s' is a URL, and this is the path of a Unix socket; over TCP "
                             "there is --http ADDR:PORT",
                             text);
    }
    return value_path(text, out, size, complaint);
}

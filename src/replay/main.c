/* doyen-replay: runs what doyend --record has recorded through the same core again, prints what it
 * decided, and says whether it ended in the same state. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/version.h"
#include "replay/listing.h"
#include "replay/print.h"
#include "replay/replay.h"
#include "usage/remedy.h"
#include "usage/usage.h"

#define PROGRAM "doyen-replay"

enum {
    EXIT_DIFFERS = 1,
    EXIT_BAD_FILE = 65,
    READ_AT_ONCE = 1 << 16,
};

struct order {
    const char *path;
    const char *reseal_path; /* NULL: none */
    char *from;              /* of --message; NULL: none was given */
    uint64_t message_number;
    bool messages;
    uint64_t until_ms;
    bool json;
    bool quiet;
};

/* --- The command line ------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "12.345", "12.345s" or "250ms": as the lines have it, in seconds, or with a unit. */
static bool parse_time(const char *text, uint64_t *out_ms)
{
    const char *at = text;
    uint64_t whole = 0;
    uint64_t part_ms = 0;

    for (; is_digit(*at) && whole <= UINT32_MAX; at++) {
        whole = whole * 10 + (uint64_t)(*at - '0');
    }
    if (at == text || whole > UINT32_MAX) {
        return false;
    }
    if (strcmp(at, "ms") == 0) {
        *out_ms = whole;
        return true;
    }
    if (*at == '.') {
        at++;
        for (uint64_t weight = 100; is_digit(*at); weight /= 10) {
            part_ms += weight * (uint64_t)(*at++ - '0');
        }
    }
    *out_ms = whole * 1000 + part_ms;
    return *at == '\0' || strcmp(at, "s") == 0;
}

/* "byzantium:12"; a sender without a name is given as the lines have it, "127.0.0.1:7421:12". */
static void parse_message(char *text, struct order *order)
{
    char *colon = strrchr(text, ':');
    char *end = NULL;

    errno = 0;
    if (colon != NULL && colon != text && is_digit(colon[1])) {
        order->message_number = strtoull(colon + 1, &end, 10);
    }
    if (end == NULL || *end != '\0' || errno != 0) {
        usage_refuse(PROGRAM,
                     "--message: '%s' is no message: write the sender and the number, as in "
                     "byzantium:12; --messages shows both",
                     text);
    }
    *colon = '\0';
    order->from = text;
    order->messages = true;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct order *order = state->input;

    switch (key) {
    case 'j':
        order->json = true;
        return 0;
    case 'q':
        order->quiet = true;
        return 0;
    case 'u':
        if (!parse_time(argument, &order->until_ms)) {
            usage_refuse(PROGRAM,
                         "--until: '%.80s' is not a time: write seconds, as in 12.345, or 250ms",
                         argument);
        }
        return 0;
    case 'm':
        order->messages = true;
        return 0;
    case 'n':
        parse_message(argument, order);
        return 0;
    case 'r':
        if (argument[0] == '\0') {
            usage_refuse(PROGRAM, "--reseal is empty: name the file to write");
        }
        order->reseal_path = argument;
        return 0;
    case 'h':
    case '?':
        usage_help(state);
    case 'V':
        puts("doyen-replay " DOYEN_VERSION);
        exit(usage_flush(PROGRAM));
    case ARGP_KEY_ARG:
        if (order->path != NULL) {
            usage_refuse(PROGRAM, "one recording at a time: leave out '%.80s'", argument);
        }
        order->path = argument;
        return 0;
    case ARGP_KEY_END:
        if (order->path == NULL || order->path[0] == '\0') {
            usage_refuse(PROGRAM, "which recording? Name the file that doyend --record wrote");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse(struct order *order, int argc, char **argv)
{
    static const struct argp_option options[] = {
        {.name = "json", .key = 'j', .doc = "Print JSON, one object per line"},
        {.name = "quiet", .key = 'q', .doc = "Print the last line only"},
        {.name = "messages",
         .key = 'm',
         .doc = "Print each message with all that came of it: refusal, effects, changes"},
        {.name = "message",
         .key = 'n',
         .arg = "FROM:NUMBER",
         .doc = "The same of that one message of that sender"},
        {.name = "until", .key = 'u', .arg = "TIME", .doc = "Stop after that many seconds"},
        {.name = "reseal",
         .key = 'r',
         .arg = "FILE",
         .doc = "Write the recording, as far as it was run, with the states of this run to FILE"},
        {.name = "help", .key = 'h', .doc = "Print this", .group = -1},
        {.name = "version", .key = 'V', .doc = "Print the version", .group = -1},
        {.key = '?', .flags = OPTION_HIDDEN}, /* The letter that argp has for help. */
        {.name = NULL},
    };
    const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "FILE",
        .doc = "Runs what doyend --record has recorded through the same core again."
               "\vExit: 0 the same state, 1 another one, 64 usage, 65 not a recording."};

    *order = (struct order){.until_ms = UINT64_MAX};
    usage_parse(&argp, PROGRAM, argc, argv, 0, order);
}

/* --- Files ----------------------------------------------------------------------------------- */

/* The whole file, the caller's to free; NULL, with errno set, when it cannot be had. */
static uint8_t *read_whole(FILE *file, size_t *length)
{
    uint8_t *bytes = NULL;
    size_t capacity = 0;

    *length = 0;
    do {
        if (capacity - *length < READ_AT_ONCE) {
            capacity = 2 * capacity + READ_AT_ONCE;
            uint8_t *larger = realloc(bytes, capacity);
            if (larger == NULL) {
                free(bytes);
                return NULL;
            }
            bytes = larger;
        }
        *length += fread(bytes + *length, 1, capacity - *length, file);
    } while (!feof(file) && !ferror(file));
    if (ferror(file)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* Opens a regular file; others may have no end, or never begin. NULL, with errno set, or with 0 in
 * it where there is something else. */
static FILE *open_regular(const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;

    if (descriptor < 0) {
        return NULL;
    }
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        return fdopen(descriptor, "rb");
    }
    close(descriptor);
    errno = 0;
    return NULL;
}

static uint8_t *read_file(const char *path, size_t *length)
{
    FILE *file = open_regular(path);

    if (file == NULL) {
        return NULL;
    }
    uint8_t *bytes = read_whole(file, length);
    const int error = errno;
    fclose(file);
    errno = error;
    return bytes;
}

/* --- The run --------------------------------------------------------------------------------- */

struct run {
    const struct order *order;
    struct printer printer;
    FILE *copy; /* NULL: none */
};

static void on_step(void *context, const struct replay_step *step)
{
    struct run *run = context;

    print_step(&run->printer, step);
}

static void on_listed(void *context, const struct replay_listed *listed)
{
    const struct run *run = context;

    listing_print(run->printer.out, run->printer.json, listed);
}

static void on_copy(void *context, const uint8_t *bytes, size_t length)
{
    struct run *run = context;

    (void)fwrite(bytes, 1, length, run->copy); /* asked about at the end */
}

static int complain(const struct order *order, const struct replay_outcome *outcome)
{
    const unsigned long long at = outcome->at;
    const unsigned long long seconds = outcome->at_ms / 1000;
    const unsigned thousandths = (unsigned)(outcome->at_ms % 1000);

    switch (outcome->verdict) {
    case REPLAY_SAME:
        return EXIT_SUCCESS;
    case REPLAY_DIFFERS:
        fprintf(stderr,
                "doyen-replay: %s: the first record that differs is the checkpoint at byte %llu, "
                "after input %llu (%llu.%03u s); after input %llu the state was the same",
                order->path, at, (unsigned long long)outcome->at_count, seconds, thousandths,
                (unsigned long long)outcome->checked_count);
        break;
    case REPLAY_REFUSED:
        fprintf(stderr,
                "doyen-replay: %s: the first record that differs is the message at byte %llu, "
                "input %llu (after %llu.%03u s), which this codec refuses",
                order->path, at, (unsigned long long)outcome->at_count + 1, seconds, thousandths);
        break;
    case REPLAY_UNREADABLE:
        fprintf(stderr, "doyen-replay: %s %s", order->path, recording_error_text(outcome->error));
        if (outcome->error == RECORDING_DAMAGED) {
            fprintf(stderr, " at or before byte %llu", at);
        }
        fputs(": give a file that doyend --record wrote\n", stderr);
        return EXIT_BAD_FILE;
    case REPLAY_NO_MEMORY:
        fprintf(stderr, "doyen-replay: %s: not enough memory\n", order->path);
        return EXIT_DIFFERS;
    }
    fprintf(stderr, "; doyend %s recorded it, this is %s\n", outcome->program, DOYEN_VERSION);
    return EXIT_DIFFERS;
}

static bool close_copy(FILE *copy, const char *path)
{
    const bool written = ferror(copy) == 0;

    if (fclose(copy) != 0 || !written) {
        fprintf(stderr, "doyen-replay: cannot write %s: %s: %s\n", path, strerror(errno),
                remedy_of_write(errno));
        return false;
    }
    return true;
}

static int run_bytes(struct run *run, const uint8_t *bytes, size_t length)
{
    const struct order *order = run->order;
    const struct replay_options options = {.until_ms = order->until_ms,
                                           .on_step = order->quiet ? NULL : on_step,
                                           .on_listed = order->quiet ? NULL : on_listed,
                                           .on_copy = run->copy == NULL ? NULL : on_copy,
                                           .context = run};
    const struct replay_outcome outcome = replay_run(bytes, length, &options);

    if (outcome.verdict != REPLAY_UNREADABLE && outcome.verdict != REPLAY_NO_MEMORY) {
        print_summary(&run->printer, &outcome);
    }
    if (usage_flush(PROGRAM) != EXIT_SUCCESS) {
        return EXIT_FAILURE;
    }
    if (outcome.gap && run->copy != NULL) {
        fprintf(
            stderr,
            "doyen-replay: %s begins with a gap: nothing can be said of its states, so %s is no "
            "recording to keep\n",
            order->path, order->reseal_path);
        return EXIT_DIFFERS;
    }
    return complain(order, &outcome);
}

static int run_file(const struct order *order, const uint8_t *bytes, size_t length)
{
    struct run run = {.order = order,
                      .printer = {.out = stdout,
                                  .json = order->json,
                                  .messages = order->messages,
                                  .from = order->from,
                                  .message_number = order->message_number}};

    run.printer.journal = journal_new();
    if (run.printer.journal == NULL) {
        fputs("doyen-replay: not enough memory\n", stderr);
        return EXIT_FAILURE;
    }
    if (order->reseal_path != NULL) {
        run.copy = fopen(order->reseal_path, "wbxe");
        if (run.copy == NULL) {
            fprintf(stderr, "doyen-replay: cannot make %.240s: %s: %s\n", order->reseal_path,
                    strerror(errno), remedy_of_write(errno));
            journal_free(run.printer.journal);
            return EXIT_FAILURE;
        }
    }
    int code = run_bytes(&run, bytes, length);
    if (run.copy != NULL && !close_copy(run.copy, order->reseal_path)) {
        code = EXIT_FAILURE;
    }
    journal_free(run.printer.journal);
    if (order->from != NULL && !run.printer.found && code == EXIT_SUCCESS) {
        fprintf(stderr,
                "doyen-replay: %s: no message %llu of %s: --messages shows those that there are; "
                "who was not known yet goes by its address\n",
                order->path, (unsigned long long)order->message_number, order->from);
        return EXIT_FAILURE;
    }
    return code;
}

int main(int argc, char **argv)
{
    struct order order;
    size_t length = 0;

    parse(&order, argc, argv);
    uint8_t *bytes = read_file(order.path, &length);
    if (bytes == NULL) {
        const int error = errno;
        fprintf(stderr, "doyen-replay: %s%s%s%s: give a file that doyend --record wrote\n",
                error == 0 ? "" : "cannot read ", order.path, error == 0 ? "" : ": ",
                error == 0 ? " is no regular file" : strerror(error));
        return EXIT_BAD_FILE;
    }
    const int code = run_file(&order, bytes, length);
    free(bytes);
    return code;
}

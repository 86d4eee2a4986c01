/* Throws bytes at the reading of recordings: they are replayed and printed in each form, as
 * doyen-replay does with a file that somebody sent. The core may be given any inputs in any order,
 * and nothing may break. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay/listing.h"
#include "replay/print.h"
#include "replay/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_step(void *context, const struct replay_step *step)
{
    print_step(context, step);
}

static void on_listed(void *context, const struct replay_listed *listed)
{
    const struct printer *printer = context;

    listing_print(printer->out, printer->json, listed);
}

static void on_copy(void *context, const uint8_t *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    (void)length;
}

static void replay(const uint8_t *data, size_t size, bool json, bool messages, FILE *out)
{
    struct printer printer = {
        .out = out, .json = json, .messages = messages, .journal = journal_new()};
    const struct replay_options options = {.until_ms = NEVER_MS,
                                           .on_step = on_step,
                                           .on_listed = on_listed,
                                           .on_copy = on_copy,
                                           .context = &printer};

    assert(printer.journal != NULL);
    const struct replay_outcome outcome = replay_run(data, size, &options);
    print_summary(&printer, &outcome);
    journal_free(printer.journal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *out = fopen("/dev/null", "we");

    assert(out != NULL);
    replay(data, size, false, false, out);
    replay(data, size, true, true, out);
    fclose(out);
    return 0;
}

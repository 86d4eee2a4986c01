/* Throws bytes at the configuration: they are a file, and what is accepted of it is printed and
 * read again, which must give the same. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/options/config_print.h"
#include "runtime/options/config_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- A machine that is always the same --- */

static const char *variable(void *context, const char *name)
{
    (void)context;
    (void)name;
    return NULL;
}

static const char *variable_at(void *context, size_t index)
{
    (void)context;
    (void)index;
    return NULL;
}

static bool host_name(void *context, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "athens");
    return true;
}

static size_t addresses(void *context, uint8_t family, struct address *out, size_t max)
{
    (void)context;
    (void)family;
    (void)out;
    (void)max;
    return 0;
}

static enum host_group group(void *context, const char *name, gid_t *out)
{
    (void)context;
    *out = 1;
    return name[0] == 'x' ? HOST_GROUP_UNKNOWN : HOST_GROUP_USABLE;
}

/* --- Reading --- */

/* Parses the file `fd`; `outcome` and `config` are filled in. */
static void parse(int fd, struct config *config, struct config_outcome *outcome)
{
    const struct config_host host = {.variable = variable,
                                     .variable_at = variable_at,
                                     .name = host_name,
                                     .addresses = addresses,
                                     .group = group};
    char program[] = "doyend";
    char option[] = "--config";
    char path[64];
    char *argv[] = {program, option, path, NULL};

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    config_parse(config, outcome, 3, argv, &host);
}

static int file_of(const void *bytes, size_t size)
{
    const int fd = memfd_create("config", MFD_CLOEXEC);

    assert(fd >= 0);
    assert(write(fd, bytes, size) == (ssize_t)size);
    return fd;
}

static char *printed(const struct config *config, const struct config_outcome *outcome,
                     size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);

    assert(out != NULL);
    config_print(out, config, outcome, PROGRAM_DOYEND);
    fclose(out);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config *first = calloc(2, sizeof *first);
    struct config_outcome *outcome = calloc(2, sizeof *outcome);
    size_t length = 0;
    size_t length_again = 0;

    assert(first != NULL && outcome != NULL);
    int fd = file_of(data, size);
    parse(fd, &first[0], &outcome[0]);
    close(fd);
    assert(outcome[0].action == CONFIG_RUN || outcome[0].message[0] != '\0');
    if (outcome[0].action == CONFIG_RUN) {
        char *text = printed(&first[0], &outcome[0], &length);
        fd = file_of(text, length);
        parse(fd, &first[1], &outcome[1]);
        close(fd);
        assert(outcome[1].action == CONFIG_RUN);
        /* All but where each value comes from. */
        char *again = printed(&first[1], &outcome[1], &length_again);
        assert(strncmp(first[0].name, first[1].name, sizeof first[0].name) == 0);
        assert(first[0].seed_count == first[1].seed_count);
        free(again);
        free(text);
    }
    free(outcome);
    free(first);
    return 0;
}

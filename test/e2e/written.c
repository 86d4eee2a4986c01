#include "written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

enum { LINE_LONGEST = 256 };

/* The line at `*at`, which goes on to the next one; false at the end, where one may be under way.
 */
static bool next_line(const char **at, struct written *out)
{
    const char *end = strchr(*at, '\n');

    if (end == NULL) {
        return false;
    }
    cr_assert_eq(sscanf(*at, "%llu %llu %63s %d\n", &out->at_ns, &out->epoch, out->node, &out->pid),
                 4, "%.*s", (int)(end - *at), *at);
    *at = end + 1;
    return true;
}

struct written written_last(const char *path)
{
    struct written last = {.epoch = 0};
    char text[2 * LINE_LONGEST + 1] = "";
    FILE *file = fopen(path, "re");

    if (file == NULL) {
        return last;
    }
    (void)fseek(file, -2L * LINE_LONGEST, SEEK_END); /* A shorter one is read from its beginning. */
    const bool is_begun = ftell(file) == 0;
    const size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    const char *at = text;
    if (!is_begun) {
        at = strchr(text, '\n');
        at = at == NULL ? text + length : at + 1;
    }
    while (next_line(&at, &last)) {
    }
    return last;
}

void assert_no_overlap(const char *path)
{
    char *text = file_read(path, NULL);
    const char *at = text;
    struct written before = {.epoch = 0};
    struct written now;
    unsigned long long latest_ns = 0;

    cr_assert(text != NULL, "nothing was written");
    while (next_line(&at, &now)) {
        cr_assert(now.epoch > before.epoch ||
                      (now.epoch == before.epoch && strcmp(now.node, before.node) == 0),
                  "%s wrote under epoch %llu after %s under %llu", now.node, now.epoch, before.node,
                  before.epoch);
        cr_assert(now.epoch == before.epoch || now.at_ns > latest_ns, "%s and %s wrote at one time",
                  now.node, before.node);
        latest_ns = now.at_ns > latest_ns ? now.at_ns : latest_ns;
        before = now;
    }
    free(text);
}

/* A store that refuses whoever acts no more: of two hosts that both believe to act, as one was
 * stopped and woken, only the later one is let in. Reads lines "EPOCH TEXT", as each writer sends
 * them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    uint64_t highest = 0; /* kept with what is stored, and written together with it */
    char line[4096];

    while (fgets(line, sizeof line, stdin) != NULL) {
        char *text;
        const uint64_t epoch = strtoull(line, &text, 10);

        if (epoch < highest) {
            printf("refused: epoch %" PRIu64 " is over, %" PRIu64 " is the highest seen\n", epoch,
                   highest);
        } else {
            highest = epoch;
            printf("stored:%s", text);
        }
        fflush(stdout);
    }
    return 0;
}

#include "daemon/recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/disk/voter_recovery.h"
#include "words/address_text.h"

enum { TIME_TEXT_MAX = 32 };

/* --- Telling --------------------------------------------------------------------------------- */

static const char *time_text(int64_t seconds, char out[TIME_TEXT_MAX])
{
    const time_t at = (time_t)seconds;
    struct tm parts;

    if (gmtime_r(&at, &parts) == NULL ||
        strftime(out, TIME_TEXT_MAX, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0) {
        snprintf(out, TIME_TEXT_MAX, "unknown");
    }
    return out;
}

static const char *change_text(const struct listed_voter *voter, bool joint)
{
    if (!joint || (voter->before && voter->now)) {
        return "";
    }
    return voter->now ? "  about to come" : "  about to go";
}

static void tell_voters(const struct voter_recovery *recovery)
{
    const struct voter_lists *lists = &recovery->view.voters;
    const bool joint = voter_lists_are_joint(lists);
    char address[ADDRESS_TEXT_MAX];

    for (uint8_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        printf("  %-14s %-12s %s%s%s\n", i == 0 ? "voters" : "", voter->name,
               address_is_none(&voter->address) ? "?" : address_text(&voter->address, address),
               id_equal(&voter->record, &recovery->file.record.id) ? "  this one" : "",
               change_text(voter, joint));
    }
}

static void tell_record(const struct voter_recovery *recovery)
{
    const struct view *view = &recovery->view;
    char time[TIME_TEXT_MAX];

    printf("%s/" VOTER_RECORD_FILE " is the record of %s, a voter of cluster %s:\n",
           recovery->config->state_dir, recovery->file.name, recovery->file.cluster);
    printf("  %-14s %016llx\n", "lineage", (unsigned long long)view->lineage);
    printf("  %-14s %llu.%llu, of %u members\n", "view", (unsigned long long)view->epoch,
           (unsigned long long)view->version, view->member_count);
    printf("  %-14s %s\n", "last written", time_text(recovery->former.written_s, time));
    tell_voters(recovery);
}

static void tell_what_follows(const struct voter_recovery *recovery)
{
    char others[VOTER_NAMES_MAX];

    printf("\nYou say that more than half of the voters are lost for good, and that none of\n"
           "%s runs, or will vote again.\n"
           "Recover where the view is the highest. Lost is what only the others have accepted\n"
           "since. Should they run all the same, they act beside this one until they meet it:\n"
           "then their history ends, and they join this one. What acts elsewhere has to compare\n"
           "epochs.\n\n"
           "This record is kept as " VOTER_RECORD_FILE ".old. In its place comes one by which %s\n"
           "votes alone, in another history.\n",
           voter_recovery_others(recovery, others), recovery->file.name);
}

/* --- Asking ---------------------------------------------------------------------------------- */

static bool ask(const char *cluster, char *typed, int size, struct complaint *complaint)
{
    if (isatty(STDIN_FILENO) == 0) {
        return complaint_set(complaint,
                             "nothing is changed: there is no terminal to ask at; say "
                             "--yes-the-others-are-gone %s",
                             cluster);
    }
    printf("Type the name of the cluster to go on: ");
    (void)fflush(stdout);
    if (fgets(typed, size, stdin) == NULL) {
        typed[0] = '\0';
    }
    typed[strcspn(typed, "\n")] = '\0';
    return true;
}

static bool is_asserted(const struct voter_recovery *recovery, const char *asserted,
                        struct complaint *complaint)
{
    const char *cluster = recovery->file.cluster;
    char typed[NAME_BYTES_MAX + 3] = "";

    if (asserted[0] == '\0' && !ask(cluster, typed, (int)sizeof typed, complaint)) {
        return false;
    }
    const char *said = asserted[0] == '\0' ? typed : asserted;
    return text_equal(said, cluster) ||
           complaint_set(complaint, "nothing is changed: the cluster is %s, and not '%s'", cluster,
                         said);
}

/* --- All of it ------------------------------------------------------------------------------- */

static bool recover(struct voter_recovery *recovery, const char *asserted,
                    struct complaint *complaint)
{
    uint64_t lineage;
    uint64_t epoch;

    tell_record(recovery);
    tell_what_follows(recovery);
    if (!is_asserted(recovery, asserted, complaint) ||
        !voter_recovery_write(recovery, (uint64_t)time(NULL), &lineage, &epoch, complaint)) {
        return false;
    }
    printf("Written: lineage %016llx, the first epoch is above %llu.\n"
           "next  start doyend here as ever; then the other nodes, old or new, which join it\n"
           "next  then give it other voters: doyen voters set %s,...\n",
           (unsigned long long)lineage, (unsigned long long)epoch, recovery->file.name);
    return true;
}

int recover_voters(const struct config *config, const char *asserted)
{
    struct voter_recovery recovery;
    struct complaint complaint = {.exit_code = EXIT_FAILURE};
    const bool recovered = voter_recovery_open(&recovery, config, &complaint) &&
                           recover(&recovery, asserted, &complaint);

    voter_recovery_close(&recovery);
    if (!recovered) {
        (void)fflush(stdout);
        fprintf(stderr, "doyend: %s\n", complaint.text);
    }
    return recovered ? EXIT_SUCCESS : EXIT_FAILURE;
}

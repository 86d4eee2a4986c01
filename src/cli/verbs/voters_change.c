#include "cli/verbs/voters_change.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/duration.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"
#include "cli/request/voters_ask.h"

enum {
    LOOK_PAUSE_MS = 20,
    ACTING_PATIENCE_MS = 2000, /* a member that has just come in hears of it a moment later */
    ASK_AGAIN_MS = 1000, /* whom the wish was told may have gone, or not have known enough yet */
};

/* --- Words ----------------------------------------------------------------------------------- */

static bool has_name(const json_t *names, const char *name)
{
    size_t index;
    const json_t *item;

    json_array_foreach(names, index, item)
    {
        if (strcmp(json_string_value(item) == NULL ? "" : json_string_value(item), name) == 0) {
            return true;
        }
    }
    return false;
}

/* "cyrene, delphi": those of `names` that are not among `others`; returns how many. */
static size_t names_beside(const json_t *names, const json_t *others, char *out, size_t size)
{
    size_t index;
    size_t used = 0;
    size_t count = 0;
    const json_t *item;

    out[0] = '\0';
    json_array_foreach(names, index, item)
    {
        const char *name = json_string_value(item);
        if (name == NULL || has_name(others, name)) {
            continue;
        }
        const int length = snprintf(out + used, size - used, "%s%s", count == 0 ? "" : ", ", name);
        used += length > 0 && (size_t)length < size - used ? (size_t)length : 0;
        count++;
    }
    return count;
}

void voters_change_words(const json_t *from, const json_t *to, bool under_way,
                         char out[CHANGE_WORDS_MAX])
{
    char gone[CHANGE_WORDS_MAX / 2 - 16];
    char come[CHANGE_WORDS_MAX / 2 - 16];
    const size_t gone_count = names_beside(from, to, gone, sizeof gone);
    const size_t come_count = names_beside(to, from, come, sizeof come);

    if (gone_count > 0 && come_count > 0) {
        snprintf(out, CHANGE_WORDS_MAX, "%s %s by %s", under_way ? "replacing" : "replace", gone,
                 come);
    } else if (come_count > 0) {
        snprintf(out, CHANGE_WORDS_MAX, "%s %s", under_way ? "adding" : "add", come);
    } else if (gone_count > 0) {
        snprintf(out, CHANGE_WORDS_MAX, "%s %s", under_way ? "removing" : "remove", gone);
    } else {
        snprintf(out, CHANGE_WORDS_MAX, "%s",
                 under_way ? "giving one another record" : "give one another record");
    }
}

/* --- Is it as wanted? ------------------------------------------------------------------------ */

static const json_t *voter_named(const json_t *document, const char *name)
{
    const json_t *voters = json_object_get(document, "voters");
    size_t index;
    const json_t *voter;

    json_array_foreach(voters, index, voter)
    {
        if (strcmp(document_text(voter, "name", ""), name) == 0) {
            return voter;
        }
    }
    return NULL;
}

static bool has_other_record(const json_t *before, const json_t *now, const char *name)
{
    return strcmp(document_text(voter_named(before, name), "record_id", ""),
                  document_text(voter_named(now, name), "record_id", "")) != 0;
}

static bool are_named(const json_t *names, const json_t *now)
{
    size_t index;
    const json_t *name;

    json_array_foreach(names, index, name)
    {
        if (voter_named(now, json_string_value(name)) == NULL) {
            return false;
        }
    }
    return json_array_size(json_object_get(now, "voters")) == json_array_size(names);
}

/* The voters are those that `asked`, the answer to the request, has as wanted; of one that was to
 * get another record it is that alone, whoever else has asked for other voters meanwhile. */
static bool is_settled(const json_t *asked, const json_t *now)
{
    const json_t *wanted = json_object_get(asked, "wanted");
    const char *anew = document_text(wanted, "anew", "");

    if (document_has(now, "change")) {
        return false;
    }
    return anew[0] == '\0' ? are_named(json_object_get(wanted, "voters"), now)
                           : voter_named(now, anew) != NULL && has_other_record(asked, now, anew);
}

/* --- Asking and waiting ---------------------------------------------------------------------- */

/* The same wish, whatever has come of it so far, for those who vote by now. */
static json_t *body_again(const json_t *asked, const json_t *now)
{
    const json_t *wanted = json_object_get(asked, "wanted");
    const char *anew = document_text(wanted, "anew", "");
    const char *number = document_text(now, "number", "");
    json_t *body = anew[0] == '\0' ? json_pack("{s:O, s:s}", "set",
                                               json_object_get(wanted, "voters"), "number", number)
                                   : json_pack("{s:s, s:s}", "replace", anew, "number", number);

    if (document_has(wanted, "witness")) {
        (void)json_object_set(body, "witness", json_object_get(wanted, "witness"));
    }
    return body;
}

/* Says it once more, unless it is under way; `why` becomes what stands against it, if anything. */
static void ask_again(struct cli *cli, const json_t *asked, const json_t *now, struct failure *why)
{
    json_t *body = body_again(asked, now);
    struct answer answer = {.text = NULL};

    if (client_post(cli->client, "/v1/voters", body, REQUEST_TIMEOUT_MS, &answer, why) ==
        EXIT_DONE) {
        why->text[0] = '\0';
        answer_deinit(&answer);
    }
    json_decref(body);
}

static enum exit_code say_timed_out(uint64_t timeout_ms, bool begun, const struct failure *why)
{
    char after[DURATION_TEXT_MAX];
    struct failure failure;

    duration_text(after, timeout_ms);
    if (begun) {
        failure_set(&failure, EXIT_TIMED_OUT,
                    "the voters are not settled after %s: it goes on, and doyen voters shows it",
                    after);
    } else if (why->text[0] != '\0') {
        failure_set(&failure, EXIT_TIMED_OUT,
                    "the change is not settled after %s: %.800s; it may still come about, which "
                    "doyen voters shows",
                    after, why->text);
    } else {
        failure_set(&failure, EXIT_TIMED_OUT,
                    "the change has not begun after %s, and may still come about, which doyen "
                    "voters shows: whoever is to become a voter has to be heard by the "
                    "coordinator, and to have a --state-dir; a witness, to have this cluster's key "
                    "and to answer at its address",
                    after);
    }
    return failure_report(&failure);
}

/* The daemon that was asked is gone, and with it, if it coordinates, what was wished beyond the
 * step that is under way (Z12b). */
static enum exit_code say_gone(const struct failure *failure)
{
    struct failure told = *failure;

    failure_set(&told, failure->code,
                "%.700s; a change that has begun is settled by whoever coordinates next, and what "
                "else was wished has to be wished again: doyen voters, at another node, shows it",
                failure->text);
    return failure_report(&told);
}

static enum exit_code await(struct cli *cli, const json_t *asked, uint64_t timeout_ms,
                            struct answer *last)
{
    const uint64_t deadline_ms = clock_now_ms() + timeout_ms;
    uint64_t asked_ms = clock_now_ms();
    struct failure failure;
    struct failure why = {.code = EXIT_DONE};
    bool begun = false;

    do {
        const enum exit_code code = client_get(cli->client, "/v1/voters", REQUEST_TIMEOUT_MS, last,
                                               &failure);
        if (code != EXIT_DONE) {
            return say_gone(&failure);
        }
        if (is_settled(asked, last->json)) {
            return EXIT_DONE;
        }
        begun = document_has(last->json, "change");
        if (!begun && clock_now_ms() >= asked_ms + ASK_AGAIN_MS) {
            ask_again(cli, asked, last->json, &why);
            asked_ms = clock_now_ms();
        }
        answer_deinit(last);
        clock_sleep_ms(LOOK_PAUSE_MS);
    } while (clock_left_ms(deadline_ms) > 0);
    return say_timed_out(timeout_ms, begun, &why);
}

/* --- What is said ---------------------------------------------------------------------------- */

static void warn_of(const json_t *names)
{
    const size_t count = json_array_size(names);

    if (count == 2) {
        fputs("doyen: 2 voters: nobody acts while one of them is away; 3 bear the loss of one: "
              "doyen voters add NAME --witness HOST:PORT makes a doyen-witness the third\n",
              stderr);
    } else if (count % 2 == 0) {
        fprintf(stderr, "doyen: %zu voters bear the loss of %zu, no more than %zu do\n", count,
                (count - 1) / 2, count - 1);
    }
}

static json_t *names_now(const json_t *document)
{
    const json_t *voters = json_object_get(document, "voters");
    json_t *names = json_array();
    size_t index;
    const json_t *voter;

    json_array_foreach(voters, index, voter)
    {
        (void)json_array_append(names, json_object_get(voter, "name"));
    }
    return names;
}

/* In the order in which they were wanted. */
static void print_settled(const struct cli *cli, const json_t *asked, const struct answer *last)
{
    const json_t *wanted = json_object_get(asked, "wanted");
    char words[CHANGE_WORDS_MAX];

    if (cli->json) {
        cli_print_document(last);
        return;
    }
    (void)names_beside(json_object_get(wanted, "voters"), NULL, words, sizeof words);
    printf("voters: %s\n", words);
}

/* "would replace cyrene by delphi: of athens, byzantium, delphi 2 are needed, and 2 of them lease
 * now". */
static void print_dry_run(const struct cli *cli, const struct answer *answer)
{
    const json_t *wanted = json_object_get(answer->json, "wanted");
    const json_t *names = json_object_get(wanted, "voters");
    const char *anew = document_text(wanted, "anew", "");
    char words[CHANGE_WORDS_MAX];
    char list[CHANGE_WORDS_MAX];

    if (cli->json) {
        cli_print_document(answer);
        return;
    }
    json_t *now = names_now(answer->json);
    if (names_beside(names, now, list, sizeof list) > 0) {
        fprintf(stderr,
                "doyen: not asked yet: %s, for a record, which a member needs its --state-dir for, "
                "and a witness to answer at its address\n",
                list);
    }
    voters_change_words(now, names, false, words);
    (void)names_beside(names, NULL, list, sizeof list);
    if (document_is_true(answer->json, "done")) {
        printf("nothing to do: the voters are %s\n", list);
    } else if (anew[0] != '\0') {
        printf("would give %s another record: of %s %" PRIu64 " are needed, and %" PRIu64
               " of them lease now\n",
               anew, list, document_number(wanted, "needed"), document_number(wanted, "voting"));
    } else {
        printf("would %s: of %s %" PRIu64 " are needed, and %" PRIu64 " of them lease now\n", words,
               list, document_number(wanted, "needed"), document_number(wanted, "voting"));
    }
    json_decref(now);
}

/* --- The whole ------------------------------------------------------------------------------- */

static enum exit_code refuse_early(const json_t *document)
{
    const char *policy = document_text(document, "policy", "another one");
    struct failure failure;

    if (strcmp(policy, "strict") != 0) {
        failure_set(&failure, EXIT_REFUSED,
                    "there are no voters: the guard is %s, and strict is chosen when all members "
                    "start, by --guard and --voters",
                    policy);
        return failure_report(&failure);
    }
    if (!document_is_true(document, "acting")) {
        failure_set(&failure, EXIT_NO_COORDINATOR,
                    "nobody acts, and the voters can be changed by one that does only: doyen "
                    "status says why");
        return failure_report(&failure);
    }
    return EXIT_DONE;
}

/* As they are, when somebody acts, or after a while all the same. */
static enum exit_code look(struct cli *cli, uint64_t timeout_ms, struct answer *present)
{
    const uint64_t patience_ms = timeout_ms < ACTING_PATIENCE_MS ? timeout_ms : ACTING_PATIENCE_MS;
    const uint64_t deadline_ms = clock_now_ms() + patience_ms;
    enum exit_code code = voters_ask(cli, "/v1/voters", present);

    while (code == EXIT_DONE && !document_is_true(present->json, "acting") &&
           strcmp(document_text(present->json, "policy", ""), "strict") == 0 &&
           clock_left_ms(deadline_ms) > 0) {
        answer_deinit(present);
        clock_sleep_ms(LOOK_PAUSE_MS);
        code = cli_get(cli, "/v1/voters", present);
    }
    return code;
}

static enum exit_code ask(struct cli *cli, json_t *body, uint64_t timeout_ms, struct answer *asked)
{
    struct answer present;
    enum exit_code code = look(cli, timeout_ms, &present);

    if (code != EXIT_DONE) {
        return code;
    }
    code = refuse_early(present.json);
    if (code == EXIT_DONE) {
        (void)json_object_set(body, "number", json_object_get(present.json, "number"));
        code = cli_post(cli, "/v1/voters", body, asked);
    }
    answer_deinit(&present);
    return code;
}

enum exit_code voters_change(struct cli *cli, json_t *body, uint64_t timeout_ms)
{
    const bool is_dry_run = json_is_true(json_object_get(body, "dry_run"));
    struct answer asked = {.text = NULL};
    struct answer last = {.text = NULL};
    enum exit_code code = ask(cli, body, timeout_ms, &asked);

    if (code != EXIT_DONE) {
        return code;
    }
    warn_of(json_object_get(json_object_get(asked.json, "wanted"), "voters"));
    if (is_dry_run) {
        print_dry_run(cli, &asked);
    } else if (document_is_true(asked.json, "done")) {
        print_settled(cli, asked.json, &asked);
    } else {
        code = await(cli, asked.json, timeout_ms, &last);
        if (code == EXIT_DONE) {
            print_settled(cli, asked.json, &last);
            answer_deinit(&last);
        }
    }
    answer_deinit(&asked);
    return code;
}

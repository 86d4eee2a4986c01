/* Voters of guard strict that change while real processes run: rules Z10 and Z11. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

enum {
    DONE = 0,
    REFUSED = 1,
    NOBODY_ACTS = 3,
    UNREACHABLE = 4,
    TIMED_OUT = 5,
    USAGE = 64,
    VOTERS = 3,
    NODES = 5
};

static const char *const names[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};
static const char *const strict[] = {"--guard", "strict", "--voters", "athens,byzantium,cyrene",
                                     NULL};
static const char *const one_voter[] = {"--guard", "strict", "--voters", "athens", NULL};

static bool acts(struct cluster *cluster, const char *name)
{
    return json_is_true(json_object_get(cluster_members(cluster, name), "acting"));
}

static const char *acting(struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->daemon_count; i++) {
        if (acts(cluster, cluster->daemons[i].name)) {
            return cluster->daemons[i].name;
        }
    }
    return NULL;
}

static const char *who_acts_soon(struct cluster *cluster)
{
    const char *name = NULL;

    assert_soon((name = acting(cluster)) != NULL);
    return name;
}

static bool has_members(struct cluster *cluster, const char *name, size_t count)
{
    return json_array_size(json_object_get(cluster_members(cluster, name), "members")) == count;
}

/* How it stands as a voter, as it says itself. */
static const char *standing(struct cluster *cluster, const char *name)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");

    return status == NULL ? "" : text_of(status, "voter");
}

static bool stands(struct cluster *cluster, const char *name, const char *as)
{
    return strcmp(standing(cluster, name), as) == 0;
}

static const char *state_of(struct cluster *cluster, const char *name)
{
    return cluster_path(cluster, text_kept("%s.state", name));
}

/* Five nodes with a disk each, all of them members of a cluster that acts. */
static struct cluster *form(const char *const *arguments, size_t count)
{
    struct cluster *cluster = cluster_new(arguments);

    for (size_t i = 0; i < count; i++) {
        cluster_start(cluster, names[i], "athens byzantium cyrene",
                      ARGS("--state-dir", state_of(cluster, names[i])));
    }
    for (size_t i = 0; i < count; i++) {
        assert_soon(has_members(cluster, names[i], count));
    }
    (void)who_acts_soon(cluster);
    return cluster;
}

/* A voter of those to found with that does not act, but for one that is passed over. */
static const char *idle_voter(const char *acting_name, const char *but)
{
    for (size_t i = 0; i < VOTERS; i++) {
        if (strcmp(names[i], acting_name) != 0 && strcmp(names[i], but) != 0) {
            return names[i];
        }
    }
    return NULL;
}

static const char *record_id(struct cluster *cluster, const char *at, const char *name)
{
    const json_t *voters = json_object_get(cluster_document(cluster, at, "/v1/voters"), "voters");

    for (size_t i = 0; i < json_array_size(voters); i++) {
        if (strcmp(text_of(json_array_get(voters, i), "name"), name) == 0) {
            return text_kept("%s", text_of(json_array_get(voters, i), "record_id"));
        }
    }
    return "";
}

static void assert_changed(struct cluster *cluster, const char *from, const char *const *arguments,
                           const char *words)
{
    const struct outcome outcome = doyen(cluster, from, arguments);

    cr_assert_eq(outcome.code, DONE, "%d: %s%s%s", outcome.code, outcome.out, outcome.err,
                 daemons_text());
    assert_text_has(outcome.out, words);
}

static bool is_refused(struct cluster *cluster, const char *from, const char *const *arguments,
                       const char *words)
{
    const struct outcome outcome = doyen(cluster, from, arguments);

    return outcome.code == REFUSED && line_count(outcome.err) == 1 &&
           strstr(outcome.err, words) != NULL;
}

static void assert_refused(struct cluster *cluster, const char *from, const char *const *arguments,
                           const char *words)
{
    const struct outcome outcome = doyen(cluster, from, arguments);

    cr_assert_eq(outcome.code, REFUSED, "%d: %s%s", outcome.code, outcome.out, outcome.err);
    cr_assert_eq(line_count(outcome.err), 1, "%s", outcome.err);
    assert_text_has(outcome.err, words);
}

/* From one look to the next nothing was told of the right to act. */
struct reign_seen {
    const char *name;
    uint64_t epoch;
    size_t told;
};

static struct reign_seen see_reign(struct cluster *cluster)
{
    const char *name = who_acts_soon(cluster);

    return (struct reign_seen){.name = name,
                               .epoch = cluster_epoch(cluster, name),
                               .told = cluster_log_count(cluster, name, "acting")};
}

static void assert_reign_went_on(struct cluster *cluster, const struct reign_seen *seen)
{
    cr_assert(acts(cluster, seen->name), "%s", daemons_text());
    cr_assert_eq(cluster_epoch(cluster, seen->name), seen->epoch);
    cr_assert_eq(cluster_log_count(cluster, seen->name, "acting"), seen->told);
}

static void lose_disk(struct cluster *cluster, const char *name)
{
    cluster_kill(cluster, name);
    cr_assert_eq(remove(text_kept("%s/voter", state_of(cluster, name))), 0);
    cluster_restart(cluster, name);
    assert_soon(stands(cluster, name, "no record") && has_members(cluster, name, NODES));
}

/* Z11b, Z11e: it votes by another record, and nobody stops acting for it. */
Story(voters, a_lost_disk_is_replaced_under_its_name)
{
    struct cluster *cluster = form(strict, NODES);
    const char *name = idle_voter(who_acts_soon(cluster), "");

    lose_disk(cluster, name);
    const struct reign_seen seen = see_reign(cluster);
    const char *lost = record_id(cluster, "delphi", name);
    assert_changed(cluster, "delphi", ARGS("voters", "replace", name), name);
    assert_reign_went_on(cluster, &seen);
    assert_soon(stands(cluster, name, "votes"));
    cr_assert_str_neq(record_id(cluster, "delphi", name), lost);
    assert_soon(strstr(doyen(cluster, name, ARGS("voters")).out,
                       "3 of 3 voters, 2 needed: 1 can be spared") != NULL);
    cr_assert_eq(doyen(cluster, seen.name, ARGS("restart-plan")).code, DONE);
}

/* A node that has just come back has not said yet that it has no record, nor leased yet where the
 * other one's is to be another: whoever is there for it need not try twice. */
Story(voters, one_that_has_just_come_back_need_not_be_asked_for_twice)
{
    struct cluster *cluster = form(strict, VOTERS);
    const char *first = who_acts_soon(cluster);
    const char *name = idle_voter(first, "");
    const char *other = idle_voter(first, name);

    for (int rounds = 0; rounds < 4; rounds++) {
        const char *from = rounds % 2 == 0 ? who_acts_soon(cluster) : other;
        cluster_kill(cluster, name);
        cr_assert_eq(remove(text_kept("%s/voter", state_of(cluster, name))), 0);
        cluster_restart(cluster, name);
        assert_soon(stands(cluster, name, "no record") && has_members(cluster, from, VOTERS));
        assert_changed(cluster, from, ARGS("voters", "replace", name), name);
        assert_soon(stands(cluster, name, "votes"));
    }
}

/* Z11h: who is in no list votes no more, also when it is started again with what it has on disk. */
Story(voters, one_is_replaced_by_another_member_and_is_retired)
{
    struct cluster *cluster = form(strict, NODES);
    const struct reign_seen seen = see_reign(cluster);
    const char *name = idle_voter(seen.name, "");

    assert_changed(cluster, name, ARGS("voters", "replace", name, "delphi", "--dry-run"),
                   text_kept("would replace %s by delphi: of ", name));
    cr_assert_str_neq(record_id(cluster, seen.name, name), "");
    assert_changed(cluster, name, ARGS("voters", "replace", name, "delphi"), "delphi");
    cr_assert_str_eq(record_id(cluster, name, name), "");
    assert_soon(stands(cluster, name, "retired") && stands(cluster, "delphi", "votes"));
    assert_reign_went_on(cluster, &seen);
    const char *history = doyen(cluster, seen.name, ARGS("history")).out;
    assert_text_has(history, "~delphi(becomes_voter)");
    assert_text_has(history, text_kept("~%s(leaves_voters)", name));
    assert_text_has(history, "~delphi(voter)");
    assert_text_has(history, text_kept("~%s(no_voter)", name));
    cluster_kill(cluster, name);
    cluster_restart(cluster, name);
    assert_soon(has_members(cluster, name, NODES));
    cr_assert(stands(cluster, name, "retired"), "%s", standing(cluster, name));
    assert_changed(cluster, "delphi", ARGS("voters", "add", name), name); /* By another record. */
    assert_soon(stands(cluster, name, "votes"));
}

/* Z11f: what would rest on one that is not there is refused, wherever it is asked for. */
Story(voters, adding_one_while_another_is_down_is_refused)
{
    struct cluster *cluster = form(strict, NODES);
    const char *first = who_acts_soon(cluster);
    const char *name = idle_voter(first, "");
    const char *other = idle_voter(first, name);
    const char *remedy = text_kept("3 are needed and 2 lease now; replace %s by delphi instead",
                                   name);

    cluster_kill(cluster, name);
    assert_soon(is_refused(cluster, first, ARGS("voters", "add", "delphi", "--dry-run"), remedy));
    assert_soon(is_refused(cluster, other, ARGS("voters", "add", "delphi", "--dry-run"), remedy));
    assert_refused(cluster, other, ARGS("voters", "add", "delphi"),
                   "doyen: refused: of athens, byzantium, cyrene, delphi 3 are needed");
    assert_refused(cluster, first, ARGS("voters", "replace", name),
                   text_kept("%s is no member", name));
    assert_changed(cluster, other, ARGS("voters", "replace", name, "delphi"), "delphi");
    cluster_restart(cluster, name);
    assert_soon(stands(cluster, name, "retired"));
}

static bool all_vote(struct cluster *cluster, const char *const *voters, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!stands(cluster, voters[i], "votes")) {
            return false;
        }
    }
    return true;
}

static bool document_has_no_change(struct cluster *cluster, const char *name)
{
    return json_is_null(json_object_get(cluster_document(cluster, name, "/v1/voters"), "change"));
}

/* Any list follows any other; whoever coordinates need not vote. */
Story(voters, the_list_is_set_to_any_other)
{
    struct cluster *cluster = form(strict, NODES);
    const struct reign_seen seen = see_reign(cluster);
    const char *name = idle_voter(seen.name, "");
    const char *const three[] = {name, "delphi", "ephesus"};
    const char *list = text_kept("%s,delphi,ephesus", name);

    assert_changed(cluster, "ephesus", ARGS("voters", "set", list), "ephesus");
    assert_soon(all_vote(cluster, three, VOTERS));
    assert_reign_went_on(cluster, &seen);
    assert_soon(document_has_no_change(cluster, "athens"));
    const json_t *again = document_kept(
        doyen(cluster, "athens", ARGS("voters", "set", list, "--json")).out);
    cr_assert(json_is_true(json_object_get(again, "done")));
    const struct outcome outcome = doyen(cluster, "athens", ARGS("voters", "remove", "ephesus"));
    cr_assert_eq(outcome.code, DONE, "%s%s", outcome.out, outcome.err);
    assert_text_has(outcome.err, "2 voters: nobody acts while one of them is away");
    assert_reign_went_on(cluster, &seen);
    cluster_kill(cluster, seen.name);
    assert_soon(acting(cluster) != NULL && strcmp(acting(cluster), seen.name) != 0);
}

/* The loss of the first is borne afterwards. */
Story(voters, one_alone_is_made_three)
{
    struct cluster *cluster = form(one_voter, VOTERS);

    assert_changed(cluster, "cyrene", ARGS("voters", "set", "athens,byzantium,cyrene"),
                   "voters: athens, byzantium, cyrene");
    assert_soon(all_vote(cluster, names, VOTERS));
    cluster_kill(cluster, "athens");
    assert_soon(acts(cluster, "byzantium") || acts(cluster, "cyrene"));
}

Story(voters, wrong_names_and_words_are_refused)
{
    struct cluster *cluster = form(strict, VOTERS + 1);

    assert_refused(cluster, "athens", ARGS("voters", "add", "sparta"), "sparta is no member");
    assert_refused(cluster, "delphi", ARGS("voters", "remove", "sparta"), "sparta is no voter");
    assert_refused(cluster, "delphi", ARGS("voters", "replace", "delphi"), "delphi is no voter");
    assert_refused(cluster, "delphi", ARGS("voters", "replace", "athens", "cyrene"),
                   "cyrene is a voter already");
    assert_refused(cluster, "delphi", ARGS("voters", "set", "athens,athens,cyrene"),
                   "a name is there twice");
    assert_soon(json_integer_value(json_object_get(
                    cluster_document(cluster, "delphi", "/v1/voters"), "voting")) == VOTERS);
    assert_refused(cluster, "delphi", ARGS("voters", "replace", "cyrene"),
                   "cyrene has a record, and votes");
    cr_assert_eq(doyen(cluster, "delphi", ARGS("voters", "add")).code, USAGE);
    cr_assert_eq(doyen(cluster, "delphi", ARGS("voters", "set", "athens,,cyrene")).code, USAGE);
    cr_assert_eq(doyen(cluster, "delphi", ARGS("voters", "choose", "athens")).code, USAGE);
    cr_assert_eq(doyen(cluster, "delphi", ARGS("voters", "add", "a", "b")).code, USAGE);
}

static bool file_has(const char *path, const char *words)
{
    char *text = file_read(path, NULL);
    const bool has = text != NULL && strstr(text, words) != NULL;

    free(text);
    return has;
}

/* Z11e: who cannot keep a record is not named. */
Story(voters, one_without_a_disk_does_not_become_a_voter)
{
    struct cluster *cluster = form(strict, VOTERS);

    cluster_start(cluster, "delphi", "athens", NO_ARGS);
    assert_soon(has_members(cluster, "delphi", VOTERS + 1));
    const struct outcome outcome = doyen(cluster, "delphi",
                                         ARGS("voters", "add", "delphi", "--timeout", "500ms"));
    cr_assert_eq(outcome.code, TIMED_OUT, "%d: %s%s", outcome.code, outcome.out, outcome.err);
    assert_text_has(outcome.err, "to have a --state-dir");
    cr_assert_str_eq(record_id(cluster, "athens", "delphi"), "");
}

/* Z12b: the wish is lost with its coordinator, and the operator is told. */
Story(voters, whose_daemon_goes_while_it_waits_is_told_to_look_elsewhere)
{
    struct cluster *cluster = form(strict, VOTERS);
    const char *out = cluster_path(cluster, "wish");
    struct process process = {.pid = 0};

    cluster_start(cluster, "delphi", "athens", NO_ARGS); /* It has no disk, so nothing begins. */
    assert_soon(has_members(cluster, "delphi", VOTERS + 1));
    const char *first = who_acts_soon(cluster);
    doyen_start(cluster, &process, first, ARGS("voters", "add", "delphi"), out);
    assert_soon(file_has(text_kept("%s.err", out), "4 voters bear the loss of 1"));
    cluster_kill(cluster, first);
    cr_assert(process_wait(&process, LIMIT_MS));
    cr_assert_eq(process_exit_code(&process), UNREACHABLE);
    cr_assert(file_has(text_kept("%s.err", out), "has to be wished again"));
}

Story(voters, under_another_guard_none_are_changed)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens");
    assert_refused(cluster, "athens", ARGS("voters", "add", "athens"),
                   "there are no voters: the guard is none, and strict is chosen when");
}

Story(voters, where_nobody_acts_none_are_changed)
{
    struct cluster *cluster = form(strict, VOTERS);
    const char *first = who_acts_soon(cluster);
    const char *last = idle_voter(first, "");

    cluster_kill(cluster, first);
    cluster_kill(cluster, idle_voter(first, last));
    assert_soon(doyen(cluster, last, ARGS("voters", "remove", first)).code == NOBODY_ACTS);
    assert_text_has(doyen(cluster, last, ARGS("voters", "remove", first)).err, "nobody acts");
}

/* --- By themselves (Z17) --- */

/* With the profile local they wait 30 s. */
static const char *const with_target[] = {
    "--guard",   "strict", "--voters", "athens,byzantium,cyrene", "--voters-target", "3",
    "--profile", "local",  NULL};
static const char *const grows[] = {"--guard", "strict",    "--voters", "athens", "--voters-target",
                                    "3",       "--profile", "local",    NULL};

static bool votes_by_the_view(struct cluster *cluster, const char *at, const char *name)
{
    return strcmp(record_id(cluster, at, name), "") != 0;
}

/* T_replace alone is longer than what usually is waited for. */
static void wait_for_vote(struct cluster *cluster, const char *at, const char *name)
{
    for (int looks = 0; looks < 6 * LIMIT_MS / LOOK_AGAIN_MS; looks++) {
        if (votes_by_the_view(cluster, at, name)) {
            return;
        }
        clock_nap_ms(LOOK_AGAIN_MS);
    }
    cr_assert(votes_by_the_view(cluster, at, name), "%s", daemons_text());
}

static bool says(struct cluster *cluster, const char *name, const char *words)
{
    return strstr(doyen(cluster, name, ARGS("voters")).out, words) != NULL;
}

Story(voters, one_that_is_killed_for_good_is_replaced_by_itself)
{
    struct cluster *cluster = form(with_target, VOTERS + 1);
    const char *first = who_acts_soon(cluster);
    const char *name = idle_voter(first, "");
    const char *other = idle_voter(first, name);

    cluster_kill(cluster, name);
    assert_soon(says(cluster, who_acts_soon(cluster),
                     text_kept("%s does not vote, and is replaced by delphi", name)));
    wait_for_vote(cluster, other, "delphi");
    assert_soon(!votes_by_the_view(cluster, other, name) && stands(cluster, "delphi", "votes"));
    assert_soon(says(cluster, other, "3 of 3 voters, 2 needed: 1 can be spared"));
    cluster_restart(cluster, name);
    assert_soon(stands(cluster, name, "retired"));
    assert_changed(cluster, other, ARGS("change", "voters-target=0"), "profile=local");
}

/* Never by two. */
Story(voters, one_becomes_three)
{
    struct cluster *cluster = form(grows, 2);

    assert_soon(says(cluster, "athens", "target: 3 voters; it waits"));
    cluster_start(cluster, "cyrene", "athens", ARGS("--state-dir", state_of(cluster, "cyrene")));
    wait_for_vote(cluster, "athens", "cyrene");
    assert_soon(stands(cluster, "byzantium", "votes") && stands(cluster, "cyrene", "votes"));
    assert_soon(says(cluster, "byzantium", "3 of 3 voters, 2 needed: 1 can be spared"));
    cluster_kill(cluster, who_acts_soon(cluster));
    (void)who_acts_soon(cluster);
}

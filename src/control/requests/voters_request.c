#include "control/requests/voters_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "control/documents/report_voters.h"
#include "control/documents/voter_count.h"
#include "control/requests/move_request.h"
#include "control/requests/voters_reach.h"
#include "control/text/json.h"
#include "control/text/text_builder.h"
#include "runtime/options/option_kinds.h"
#include "runtime/options/value.h"
#include "words/address_text.h"
#include "words/terms_text.h"

/* --- The body -------------------------------------------------------------------------------- */

struct wanted {
    const char *verb; /* add, remove, replace or set; empty: none yet */
    const json_t *names;
    const char *with;       /* NULL: the same again, by another record */
    struct address witness; /* where the newcomer is, which is one; none: it is a member */
    const char *number;
    bool dry_run;
};

#define NAME_RULE "1 to 63 of A-Z a-z 0-9 . _ -, no dash first"

static bool is_name(const json_t *value)
{
    return json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value) &&
           option_name_is_valid(json_string_value(value));
}

static bool are_names(const json_t *value)
{
    size_t index;
    json_t *name;

    json_array_foreach(value, index, name)
    {
        if (!is_name(name)) {
            return false;
        }
    }
    return json_array_size(value) > 0;
}

static bool take_verb(const char *key, const json_t *value, struct wanted *wanted,
                      struct complaint *complaint)
{
    const bool set = strcmp(key, "set") == 0;

    if (wanted->verb[0] != '\0') {
        return complaint_set(complaint, "\"%s\" and \"%s\" are two wishes: send one", wanted->verb,
                             key);
    }
    wanted->verb = key;
    wanted->names = value;
    return (set ? are_names(value) : is_name(value)) ||
           complaint_set(complaint, "\"%s\" wants %s", key,
                         set ? "a list of names, each " NAME_RULE : "a name, " NAME_RULE);
}

static bool take_witness(const json_t *value, struct wanted *wanted, struct complaint *complaint)
{
    const char *text = json_string_value(value);
    struct complaint why;

    if (text == NULL || strlen(text) != json_string_length(value)) {
        return complaint_set(complaint, "\"witness\" wants ADDRESS:PORT");
    }
    if (!value_address(text, CONFIG_PORT_DEFAULT, &wanted->witness, &why)) {
        return complaint_set(complaint, "\"witness\": %.300s", why.text);
    }
    return !address_is_wildcard(&wanted->witness) ||
           complaint_set(complaint, "\"witness\": %.60s is no address that anybody can send to",
                         text);
}

static bool take_one(const char *key, const json_t *value, struct wanted *wanted,
                     struct complaint *complaint)
{
    static const char *const verbs[] = {"add", "remove", "replace", "set"};

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(key, verbs[i]) == 0) {
            return take_verb(key, value, wanted, complaint);
        }
    }
    if (strcmp(key, "with") == 0) {
        wanted->with = json_string_value(value);
        return is_name(value) || complaint_set(complaint, "\"with\" wants a name, " NAME_RULE);
    }
    if (strcmp(key, "witness") == 0) {
        return take_witness(value, wanted, complaint);
    }
    if (strcmp(key, "number") == 0) {
        wanted->number = json_string_value(value);
        return text_is_number(wanted->number) ||
               complaint_set(complaint, "\"number\" wants the text that /v1/voters has there");
    }
    if (strcmp(key, "dry_run") == 0) {
        wanted->dry_run = json_is_true(value);
        return json_is_boolean(value) ||
               complaint_set(complaint, "\"dry_run\" wants true or false");
    }
    return complaint_set(
        complaint,
        "\"%.40s\" is none of add, remove, replace, with, set, witness, number and dry_run", key);
}

static bool read_wanted(json_t *body, struct wanted *wanted, struct complaint *complaint)
{
    const char *key;
    json_t *value;

    json_object_foreach(body, key, value)
    {
        if (!take_one(key, value, wanted, complaint)) {
            return false;
        }
    }
    if (wanted->verb[0] == '\0') {
        return complaint_set(complaint, "it has none of add, remove, replace and set");
    }
    if (!address_is_none(&wanted->witness) && strcmp(wanted->verb, "remove") == 0) {
        return complaint_set(complaint, "\"witness\" does not go with \"remove\"");
    }
    return wanted->with == NULL || strcmp(wanted->verb, "replace") == 0 ||
           complaint_set(complaint, "\"with\" goes with \"replace\"");
}

/* --- The wish -------------------------------------------------------------------------------- */

static struct wished_voter *add_name(struct voters_wish *wish, const char *name, bool anew)
{
    struct wished_voter *voter = &wish->voters[wish->count++];

    *voter = (struct wished_voter){.anew = anew};
    (void)text_set(voter->name, sizeof voter->name, name, strlen(name));
    return voter;
}

static const struct listed_voter *find_listed(const struct facts *facts, const char *name)
{
    const uint8_t place = voter_lists_find_name(facts->voters, name);

    return place == VOTER_NONE ? NULL : &facts->voters->voters[place];
}

/* In a list the witness is the one that is neither a member nor a voter yet. */
static bool is_meant_by_witness(const struct facts *facts, const char *name)
{
    return view_find_name(facts->view, name) == VIEW_NONE && !voters_reach_is_voter(facts, name);
}

/* Does the list name the witness there already, as one that asks again does? */
static bool has_witness_there(const struct facts *facts, const struct wanted *wanted,
                              const char *name)
{
    const struct listed_voter *listed = find_listed(facts, name);

    return listed != NULL && listed->witness && address_equal(&listed->address, &wanted->witness);
}

static struct answer refuse_name(const char *hint, const char *name, const char *detail)
{
    return answer_problem(MHD_HTTP_CONFLICT, "voters unfit", hint, "%s %s", name, detail);
}

/* One of the names is the witness's. */
static struct answer against_list(const struct facts *facts, const struct wanted *wanted)
{
    const char *first = NULL;
    bool is_there = false;
    size_t index;
    json_t *value;

    if (json_array_size(wanted->names) > VOTERS_MAX) {
        return answer_problem(MHD_HTTP_CONFLICT, "voters unfit",
                              "name fewer; other members may coordinate all the same",
                              "there are %d voters at the most", VOTERS_MAX);
    }
    if (address_is_none(&wanted->witness)) {
        return (struct answer){.status = 0};
    }
    json_array_foreach(wanted->names, index, value)
    {
        const char *name = json_string_value(value);
        is_there = is_there || has_witness_there(facts, wanted, name);
        if (!is_meant_by_witness(facts, name)) {
            continue;
        }
        if (first != NULL && strcmp(first, name) != 0) {
            return answer_problem(MHD_HTTP_CONFLICT, "voters unfit",
                                  "name one witness, and members for the rest",
                                  "neither %s nor %s is a member", first, name);
        }
        first = name;
    }
    return first != NULL || is_there
               ? (struct answer){.status = 0}
               : answer_problem(MHD_HTTP_CONFLICT, "voters unfit",
                                "name it, too; doyen voters replace gives one that votes another "
                                "address",
                                "all of the names are members or voters, and none the witness");
}

/* What is wrong with the names whatever the cluster's state is; a status of 0: nothing. */
static struct answer against_names(const struct facts *facts, const struct wanted *wanted)
{
    const char *name = json_string_value(wanted->names);
    const uint32_t count = voter_lists_length(facts->voters);
    const bool adds = strcmp(wanted->verb, "add") == 0;

    if (name == NULL) {
        return against_list(facts, wanted);
    }
    if (!adds && !voters_reach_is_voter(facts, name)) {
        return refuse_name("doyen voters has the names", name, "is no voter");
    }
    if (adds && !voters_reach_is_voter(facts, name) && count == VOTERS_MAX) {
        return refuse_name("replace one of them instead", name, "would be one voter too many");
    }
    if (strcmp(wanted->verb, "remove") == 0 && count == 1) {
        return refuse_name("replace it by another member instead", name, "is the only voter");
    }
    if (adds && voters_reach_is_voter(facts, name) && !address_is_none(&wanted->witness)) {
        return refuse_name("doyen voters replace gives it another address or record", name,
                           "is a voter already");
    }
    if (wanted->with != NULL && strcmp(wanted->with, name) != 0 &&
        voters_reach_is_voter(facts, wanted->with)) {
        return refuse_name("choose another member, or remove the one that is to go", wanted->with,
                           "is a voter already");
    }
    return (struct answer){.status = 0};
}

static void wish_for_list(const struct facts *facts, const struct wanted *wanted,
                          struct voters_wish *wish)
{
    size_t index;
    json_t *name;

    json_array_foreach(wanted->names, index, name)
    {
        struct wished_voter *voter = add_name(wish, json_string_value(name), false);
        if (is_meant_by_witness(facts, voter->name)) {
            voter->witness = wanted->witness;
        }
    }
}

/* Who comes in the place of a voter, perhaps the same by another record: a witness stays one, at
 * the same address unless another one is said. */
static void wish_for_next(const struct listed_voter *voter, const struct wanted *wanted,
                          struct voters_wish *wish)
{
    const char *next = wanted->with != NULL ? wanted->with : voter->name;
    const bool is_same = strcmp(next, voter->name) == 0;
    struct wished_voter *wished = add_name(wish, next, is_same);

    wished->witness = is_same && voter->witness && address_is_none(&wanted->witness)
                          ? voter->address
                          : wanted->witness;
}

/* Who stays keeps its place, and who replaces another has that one's. */
static void make_wish(const struct facts *facts, const struct wanted *wanted,
                      struct voters_wish *wish)
{
    const char *name = json_string_value(wanted->names);
    const bool replaces = strcmp(wanted->verb, "replace") == 0;

    *wish = (struct voters_wish){.number = facts->voters->number};
    if (name == NULL) {
        wish_for_list(facts, wanted, wish);
        return;
    }
    for (uint8_t i = 0; i < facts->voters->count; i++) {
        const struct listed_voter *voter = &facts->voters->voters[i];
        const bool meant = strcmp(voter->name, name) == 0;
        if (!voter->now || (meant && strcmp(wanted->verb, "remove") == 0)) {
            continue;
        }
        if (meant && replaces) {
            wish_for_next(voter, wanted, wish);
        } else {
            (void)add_name(wish, voter->name, false);
        }
    }
    if (strcmp(wanted->verb, "add") == 0 && !voters_reach_is_voter(facts, name)) {
        add_name(wish, name, false)->witness = wanted->witness;
    }
}

/* --- Answers --------------------------------------------------------------------------------- */

/* "athens, byzantium, cyrene" */
static void add_names(const struct voters_wish *wish, struct text_builder *text)
{
    for (uint8_t i = 0; i < wish->count; i++) {
        text_builder_format(text, "%s%s", i == 0 ? "" : ", ", wish->voters[i].name);
    }
}

static struct answer answer_too_few(const struct voters_wish *wish,
                                    const struct voters_reach *reach)
{
    const uint32_t needed = reach->length / 2 + 1;
    const uint32_t voting = reach->voting < needed ? reach->voting : needed - 1;
    char hint[2 * NAME_BYTES_MAX + 80];
    struct text_builder names = {0};

    add_names(wish, &names);
    if (reach->lacks != NULL && reach->newcomer != NULL) {
        snprintf(hint, sizeof hint, "replace %s by %s instead", reach->lacks, reach->newcomer);
    } else if (reach->lacks != NULL) {
        snprintf(hint, sizeof hint, "start %s first, or replace it", reach->lacks);
    } else {
        snprintf(hint, sizeof hint, "doyen voters shows who votes");
    }
    struct answer answer = answer_problem(
        MHD_HTTP_CONFLICT, "refused", hint, "of %.*s %u %s needed and %u %s now", (int)names.length,
        names.bytes == NULL ? "" : names.bytes, needed, needed == 1 ? "is" : "are", voting,
        voting == 1 ? "leases" : "lease");
    text_builder_deinit(&names);
    return answer;
}

static struct answer answer_nobody_acts(void)
{
    return answer_problem(MHD_HTTP_CONFLICT, "nobody acts",
                          "doyen status says why; the voters can be changed when somebody acts",
                          "there is no coordinator that acts");
}

/* Who is wished for and can get no record; NULL: nobody. */
static const char *find_stranger(const struct facts *facts, const struct voters_wish *wish)
{
    for (uint8_t i = 0; i < wish->count; i++) {
        const struct wished_voter *wished = &wish->voters[i];
        if ((wished->anew || !voters_reach_is_voter(facts, wished->name)) &&
            address_is_none(&wished->witness) &&
            view_find_name(facts->view, wished->name) == VIEW_NONE) {
            return wished->name;
        }
    }
    return NULL;
}

/* Z16d: the witness that is wished for and that is, by its name or its address, somebody else. */
static const struct wished_voter *find_witness(const struct voters_wish *wish)
{
    for (uint8_t i = 0; i < wish->count; i++) {
        if (!address_is_none(&wish->voters[i].witness)) {
            return &wish->voters[i];
        }
    }
    return NULL;
}

/* Z16d */
static bool are_mostly_witnesses(const struct facts *facts, const struct voters_wish *wish)
{
    uint32_t witnesses = 0;

    for (uint8_t i = 0; i < wish->count; i++) {
        const struct listed_voter *listed = find_listed(facts, wish->voters[i].name);
        witnesses += !address_is_none(&wish->voters[i].witness) ||
                     (listed != NULL && listed->witness);
    }
    return quorum_is_majority(witnesses, wish->count);
}

static struct answer answer_unfit(const struct facts *facts, const struct voters_wish *wish)
{
    const char *stranger = find_stranger(facts, wish);
    const struct wished_voter *witness = find_witness(wish);
    char where[ADDRESS_TEXT_MAX];

    if (stranger != NULL) {
        return refuse_name("start it with --guard strict and a --state-dir, name another, or say "
                           "where it is if it is a witness",
                           stranger, "is no member");
    }
    if (are_mostly_witnesses(facts, wish)) {
        return answer_problem(MHD_HTTP_CONFLICT, "voters unfit", "name more members, too",
                              "witnesses are no more than half of the voters: where the others are "
                              "lost, no node that starts would know of them");
    }
    if (witness != NULL) {
        return answer_problem(MHD_HTTP_CONFLICT, "voters unfit",
                              "a witness has a name and an address of its own",
                              "%s, or %s, is a member's or another voter's", witness->name,
                              address_text(&witness->witness, where));
    }
    return answer_problem(MHD_HTTP_CONFLICT, "voters unfit", "name each once",
                          "a name is there twice");
}

static struct answer answer_under_way(const struct facts *facts)
{
    const bool joint = voter_lists_are_joint(facts->voters);

    return answer_problem(
        MHD_HTTP_CONFLICT, "a change is under way",
        joint ? "wait until doyen voters shows no change" : "look at doyen voters again",
        joint ? "the voters are just being changed" : "the voters have been changed meanwhile");
}

static json_t *wanted_json(const struct voters_wish *wish, const struct voters_reach *reach)
{
    json_t *object = json_object();
    json_t *names = json_array();
    const struct wished_voter *witness = find_witness(wish);
    const char *anew = NULL;
    bool complete = names != NULL;

    for (uint8_t i = 0; i < wish->count && complete; i++) {
        complete = json_array_append_new(names, json_of_word(wish->voters[i].name)) == 0;
        anew = wish->voters[i].anew ? wish->voters[i].name : anew;
    }
    complete = json_put(object, "voters", names) && complete;
    return json_finished(
        object, complete && json_put(object, "anew", json_of_word(anew)) &&
                    json_put(object, "witness",
                             witness == NULL ? json_null() : json_of_address(&witness->witness)) &&
                    json_put(object, "needed", json_of_number(reach->length / 2 + 1)) &&
                    json_put(object, "voting", json_of_number(reach->voting)));
}

/* The voters as they are, and those that are wanted. */
static struct answer answer_asked(const struct facts *facts, const struct voter_survey *survey,
                                  const struct voters_wish *wish, bool done)
{
    const struct voters_reach reach = voters_reach_of(facts, survey, wish);
    json_t *object = report_voters(facts, survey);

    return answer_json(
        done ? MHD_HTTP_OK : MHD_HTTP_ACCEPTED,
        json_finished(object, json_put(object, "done", json_boolean(done)) &&
                                  json_put(object, "wanted", wanted_json(wish, &reach))));
}

/* What stands against it; a status of 0: nothing. */
static struct answer against(const struct facts *facts, const struct voter_survey *survey,
                             const struct voters_wish *wish)
{
    const struct rules_wish rules = {.rules = terms_rules(facts->terms), .voters = *wish};
    const bool coordinates = facts->coordinator != NULL &&
                             id_equal(&facts->coordinator->id, &facts->self->id);
    const struct voters_reach reach = voters_reach_of(facts, survey, wish);

    switch (core_unagreed(node_core(facts->node), &rules)) {
    case UNAGREED_SAME:
        return answer_asked(facts, survey, wish, true);
    case UNAGREED_NO_MEMBER:
        return move_request_not_a_member(facts);
    case UNAGREED_UNDER_WAY:
        return answer_under_way(facts);
    case UNAGREED_VOTERS:
        return answer_unfit(facts, wish);
    case UNAGREED_STRICT:
    case UNAGREED_ROOM:
    case UNAGREED_MEMBERS:
    case UNAGREED_FAILED:
        break;
    case UNAGREED_GUARD:
        if (!facts->acting) {
            return answer_nobody_acts();
        }
        if (!voters_reach_suffices(&reach)) {
            return answer_too_few(wish, &reach);
        }
        break; /* Who is heard leases in a moment: whoever waits for it asks again. */
    case UNAGREED_NOT:
        if (facts->coordinator == NULL || facts->reign == REIGN_IDLE) {
            return answer_nobody_acts();
        }
        if (!coordinates && !voters_reach_suffices(&reach)) {
            return answer_too_few(wish, &reach);
        }
        break;
    }
    return (struct answer){.status = 0};
}

/* NULL: of whichever number there is. */
static bool is_number_of(const struct facts *facts, const char *number)
{
    char now[24];

    snprintf(now, sizeof now, "%" PRIu64, facts->voters->number);
    return number == NULL || strcmp(number, now) == 0;
}

/* The voter that is to get another record, and is a member; NULL: none. What a witness has only it
 * knows, and it is asked rarely. */
static const struct listed_voter *find_renewed(const struct facts *facts,
                                               const struct wanted *wanted)
{
    const char *name = json_string_value(wanted->names);
    const bool same = strcmp(wanted->verb, "replace") == 0 &&
                      (wanted->with == NULL || strcmp(wanted->with, name) == 0);
    const struct listed_voter *listed = same ? find_listed(facts, name) : NULL;

    return listed != NULL && !listed->witness ? listed : NULL;
}

static uint8_t place_of(const struct facts *facts, const struct listed_voter *voter)
{
    return (uint8_t)(voter - facts->voters->voters);
}

/* It has just come back, and has not said how it stands: whoever waits for it asks again. */
static bool is_to_be_heard(const struct facts *facts, const struct voter_survey *survey,
                           const struct wanted *wanted)
{
    const struct listed_voter *voter = find_renewed(facts, wanted);

    return voter != NULL && voter_count_hears(facts, survey, place_of(facts, voter)) &&
           voter_survey_status(survey, facts, place_of(facts, voter)) == NULL;
}

/* Z11e: a record that may vote is not given up. */
static struct answer against_record(const struct facts *facts, const struct voter_survey *survey,
                                    const struct wanted *wanted)
{
    const struct listed_voter *voter = find_renewed(facts, wanted);

    return voter != NULL && voter_count_votes(facts, survey, place_of(facts, voter))
               ? refuse_name(
                     "name another member to replace it; or, if its disk is an old one, stop "
                     "it, move its file voter away, and start it again",
                     voter->name, "has a record, and votes")
               : (struct answer){.status = 0};
}

/* In the words of doyen voters. */
static struct answer without_voters(const struct facts *facts)
{
    char policy[GUARD_TEXT_MAX];

    guard_text(&facts->guard.guard, policy);
    return answer_problem(MHD_HTTP_CONFLICT, "no voters",
                          "strict is chosen when all members start, by --guard and --voters",
                          "the guard is %s, not strict", policy);
}

/* The list is one number, by which how many was meant: nobody is called so. */
static bool is_count(const struct facts *facts, const json_t *names)
{
    const char *name = json_string_value(json_array_get(names, 0));

    return json_array_size(names) == 1 && text_is_number(name) && is_meant_by_witness(facts, name);
}

static struct answer ask_for(const struct facts *facts, const struct voter_survey *survey,
                             const struct wanted *wanted)
{
    struct rules_wish rules = {.rules = terms_rules(facts->terms)};

    if (facts->phase != PHASE_MEMBER) {
        return move_request_not_a_member(facts);
    }
    if (is_count(facts, wanted->names)) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "no voters",
                              "write the names of the voters, as in a,b,c", "%s is a number",
                              json_string_value(json_array_get(wanted->names, 0)));
    }
    if (facts->guard.guard.policy != GUARD_STRICT) {
        return without_voters(facts);
    }
    if (voter_lists_are_joint(facts->voters) || !is_number_of(facts, wanted->number)) {
        return answer_under_way(facts);
    }
    struct answer refused = against_names(facts, wanted);
    const bool waits = !wanted->dry_run && is_to_be_heard(facts, survey, wanted);
    if (refused.status == 0 && !waits) {
        refused = against_record(facts, survey, wanted);
    }
    if (refused.status != 0) {
        return refused;
    }
    make_wish(facts, wanted, &rules.voters);
    refused = against(facts, survey, &rules.voters);
    if (refused.status != 0) {
        return refused;
    }
    if (!wanted->dry_run && !waits) {
        node_change_terms(facts->node, &rules);
    }
    return answer_asked(facts, survey, &rules.voters, false);
}

struct answer voters_request(const struct facts *facts, const struct voter_survey *survey,
                             const char *body, size_t length)
{
    struct complaint complaint;
    struct wanted wanted = {.verb = ""};
    json_t *document = json_of_body(body, length, complaint.text, sizeof complaint.text);
    struct answer answer;

    if (document != NULL && !json_is_object(document)) {
        (void)complaint_set(&complaint, "the body must be an object, as in {\"replace\": "
                                        "\"cyrene\", \"with\": \"delphi\"}");
    }
    if (json_is_object(document) && read_wanted(document, &wanted, &complaint)) {
        answer = ask_for(facts, survey, &wanted);
    } else {
        answer = answer_problem(MHD_HTTP_BAD_REQUEST, "no voters", "doyen voters shows who votes",
                                "%s", complaint.text);
    }
    json_decref(document);
    return answer;
}

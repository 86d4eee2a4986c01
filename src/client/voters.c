/* The voters of guard strict, and putting another record or another node in the place of one. */
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "client/arena.h"
#include "client/client_state.h"
#include "client/clock.h"
#include "client/field.h"

enum {
    LOOK_PAUSE_MS = 20,
    PATIENCE_MS = 500,   /* for the voters to say how they stand */
    ASK_AGAIN_MS = 1000, /* whom the wish was told may have gone, or not have known enough yet */
};

/* The voters with what they are made of. */
struct held_voters {
    struct doyen_voters voters; /* first, so that one is found from the other */
    struct allocator memory;
    struct arena arena;
};

/* --- Reading --- */

static void read_voter(const json_t *object, struct arena *arena, struct doyen_voter *voter)
{
    const char *state = field_text(object, "voter");
    const char *record = field_text(object, "record_id");

    *voter = (struct doyen_voter){
        .name = arena_text(arena, field_text(object, "name")),
        .state = state == NULL ? NULL : arena_text(arena, state),
        .record_id = record == NULL ? NULL : arena_text(arena, record),
        .heard = field_is_true(object, "heard"),
        .member = field_is_true(object, "member"),
        .witness = field_is_true(object, "witness"),
    };
}

static void read_list(const json_t *list, struct held_voters *held)
{
    const size_t count = json_array_size(list);
    struct doyen_voter *all = arena_get(&held->arena, count * sizeof *all);
    const struct doyen_voter **pointers = arena_get(&held->arena, count * sizeof *pointers);

    if (all == NULL || pointers == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        read_voter(json_array_get(list, i), &held->arena, &all[i]);
        pointers[i] = &all[i];
    }
    held->voters.list = pointers;
    held->voters.count = count;
}

static void release(struct held_voters *held)
{
    const struct allocator memory = held->memory;

    arena_deinit(&held->arena);
    allocator_release(&memory, held);
}

void doyen_voters_release(const struct doyen_voters *voters)
{
    struct held_voters *held;

    if (voters != NULL) {
        memcpy(&held, &voters, sizeof held); /* The caller has it as const; the memory is ours. */
        release(held);
    }
}

static struct doyen_voters *read_voters(const json_t *document, const char *json,
                                        const struct allocator *memory, struct problem *problem)
{
    if (!json_is_array(json_object_get(document, "voters"))) {
        (void)problem_set(problem, DOYEN_E_PROTOCOL,
                          "the voters of doyend are not as expected: is it another version?");
        return NULL;
    }
    struct held_voters *held = allocator_get(memory, sizeof *held);
    if (held == NULL) {
        (void)problem_memory(problem);
        return NULL;
    }
    held->memory = *memory;
    held->arena.memory = &held->memory;
    held->voters = (struct doyen_voters){
        .changing = json_is_object(json_object_get(document, "change")),
        .voting = (uint32_t)field_number(document, "voting"),
        .needed = (uint32_t)field_number(document, "needed"),
        .spare = (uint32_t)field_number(document, "spare"),
        .json = arena_text(&held->arena, json),
    };
    read_list(json_object_get(document, "voters"), held);
    if (held->arena.exhausted) {
        release(held);
        (void)problem_memory(problem);
        return NULL;
    }
    return &held->voters;
}

/* --- Asking --- */

/* Asks once; `document`, which may be NULL, is the caller's to release. */
static int ask(struct doyen *d, const struct exchange_request *request, int timeout_ms,
               struct doyen_voters **out, struct problem *problem, uint64_t *waiting)
{
    char *text = NULL;
    int code = client_ask(d, request, timeout_ms, &text, problem);

    if (code != 0) {
        return code;
    }
    json_t *document = json_loads(text, 0, NULL);
    *out = read_voters(document, text, &d->memory, problem);
    *waiting = field_number(document, "waiting");
    json_decref(document);
    allocator_release(&d->memory, text);
    return *out == NULL ? problem->code : 0;
}

/* To ask for them has the voters asked, and those who have not said are waited for. */
static int look(struct doyen *d, uint64_t deadline_ms, struct doyen_voters **out,
                struct problem *problem)
{
    const struct exchange_request request = {.method = "GET", .path = "/v1/voters"};
    const uint64_t patience_ms = clock_ms() + PATIENCE_MS;
    uint64_t waiting = 0;
    int code = ask(d, &request, clock_until(deadline_ms), out, problem, &waiting);

    while (code == 0 && waiting > 0 && clock_until(deadline_ms) > 0 && clock_ms() < patience_ms) {
        doyen_voters_release(*out);
        *out = NULL;
        (void)poll(NULL, 0, LOOK_PAUSE_MS);
        code = ask(d, &request, clock_until(deadline_ms), out, problem, &waiting);
    }
    return code;
}

int doyen_get_voters(struct doyen *d, int timeout_ms, const struct doyen_voters **out)
{
    struct problem problem = {.code = 0};
    struct doyen_voters *voters = NULL;

    *out = NULL;
    if (look(d, clock_deadline_ms(timeout_ms), &voters, &problem) != 0) {
        return client_fail(d, &problem);
    }
    *out = voters;
    return 0;
}

/* --- Replacing --- */

const struct doyen_voter *doyen_voters_find(const struct doyen_voters *voters, const char *name)
{
    for (size_t i = 0; i < voters->count; i++) {
        if (strcmp(voters->list[i]->name, name) == 0) {
            return voters->list[i];
        }
    }
    return NULL;
}

/* The record by which it votes; "": none. */
static const char *record_of(const struct doyen_voters *voters, const char *name)
{
    const struct doyen_voter *voter = doyen_voters_find(voters, name);

    return voter == NULL || voter->record_id == NULL ? "" : voter->record_id;
}

static bool is_replaced(const struct doyen_voters *before, const struct doyen_voters *now,
                        const char *name, const char *with)
{
    if (now->changing) {
        return false;
    }
    if (with != NULL && strcmp(with, name) != 0) {
        return doyen_voters_find(now, name) == NULL && doyen_voters_find(now, with) != NULL;
    }
    const char *record = record_of(now, name);
    return record[0] != '\0' && strcmp(record, record_of(before, name)) != 0;
}

/* Looks until it is so, and asks once more while nothing is under way; `problem` becomes what
 * stands against it. */
static int await(struct doyen *d, const struct exchange_request *request,
                 const struct doyen_voters *before, const char *name, const char *with,
                 uint64_t deadline_ms, struct problem *problem)
{
    uint64_t ask_ms = clock_ms() + ASK_AGAIN_MS;

    while (clock_until(deadline_ms) > 0) {
        struct doyen_voters *now = NULL;
        struct problem silent = {.code = 0};
        if (look(d, deadline_ms, &now, &silent) != 0) {
            *problem = silent;
            return silent.code;
        }
        const bool done = is_replaced(before, now, name, with);
        const bool under_way = now->changing;
        doyen_voters_release(now);
        if (done) {
            return 0;
        }
        if (!under_way && clock_ms() >= ask_ms) {
            ask_ms = clock_ms() + ASK_AGAIN_MS;
            (void)client_ask(d, request, clock_until(deadline_ms), NULL, problem);
        }
        (void)poll(NULL, 0, LOOK_PAUSE_MS);
    }
    return DOYEN_E_TIMEOUT;
}

/* The body of POST /v1/voters, to be freed; NULL: no memory, or a text is not UTF-8. */
static char *replace_body(const char *name, const char *with)
{
    json_t *body = with == NULL ? json_pack("{s:s}", "replace", name)
                                : json_pack("{s:s, s:s}", "replace", name, "with", with);
    char *text = body == NULL ? NULL : json_dumps(body, JSON_COMPACT);

    json_decref(body);
    return text;
}

static int replace(struct doyen *d, const struct exchange_request *request, const char *name,
                   const char *with, int timeout_ms)
{
    const uint64_t deadline_ms = clock_deadline_ms(timeout_ms);
    struct problem problem = {.code = 0};
    struct doyen_voters *before = NULL;
    int code = look(d, deadline_ms, &before, &problem);

    if (code == 0) {
        code = client_ask(d, request, clock_until(deadline_ms), NULL, &problem);
    }
    if (code == 0) {
        code = await(d, request, before, name, with, deadline_ms, &problem);
    }
    doyen_voters_release(before);
    if (code == DOYEN_E_TIMEOUT) {
        return problem_set(&d->problem, code, "the voter is not replaced after %d ms: %.800s",
                           timeout_ms,
                           problem.code == 0 ? "it goes on if it has begun, and doyen voters "
                                               "shows it"
                                             : problem.text);
    }
    return code == 0 ? 0 : client_fail(d, &problem);
}

int doyen_replace_voter(struct doyen *d, const char *name, const char *with, int timeout_ms)
{
    struct exchange_request request = {.method = "POST", .path = "/v1/voters"};
    char *body = name == NULL ? NULL : replace_body(name, with);

    if (body == NULL) {
        return problem_set(&d->problem, DOYEN_E_USAGE, "a voter has a name, in UTF-8");
    }
    request.body = body;
    const int code = replace(d, &request, name, with, timeout_ms);
    free(body);
    return code;
}

/* Feeds one core with whatever the bytes say: messages of every type from members, former
 * members and strangers, sound and unsound views, link news, late timers. Nothing of it may
 * reach an assert (style: no byte from the network does), and nothing may grow beyond its bound.
 *
 * With -DFUZZ_STANDALONE a main is added that replays the files, or the files in the folders,
 * named on its command line, and otherwise runs random inputs: fuzz_step --random COUNT. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "core/core.h"

enum {
    CAPACITY = 8,
    PEOPLE = 7,       /* lives that may write to us */
    STEPS_MAX = 4000, /* of one input */
};

struct input {
    const uint8_t *bytes;
    size_t length;
};

struct fuzz {
    struct core *core;
    void *block;
    struct view view; /* the message's */
    void *storage;
    uint64_t now_ms;
    struct node_id people[PEOPLE];
    uint64_t numbers[PEOPLE];
    uint64_t sent; /* the number of the core's last message */
};

static uint8_t byte_of(struct input *input)
{
    if (input->length == 0) {
        return 0;
    }
    input->length--;
    return *input->bytes++;
}

static uint64_t below(struct input *input, uint64_t bound)
{
    return byte_of(input) % bound;
}

static struct address address_of(uint64_t who)
{
    return (struct address){.family = 4, .bytes = {10, 0, 0, (uint8_t)(who + 1)}, .port = 7420};
}

/* Mostly small steps around what the core has now; now and then anything at all. */
static uint64_t near(struct input *input, uint64_t base)
{
    switch (below(input, 8)) {
    case 0:
        return base + 1;
    case 1:
        return base + 2;
    case 2:
        return base > 0 ? base - 1 : 0;
    case 3:
        return (uint64_t)byte_of(input) << (8 * below(input, 8));
    default:
        return base;
    }
}

static void add_member(struct fuzz *fuzz, struct input *input, uint64_t who)
{
    struct member member = {.address = address_of(who), .incarnation = 1};

    member.id = who == 0 ? core_self(fuzz->core)->id : fuzz->people[who - 1];
    member.name[0] = (char)('A' + who);
    if (below(input, 16) == 0) {
        member.name[0] = 'B';
    }
    if (!view_has(&fuzz->view, &member.id) && fuzz->view.member_count < CAPACITY) {
        fuzz->view.next_age += below(input, 3);
        view_append(&fuzz->view, &member);
    }
}

static struct view *any_view(struct fuzz *fuzz, struct input *input)
{
    const struct view *ours = core_view(fuzz->core);
    struct view *view = &fuzz->view;
    uint8_t kind = byte_of(input);

    view_clear(view);
    if (kind % 4 == 0 && !view_is_empty(ours)) {
        view_copy(view, ours);
        if (kind % 8 == 0 && view->member_count > 1) {
            struct gone why = {.reason = GONE_FAILED, .verdict = VERDICT_DEAD};
            view_remove(view, (uint32_t)below(input, view->member_count), &why);
        }
    } else {
        for (uint64_t i = below(input, CAPACITY) + 1; i > 0; i--) {
            add_member(fuzz, input, below(input, PEOPLE + 1));
        }
    }
    view->lineage = kind % 16 == 1 ? byte_of(input) : ours->lineage;
    view->epoch = near(input, ours->epoch);
    view->version = near(input, ours->version);
    view->cause = (enum view_cause)(below(input, 5) + 1);
    if (view->cause == CAUSE_MERGE) {
        view->merged = view_id_of(ours);
    }
    view_seal(view);
    if (below(input, 32) == 0) {
        view->hash ^= 1;
    }
    return view;
}

static struct view_id any_view_id(struct fuzz *fuzz, struct input *input)
{
    const struct view *ours = core_view(fuzz->core);
    struct view_id id = view_id_of(ours);

    id.epoch = near(input, id.epoch);
    id.version = near(input, id.version);
    if (below(input, 3) == 0) {
        id.coordinator = fuzz->people[below(input, PEOPLE)];
    }
    id.lineage += below(input, 8) == 0;
    return id;
}

static void fill_heartbeat(struct fuzz *fuzz, struct input *input, struct heartbeat *heartbeat)
{
    heartbeat->view = any_view_id(fuzz, input);
    heartbeat->view_hash = core_view(fuzz->core)->hash ^ (below(input, 8) == 0);
    heartbeat->late = below(input, 8) == 0;
    heartbeat->acting = below(input, 2) == 0;
    heartbeat->suspect_count = (uint8_t)below(input, 4);
    for (uint8_t i = 0; i < heartbeat->suspect_count; i++) {
        heartbeat->suspects[i].age = below(input, 12);
        heartbeat->suspects[i].verdict = (enum verdict)below(input, 4);
    }
}

/* Mostly those of the core. */
static struct terms any_terms(struct input *input)
{
    return (struct terms){.guard = {.policy = GUARD_NONE},
                          .profile = PROFILE_LAN,
                          .watchers = WATCHERS_DEFAULT,
                          .heartbeat_ms = 250 + (below(input, 8) == 0),
                          .lost_ms = 900,
                          .capacity = CAPACITY};
}

static void fill_joiner(struct fuzz *fuzz, struct input *input, struct joiner *joiner)
{
    uint64_t who = below(input, PEOPLE);

    joiner->member = (struct member){.id = fuzz->people[who], .address = address_of(who + 1)};
    joiner->member.name[0] = (char)('A' + below(input, PEOPLE + 1));
    joiner->terms = any_terms(input);
    joiner->may_found = below(input, 2) == 0;
    joiner->nonce = byte_of(input);
    joiner->hops = (uint8_t)below(input, 2);
}

static struct move any_move(const struct fuzz *fuzz, struct input *input)
{
    return (struct move){.kind = (enum move_kind)(below(input, MOVE_FORGET) + 1),
                         .subject = below(input, 2) == 0 ? core_self(fuzz->core)->id
                                                         : fuzz->people[below(input, PEOPLE)]};
}

static struct tags any_tags(struct input *input)
{
    return (struct tags){.length = 4, .text = {'k', '=', (char)('a' + below(input, 3)), '\0'}};
}

static struct rules_wish any_wish(const struct fuzz *fuzz, struct input *input)
{
    const struct terms terms = any_terms(input);
    struct rules_wish wish = {.rules = terms_rules(&terms),
                              .number = near(input, core_view(fuzz->core)->agreed.number)};

    wish.rules.guard.policy = (enum guard_policy)(below(input, GUARD_STRICT) + 1);
    wish.rules.guard.count = (uint32_t)below(input, 5);
    wish.rules.capacity -= (uint32_t)below(input, 3);
    wish.rules.lost_ms += below(input, 3) * 100;
    return wish;
}

static struct node_id any_request(struct input *input)
{
    return (struct node_id){.bytes = {(uint8_t)(below(input, 4) + 1)}};
}

static struct role_terms any_role_terms(struct input *input)
{
    struct role_terms terms = {.policy = (enum role_policy)(below(input, 3) + 1),
                               .holders = (uint32_t)below(input, 3) + 1,
                               .preempt = below(input, 2) == 0};

    if (terms.preempt && terms.holders == 2) {
        terms.preempt_after_ms = 40;
    }
    if (terms.holders == 3) {
        memcpy(terms.need, "k=a", sizeof "k=a"); /* One of those that any_tags gives. */
    }
    return terms;
}

static void any_role_name(struct input *input, char name[NAME_BYTES_MAX + 1])
{
    name[0] = (char)('a' + below(input, 3));
    name[1] = '\0';
}

static struct role_word any_role(const struct fuzz *fuzz, struct input *input)
{
    uint64_t epoch = near(input, core_view(fuzz->core)->epoch);
    struct role_word word = {.epoch = epoch,
                             .stamp = near(input, fuzz->now_ms),
                             .count = (uint32_t)below(input, 3),
                             .hash = below(input, 2),
                             .flag = below(input, 2) == 0,
                             .order = (enum role_order)below(input, ROLE_FULL + 1)};

    word.entry.request = any_request(input);
    word.entry.terms = any_role_terms(input);
    word.entry.number = below(input, 2) * role_token(epoch & 0xff, below(input, 8));
    word.entry.token = below(input, 2) * role_token(epoch & 0xff, below(input, 8));
    any_role_name(input, word.entry.role);
    return word;
}

static void fill_wish(struct fuzz *fuzz, struct input *input, struct wish *wish)
{
    wish->kind = (enum wish_kind)(below(input, WISH_TERMS) + 1);
    switch (wish->kind) {
    case WISH_LEAVE:
        break;
    case WISH_MOVE:
        wish->move = any_move(fuzz, input);
        break;
    case WISH_TAGS:
        wish->tags = any_tags(input);
        break;
    case WISH_TERMS:
        wish->terms = any_wish(fuzz, input);
        break;
    }
}

static void fill_carrier(struct fuzz *fuzz, struct input *input, struct view_carrier *carrier)
{
    carrier->view = any_view(fuzz, input);
    carrier->epoch = near(input, core_view(fuzz->core)->epoch + 1);
    if (below(input, 4) == 0) {
        carrier->handover_by = fuzz->people[below(input, PEOPLE)];
    }
    carrier->merge = below(input, 3);
    carrier->stays = below(input, 2) == 0;
    carrier->part.holders = (uint32_t)below(input, 9);
    carrier->part.guard_met = true;
    carrier->part.terms = any_terms(input);
}

static void fill_vote(struct fuzz *fuzz, struct input *input, struct view_carrier *carrier)
{
    carrier->epoch = near(input, core_view(fuzz->core)->epoch + 1);
    carrier->lineage = core_view(fuzz->core)->lineage;
    carrier->view = below(input, 2) == 0 ? any_view(fuzz, input) : NULL;
    carrier->vote = (struct vote_answer){.record = fuzz->people[below(input, PEOPLE)],
                                         .kind = (enum vote_kind)below(input, VOTE_FOUNDING + 1),
                                         .result = (enum vote_result)below(input, VOTE_MUTE + 1),
                                         .version = near(input, core_view(fuzz->core)->version),
                                         .promised = near(input, core_view(fuzz->core)->epoch),
                                         .wait_ms = near(input, 100)};
}

static void fill_probe(struct fuzz *fuzz, struct input *input, struct probe *probe)
{
    probe->view = any_view_id(fuzz, input);
    probe->holders = (uint32_t)below(input, 9);
    probe->answer = below(input, 2) == 0;
    probe->seed_count = (uint8_t)below(input, 2);
    probe->seeds[0] = address_of(below(input, PEOPLE));
    probe->guard_met = true;
    probe->terms = any_terms(input);
    probe->coordinator = address_of(below(input, PEOPLE) + 1);
}

static void fill_body(struct fuzz *fuzz, struct input *input, struct message *message)
{
    switch (message->type) {
    case MESSAGE_HEARTBEAT:
        fill_heartbeat(fuzz, input, &message->heartbeat);
        break;
    case MESSAGE_ACK:
    case MESSAGE_NACK:
    case MESSAGE_COMMIT:
    case MESSAGE_NOT_FOLLOWING:
        message->reference.view = any_view_id(fuzz, input);
        message->reference.promised = near(input, core_view(fuzz->core)->epoch);
        break;
    case MESSAGE_VIEW:
    case MESSAGE_PREPARE:
    case MESSAGE_HANDOVER:
    case MESSAGE_MERGE:
        fill_carrier(fuzz, input, &message->carrier);
        break;
    case MESSAGE_MERGE_REFUSED:
        message->merge_refused.merge = below(input, 3);
        message->merge_refused.reason = (enum merge_refusal)(below(input, MERGE_REFUSED_LEAPS) + 1);
        break;
    case MESSAGE_CLAIM:
    case MESSAGE_VOTE:
        fill_vote(fuzz, input, &message->carrier);
        break;
    case MESSAGE_JOIN:
    case MESSAGE_READY:
        fill_joiner(fuzz, input, &message->joiner);
        break;
    case MESSAGE_JOIN_REFUSED:
        message->join_refused.reason = (enum join_refusal)(below(input, 3) + 1);
        break;
    case MESSAGE_PING:
    case MESSAGE_PONG:
        message->ping.subject = fuzz->people[below(input, PEOPLE)];
        message->ping.origin = below(input, 2) == 0 ? core_self(fuzz->core)->id
                                                    : fuzz->people[below(input, PEOPLE)];
        break;
    case MESSAGE_PROBE:
        fill_probe(fuzz, input, &message->probe);
        break;
    case MESSAGE_WISH:
        fill_wish(fuzz, input, &message->wish);
        break;
    case MESSAGE_ROLES_ASK:
    case MESSAGE_ROLES_ENTER:
    case MESSAGE_ROLES_LET_GO:
    case MESSAGE_ROLES_ANSWER:
    case MESSAGE_ROLES_PLACE:
        message->role = any_role(fuzz, input);
        break;
    case MESSAGE_OFFER:
    case MESSAGE_PULL:
    case MESSAGE_HELLO:
        break;
    }
}

/* What the core says of its right to act fits together, and is never more than a lease gives. */
static void check_acting(const struct fuzz *fuzz)
{
    uint64_t until_ms = core_acting_until_ms(fuzz->core, fuzz->now_ms);

    assert((until_ms > fuzz->now_ms) == core_is_acting(fuzz->core, fuzz->now_ms));
    assert(until_ms <= fuzz->now_ms + core_acting_span_ms(fuzz->core));
}

static void give(struct fuzz *fuzz, const struct event *event)
{
    struct effects effects = core_step(fuzz->core, event);

    for (uint32_t i = 0; i < effects.count; i++) {
        if (effects.items[i].type == EFFECT_SEND) {
            fuzz->sent = effects.items[i].message->number;
        }
    }
    check_acting(fuzz);
}

static void step_message(struct fuzz *fuzz, struct input *input, struct event *event)
{
    struct message message = {0};
    uint64_t who = below(input, PEOPLE);

    message.type = (enum message_type)(below(input, MESSAGE_TYPE_COUNT - 1) + 1);
    message.from = fuzz->people[who];
    message.number = below(input, 8) == 0 ? byte_of(input) : ++fuzz->numbers[who];
    message.to = core_self(fuzz->core)->id;
    message.fellow = below(input, 4) != 0;
    const uint64_t relay = below(input, 16);
    message.relay = relay < 2;
    message.handed_on = relay == 1;
    message.echo = (uint32_t)near(input, fuzz->sent);
    if (message.relay && below(input, 2) == 0) {
        message.to = fuzz->people[below(input, PEOPLE)];
    }
    message.source = address_of(who + 1);
    fill_body(fuzz, input, &message);
    event->type = EVENT_MESSAGE;
    event->message = &message;
    give(fuzz, event);
}

static void step_link(struct fuzz *fuzz, struct input *input, struct event *event)
{
    event->type = EVENT_LINK;
    event->link.peer = fuzz->people[below(input, PEOPLE)];
    event->link.news = (enum link_news)below(input, LINK_KERNEL + 1);
    give(fuzz, event);
}

static void step_addresses(struct fuzz *fuzz, struct input *input, struct event *event)
{
    struct address addresses[4];
    uint32_t count = (uint32_t)below(input, 5);

    for (uint32_t i = 0; i < count; i++) {
        addresses[i] = address_of(below(input, PEOPLE + 1));
    }
    event->type = EVENT_ADDRESSES;
    event->addresses.source = below(input, 4) == 0 ? ADDRESSES_REMEMBERED : ADDRESSES_SEEDS;
    event->addresses.addresses = addresses;
    event->addresses.count = count;
    give(fuzz, event);
}

static void step(struct fuzz *fuzz, struct input *input)
{
    uint8_t what = byte_of(input);
    struct event event = {.type = EVENT_TICK};

    if (what % 3 == 0) {
        uint64_t due_ms = core_deadline_ms(fuzz->core);
        bool jump = due_ms != NEVER_MS && due_ms > fuzz->now_ms;
        fuzz->now_ms = jump ? due_ms : fuzz->now_ms + 1;
        fuzz->now_ms += what % 16 == 0 ? (uint64_t)byte_of(input) * 20 : 0;
    }
    event.now_ms = fuzz->now_ms;
    if (what % 3 == 0) {
        give(fuzz, &event);
    } else if (what < 230) {
        step_message(fuzz, input, &event);
    } else if (what < 248) {
        step_link(fuzz, input, &event);
    } else if (what < 254) {
        step_addresses(fuzz, input, &event);
    } else if (below(input, 8) == 0) {
        event.type = EVENT_LEAVE;
        give(fuzz, &event);
    } else if (below(input, 2) == 0) {
        event.type = EVENT_MOVE;
        event.move = any_move(fuzz, input);
        give(fuzz, &event);
    } else if (below(input, 4) == 0) {
        const struct tags tags = any_tags(input);
        event.type = EVENT_TAGS;
        event.tags = &tags;
        give(fuzz, &event);
    } else if (below(input, 2) == 0) {
        struct role_command role = {.wish = (enum role_wish)(below(input, 4) + 1),
                                    .request = any_request(input),
                                    .terms = any_role_terms(input),
                                    .grace_ms = near(input, 100)};
        any_role_name(input, role.role);
        event.type = EVENT_ROLE;
        event.role = &role;
        give(fuzz, &event);
    } else {
        event.type = EVENT_WITHDRAWN;
        give(fuzz, &event);
    }
}

static void fuzz_init(struct fuzz *fuzz)
{
    struct core_options options = {.name = "A",
                                   .address = address_of(0),
                                   .guard = {.policy = GUARD_NONE},
                                   .profile = PROFILE_LAN,
                                   .watchers = WATCHERS_DEFAULT,
                                   .fanout = FANOUT_LEAST,
                                   .timing = timing_of(PROFILE_LAN),
                                   .capacity = CAPACITY,
                                   .has_seeds = true,
                                   .random_seed = {1, 2, 3, 4}};

    memset(fuzz, 0, sizeof *fuzz);
    fuzz->now_ms = 1;
    fuzz->block = calloc(1, core_bytes(CAPACITY));
    fuzz->storage = calloc(1, view_bytes(CAPACITY));
    assert(fuzz->block != NULL && fuzz->storage != NULL);
    fuzz->core = core_init(fuzz->block, &options, fuzz->now_ms);
    view_init(&fuzz->view, CAPACITY, fuzz->storage);
    for (int i = 0; i < PEOPLE; i++) {
        memset(fuzz->people[i].bytes, 'B' + i, sizeof fuzz->people[i].bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct input input = {bytes, length};
    struct fuzz fuzz;

    fuzz_init(&fuzz);
    for (int i = 0; i < STEPS_MAX && input.length > 0; i++) {
        step(&fuzz, &input);
    }
    free(fuzz.block);
    free(fuzz.storage);
    return 0;
}

#ifdef FUZZ_STANDALONE
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

enum { INPUT_BYTES_MAX = 65536 };

static bool replay_file(const char *path)
{
    uint8_t *bytes = malloc(INPUT_BYTES_MAX);
    FILE *file = fopen(path, "rb");
    bool read = bytes != NULL && file != NULL;

    if (read) {
        LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, INPUT_BYTES_MAX, file));
    }
    if (file != NULL) {
        fclose(file);
    }
    free(bytes);
    return read;
}

static int replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    char name[4096];
    int count = 0;

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.') {
            snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
            count += replay_file(name);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count;
}

static int replay_random(uint64_t count)
{
    uint8_t bytes[8192];
    struct random random;

    for (uint64_t seed = 0; seed < count; seed++) {
        random_seed(&random, seed);
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)random_u64(&random);
        }
        LLVMFuzzerTestOneInput(bytes, sizeof bytes);
    }
    return (int)count;
}

int main(int argc, char **argv)
{
    int count = 0;

    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (strcmp(argv[i], "--random") == 0 && i + 1 < argc) {
            count += replay_random(strtoull(argv[++i], NULL, 10));
        } else if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode)) {
            count += replay_folder(argv[i]);
        } else {
            count += replay_file(argv[i]);
        }
    }
    printf("%d inputs replayed\n", count);
    return count > 0 ? 0 : 1;
}
#endif

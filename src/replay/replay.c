#include "replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "proto/voter_file.h"
#include "proto/wire.h"

struct replay {
    const struct replay_options *options;
    struct replay_outcome outcome;
    struct recording_reader reader;
    struct recording_start start;
    struct record record;
    struct message message;
    void *block;
    struct core *core;    /* in it */
    uint64_t sync_number; /* of the last EFFECT_SYNC */
    struct wire *wire;
    struct voter_file voter_file; /* what a voter was started with */
    struct view accepted;         /* its view */
    void *accepted_storage;
    uint64_t copy_hash; /* of the bytes given to on_copy */
    bool sealed;        /* nothing was copied since the last checkpoint */
    bool ended;         /* the recording says so */
};

/* --- The copy -------------------------------------------------------------------------------- */

static void copy(struct replay *replay, const uint8_t *bytes, size_t length)
{
    if (replay->options->on_copy != NULL) {
        replay->options->on_copy(replay->options->context, bytes, length);
        replay->copy_hash = hash_bytes(replay->copy_hash, bytes, length);
    }
}

static void copy_record(struct replay *replay)
{
    const struct recording_reader *reader = &replay->reader;

    copy(replay, reader->bytes + replay->record.at, reader->at - replay->record.at);
    replay->sealed = false;
}

static void copy_checkpoint(struct replay *replay)
{
    const struct checkpoint checkpoint = {.state = core_state_hash(replay->core),
                                          .bytes = replay->copy_hash};
    uint8_t bytes[RECORDING_SMALL_BYTES_MAX];

    copy(replay, bytes, recording_write_checkpoint(bytes, &checkpoint));
    replay->sealed = true;
}

static void copy_end(struct replay *replay)
{
    uint8_t bytes[RECORDING_SMALL_BYTES_MAX];

    if (!replay->sealed) {
        copy_checkpoint(replay);
    }
    copy(replay, bytes, recording_write_end(bytes, RECORDING_CLOSED));
}

/* --- One record ------------------------------------------------------------------------------ */

static void find_fault(struct replay *replay, enum replay_verdict verdict)
{
    if (replay->outcome.verdict == REPLAY_SAME) {
        replay->outcome.verdict = verdict;
        replay->outcome.at = replay->record.at;
        replay->outcome.at_count = replay->outcome.event_count;
        replay->outcome.at_ms = replay->outcome.offset_ms;
    }
}

static bool decode(struct replay *replay)
{
    struct record *record = &replay->record;

    replay->message.source = record->source;
    const enum wire_error error = wire_decode(replay->wire, record->frame, record->frame_length,
                                              &replay->message);
    if (error == WIRE_BASE && replay->outcome.gap) {
        return false; /* The view that it is a change of came into the gap: it cannot be listed. */
    }
    if (error != WIRE_OK) {
        find_fault(replay, REPLAY_REFUSED);
        return false;
    }
    record->event.message = &replay->message;
    return true;
}

/* A core that decides differently, or a file that nobody's core wrote, may tell of a disk that has
 * more than it was asked to write. */
static void limit_synced(struct replay *replay)
{
    struct event *event = &replay->record.event;

    if (event->type == EVENT_SYNCED && event->synced.number > replay->sync_number) {
        event->synced.number = replay->sync_number;
    }
}

static void note_syncs(struct replay *replay, const struct effects *effects)
{
    for (size_t i = 0; i < effects->count; i++) {
        if (effects->items[i].type == EFFECT_SYNC) {
            replay->sync_number = effects->items[i].number;
        }
    }
}

static void list(struct replay *replay)
{
    struct replay_outcome *outcome = &replay->outcome;
    const struct replay_options *options = replay->options;

    outcome->event_count++;
    outcome->offset_ms = replay->record.event.now_ms - replay->start.now_ms;
    if (options->on_listed != NULL) {
        options->on_listed(options->context,
                           &(struct replay_listed){.offset_ms = outcome->offset_ms,
                                                   .start = &replay->start,
                                                   .event = &replay->record.event});
    }
}

static void step(struct replay *replay)
{
    struct replay_outcome *outcome = &replay->outcome;
    const struct event *event = &replay->record.event;

    if (event->type == EVENT_MESSAGE && !decode(replay)) {
        return;
    }
    if (outcome->gap) {
        list(replay);
        return;
    }
    limit_synced(replay);
    const struct effects effects = core_step(replay->core, event);
    note_syncs(replay, &effects);
    outcome->event_count++;
    outcome->offset_ms = event->now_ms - replay->start.now_ms;
    if (replay->options->on_step != NULL) {
        replay->options->on_step(replay->options->context,
                                 &(struct replay_step){.number = outcome->event_count,
                                                       .offset_ms = outcome->offset_ms,
                                                       .start = &replay->start,
                                                       .event = event,
                                                       .effects = effects,
                                                       .core = replay->core});
    }
}

static void compare(struct replay *replay)
{
    if (replay->outcome.gap) {
        return;
    }
    if (core_state_hash(replay->core) != replay->record.checkpoint.state) {
        find_fault(replay, REPLAY_DIFFERS);
    } else if (replay->outcome.verdict == REPLAY_SAME) {
        replay->outcome.checked_count = replay->outcome.event_count;
    }
}

static void apply_record(struct replay *replay)
{
    switch (replay->record.type) {
    case RECORD_TICK:
    case RECORD_MESSAGE:
    case RECORD_LINK:
    case RECORD_ADDRESSES:
    case RECORD_LEAVE:
    case RECORD_SYNCED:
    case RECORD_MOVE:
    case RECORD_WITHDRAWN:
    case RECORD_ROLE:
    case RECORD_ROLE_WITH_NEED:
    case RECORD_TAGS:
    case RECORD_TERMS:
        step(replay);
        copy_record(replay);
        return;
    case RECORD_GAP:
        replay->outcome.gap = true;
        copy_record(replay);
        return;
    case RECORD_CHECKPOINT:
        compare(replay);
        copy_checkpoint(replay);
        return;
    case RECORD_END:
        replay->ended = true;
        replay->outcome.full = replay->record.end == RECORDING_FULL;
        return;
    }
}

/* --- All of it ------------------------------------------------------------------------------- */

static bool is_late(const struct replay *replay)
{
    const uint64_t offset_ms = replay->reader.now_ms - replay->start.now_ms;

    return offset_ms > replay->options->until_ms;
}

static void run(struct replay *replay)
{
    struct recording_reader *reader = &replay->reader;
    struct replay_outcome *outcome = &replay->outcome;

    copy(replay, reader->bytes, reader->at);
    while (!recording_is_over(reader)) {
        const enum recording_error error = recording_next(reader, &replay->record);
        if (error == RECORDING_TORN) {
            break;
        }
        if (error != RECORDING_OK) {
            outcome->verdict = REPLAY_SAME; /* Nothing can be said of what is not sound. */
            outcome->error = error;
            find_fault(replay, REPLAY_UNREADABLE);
            break;
        }
        if (is_late(replay)) {
            replay->ended = true;
            break;
        }
        apply_record(replay);
    }
    outcome->torn = !replay->ended;
    outcome->view_count = core_counters(replay->core)->views_installed;
    outcome->state = core_state_hash(replay->core);
    memcpy(outcome->program, replay->start.program, sizeof outcome->program);
    copy_end(replay);
}

/* What a voter was started with (Z3a). Returns false when no such record was ever written. */
static bool read_record(struct replay *replay)
{
    struct recording_start *start = &replay->start;

    if (start->record_length == 0) {
        return true;
    }
    view_init(&replay->accepted, start->options.capacity, replay->accepted_storage);
    start->options.record = &replay->voter_file.record;
    return voter_file_read(start->record, start->record_length, &replay->accepted,
                           &replay->voter_file) == VOTER_FILE_OK;
}

/* Returns REPLAY_SAME when there is a core to begin with. */
static enum replay_verdict open_core(struct replay *replay)
{
    const uint32_t capacity = replay->start.options.capacity;

    replay->wire = wire_new(replay->start.cluster, capacity);
    replay->block = calloc(1, core_bytes(capacity));
    replay->accepted_storage = calloc(1, view_bytes(capacity));
    if (replay->wire == NULL || replay->block == NULL || replay->accepted_storage == NULL) {
        return REPLAY_NO_MEMORY;
    }
    if (!read_record(replay)) {
        return REPLAY_UNREADABLE;
    }
    replay->core = core_init(replay->block, &replay->start.options, replay->start.now_ms);
    wire_set_bases(replay->wire, core_view(replay->core), core_accepted(replay->core));
    return REPLAY_SAME;
}

static struct replay_outcome replay_from_start(struct replay *replay)
{
    switch (open_core(replay)) {
    case REPLAY_SAME:
        run(replay);
        return replay->outcome;
    case REPLAY_UNREADABLE:
        return (struct replay_outcome){.verdict = REPLAY_UNREADABLE, .error = RECORDING_DAMAGED};
    case REPLAY_DIFFERS:
    case REPLAY_REFUSED:
    case REPLAY_NO_MEMORY:
        break;
    }
    return (struct replay_outcome){.verdict = REPLAY_NO_MEMORY};
}

struct replay_outcome replay_run(const uint8_t *bytes, size_t length,
                                 const struct replay_options *options)
{
    struct replay *replay = calloc(1, sizeof *replay);
    struct replay_outcome outcome = {.verdict = REPLAY_NO_MEMORY};

    if (replay == NULL) {
        return outcome;
    }
    replay->options = options;
    replay->copy_hash = HASH_START;
    const enum recording_error error = recording_open(&replay->reader, bytes, length,
                                                      &replay->start);
    if (error != RECORDING_OK) {
        outcome = (struct replay_outcome){.verdict = REPLAY_UNREADABLE, .error = error};
    } else {
        outcome = replay_from_start(replay);
    }
    wire_free(replay->wire);
    free(replay->accepted_storage);
    free(replay->block);
    free(replay);
    return outcome;
}

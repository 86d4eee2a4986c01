#include "runtime/services/user_post.h"

#include <assert.h>
#include <stdlib.h>

const char *user_refusal_text(enum user_refusal refusal)
{
    switch (refusal) {
    case USER_TAKEN:
        return "taken";
    case USER_UNWANTED:
        return "not wanted";
    case USER_NOT_MEMBER:
        return "not a member";
    case USER_OTHER_LIFE:
        return "for another life";
    case USER_STRANGER:
        return "of no member";
    case USER_REPEATED:
        return "came before or too old to tell";
    case USER_FLOOD:
        return "over budget";
    case USER_FULL:
        return "queue full";
    case USER_REFUSALS:
        break;
    }
    return "unknown";
}

void user_post_open(struct user_post *post, const struct core *core, uint32_t capacity)
{
    post->core = core;
    post->capacity = capacity;
}

void user_post_close(struct user_post *post)
{
    free(post->senders);
    post->senders = NULL;
    post->on_message = NULL;
}

bool user_post_listen(struct user_post *post, bool counts_numbers, user_post_on_message *on_message,
                      void *context)
{
    assert(post->senders == NULL);
    post->senders = calloc(post->capacity, sizeof *post->senders);
    if (post->senders == NULL) {
        return false;
    }
    post->counts_numbers = counts_numbers;
    post->on_message = on_message;
    post->context = context;
    return true;
}

uint64_t user_post_take_number(struct user_post *post, uint64_t now_ms)
{
    return per_second_take(&post->sent, USER_SENT_PER_S, now_ms) ? ++post->number : 0;
}

/* The entry of that member. A new one takes a free place, or that of a life that is no member any
 * more; there is one, as this node itself has none. Members mostly stand near their positions. */
static struct user_sender *find_sender(struct user_post *post, const struct node_id *life,
                                       uint32_t position)
{
    const struct view *view = core_view(post->core);
    struct user_sender *place = NULL;

    for (uint32_t i = 0; i < post->capacity; i++) {
        struct user_sender *sender = &post->senders[(position + i) % post->capacity];
        if (id_equal(&sender->life, life)) {
            return sender;
        }
        if (place == NULL && id_is_none(&sender->life)) {
            place = sender;
        }
    }
    for (uint32_t i = 0; place == NULL && i < post->capacity; i++) {
        if (view_find(view, &post->senders[i].life) == VIEW_NONE) {
            place = &post->senders[i];
        }
    }
    assert(place != NULL);
    *place = (struct user_sender){.life = *life};
    return place;
}

static enum user_refusal judge(struct user_post *post, const struct user_message *message,
                               uint32_t position, uint64_t now_ms)
{
    if (post->on_message == NULL) {
        return USER_UNWANTED;
    }
    if (core_phase(post->core) != PHASE_MEMBER) {
        return USER_NOT_MEMBER;
    }
    if (!id_equal(&message->to, &core_self(post->core)->id)) {
        return USER_OTHER_LIFE;
    }
    if (position == VIEW_NONE || id_equal(&message->from, &message->to)) {
        return USER_STRANGER;
    }
    struct user_sender *sender = find_sender(post, &message->from, position);
    if (!per_second_take(&sender->taken, USER_TAKEN_PER_S, now_ms)) {
        return USER_FLOOD;
    }
    if (post->counts_numbers && !window_is_new(&sender->window, message->number)) {
        return USER_REPEATED;
    }
    if (post->counts_numbers) {
        window_take(&sender->window, message->number);
    }
    return USER_TAKEN;
}

enum user_refusal user_post_receive(struct user_post *post, const struct user_message *message,
                                    uint64_t now_ms)
{
    const struct view *view = core_view(post->core);
    const uint32_t position = view_find(view, &message->from);
    const enum user_refusal refusal = judge(post, message, position, now_ms);

    if (refusal == USER_TAKEN && !post->on_message(post->context, &view->members[position],
                                                   message->data, message->length)) {
        return USER_FULL;
    }
    return refusal;
}

#include "replay/print.h"

#include <string.h>
#include <time.h>

#include "core/model/message.h"
#include "core/model/view.h"
#include "words/address_text.h"
#include "words/message_words.h"
#include "words/notice_fields.h"
#include "words/refused_text.h"

/* --- What came in ---------------------------------------------------------------------------- */

enum { WHO_MAX = NAME_BYTES_MAX + 1 > ADDRESS_TEXT_MAX ? NAME_BYTES_MAX + 1 : ADDRESS_TEXT_MAX };

/* An input in words: "message", "grant", "cyrene". */
struct input {
    const char *type;
    const char *what;
    char who[WHO_MAX]; /* empty for nobody */
};

/* By name, as the view or its memory of the gone has it; false for a stranger. */
static bool find_name(const struct view *view, const struct node_id *id, char out[WHO_MAX])
{
    const uint32_t position = view_find(view, id);
    const struct gone *gone = view_find_gone(view, id);

    if (position == VIEW_NONE && gone == NULL) {
        return false;
    }
    snprintf(out, WHO_MAX, "%s", position != VIEW_NONE ? view->members[position].name : gone->name);
    return true;
}

static void name_sender(const struct message *message, const struct core *core, char out[WHO_MAX])
{
    char address[ADDRESS_TEXT_MAX];

    if (message->type == MESSAGE_JOIN || message->type == MESSAGE_READY) {
        snprintf(out, WHO_MAX, "%s", message->joiner.member.name);
    } else if (!find_name(core_view(core), &message->from, out)) {
        snprintf(out, WHO_MAX, "%s", address_text(&message->source, address));
    }
}

const char *link_news_text(enum link_news news)
{
    switch (news) {
    case LINK_OPENED:
        return "opened";
    case LINK_CLOSED:
        return "closed";
    case LINK_REFUSED:
        return "refused";
    case LINK_STRANGER:
        return "stranger";
    case LINK_FAILED:
        return "failed";
    case LINK_KERNEL:
        return "kernel_answers";
    }
    return "unknown";
}

static struct input input_of(const struct replay_step *step)
{
    const struct event *event = step->event;
    struct input input = {.type = "tick", .what = ""};

    switch (event->type) {
    case EVENT_TICK:
        break;
    case EVENT_MESSAGE:
        input.type = "message";
        input.what = message_text(event->message->type);
        name_sender(event->message, step->core, input.who);
        break;
    case EVENT_LINK:
        input.type = "link";
        input.what = link_news_text(event->link.news);
        if (!find_name(core_view(step->core), &event->link.peer, input.who)) {
            snprintf(input.who, sizeof input.who, "?");
        }
        break;
    case EVENT_ADDRESSES:
        input.type = "addresses";
        input.what = event->addresses.source == ADDRESSES_SEEDS ? "seeds" : "another_life";
        break;
    case EVENT_LEAVE:
        input.type = "leave";
        break;
    case EVENT_SYNCED:
        input.type = "synced";
        input.what = event->synced.ok ? "written" : "failed";
        break;
    case EVENT_MOVE:
        input.type = "move";
        if (!find_name(core_view(step->core), &event->move.subject, input.who)) {
            snprintf(input.who, sizeof input.who, "?");
        }
        break;
    case EVENT_WITHDRAWN:
        input.type = "withdrawn";
        break;
    case EVENT_ROLE:
        input.type = "role";
        input.what = event->role->role;
        break;
    case EVENT_TAGS:
        input.type = "tags";
        break;
    case EVENT_TERMS:
        input.type = "terms";
        break;
    }
    return input;
}

/* --- Text ------------------------------------------------------------------------------------ */

static void print_start_text(FILE *out, const struct recording_start *start)
{
    const time_t seconds = (time_t)(start->wall_ms / 1000);
    struct tm parts;
    char date[32] = "";

    if (gmtime_r(&seconds, &parts) != NULL) {
        (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    fprintf(out, "%s of cluster %s, recorded by doyend %s since %s\n", start->name, start->cluster,
            start->program, date);
}

/* "    12.345  claim        name=byzantium step=won claim_epoch=2  <- grant from cyrene"; below the
 * line of its input without a time, and without the arrow. */
static void print_text(const struct printer *printer, const struct replay_step *step,
                       const struct input *input, const char *event, const char *text)
{
    FILE *out = printer->out;

    if (printer->messages) {
        fprintf(out, "%12s%-12s %s\n", "", event, text);
        return;
    }
    fprintf(out, "%6llu.%03u  %-12s %s  <- ", (unsigned long long)(step->offset_ms / 1000),
            (unsigned)(step->offset_ms % 1000), event, text);
    if (step->event->type == EVENT_LINK) {
        fprintf(out, "link to %s %s", input->who, input->what);
    } else if (step->event->type == EVENT_ADDRESSES) {
        fprintf(out, "addresses of %s", input->what);
    } else if (step->event->type == EVENT_MESSAGE) {
        fprintf(out, "%s from %s", input->what, input->who);
    } else {
        fputs(input->type, out);
    }
    fputc('\n', out);
}

/* "    12.345  message      claim from=byzantium number=12 view=1.5@athens epoch=2" */
static void print_input_text(FILE *out, const struct replay_step *step, const struct input *input,
                             const char *words)
{
    char text[MESSAGE_WORDS_MAX + WHO_MAX + 96];

    if (step->event->type == EVENT_MESSAGE) {
        snprintf(text, sizeof text, " %s from=%s number=%llu%s%s", input->what, input->who,
                 (unsigned long long)step->event->message->number, words[0] == '\0' ? "" : " ",
                 words);
    } else if (input->who[0] != '\0') {
        snprintf(text, sizeof text, " %s peer=%s", input->what, input->who);
    } else {
        snprintf(text, sizeof text, "%s%s", input->what[0] == '\0' ? "" : " ", input->what);
    }
    fprintf(out, "%6llu.%03u  %-*s%s\n", (unsigned long long)(step->offset_ms / 1000),
            (unsigned)(step->offset_ms % 1000), text[0] == '\0' ? 0 : 12, input->type, text);
}

/* --- JSON ------------------------------------------------------------------------------------ */

/* Control characters, which could end the line, become "?"; what is not ASCII is left alone. */
static void quote(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fputc('\\', out);
        }
        fputc((unsigned char)*c < ' ' ? '?' : *c, out);
    }
    fputc('"', out);
}

static void print_key(FILE *out, const char *key)
{
    fputc(',', out);
    quote(out, key);
    fputc(':', out);
}

static void print_field(FILE *out, const struct notice_field *field)
{
    print_key(out, field->key);
    switch (field->kind) {
    case FIELD_NULL:
        fputs("null", out);
        return;
    case FIELD_TEXT:
    case FIELD_NAMES:
    case FIELD_VIEW:
    case FIELD_TAGS:
        quote(out, field->text);
        return;
    case FIELD_NUMBER:
        fprintf(out, "%llu", (unsigned long long)field->number);
        return;
    case FIELD_WIDE:
        fprintf(out, "\"%llu\"", (unsigned long long)field->number);
        return;
    case FIELD_FLAG:
        fputs(field->number == 1 ? "true" : "false", out);
        return;
    }
}

static void print_start_json(FILE *out, const struct recording_start *start)
{
    fprintf(out, "{\"recording\":{\"wall_ms\":%lld", (long long)start->wall_ms);
    print_key(out, "node");
    quote(out, start->name);
    print_key(out, "cluster");
    quote(out, start->cluster);
    print_key(out, "version");
    quote(out, start->program);
    fputs("}}\n", out);
}

/* The beginning of a line; the caller ends it. */
static void begin_json(FILE *out, const struct replay_step *step, const struct input *input,
                       const char *event)
{
    fprintf(out, "{\"offset_ms\":%llu,\"number\":%llu", (unsigned long long)step->offset_ms,
            (unsigned long long)step->number);
    fputs(",\"input\":{\"type\":", out);
    quote(out, input->type);
    if (input->what[0] != '\0') {
        print_key(out, "what");
        quote(out, input->what);
    }
    if (input->who[0] != '\0') {
        print_key(out, "from");
        quote(out, input->who);
    }
    if (step->event->type == EVENT_MESSAGE) {
        fprintf(out, ",\"message_number\":\"%llu\"",
                (unsigned long long)step->event->message->number);
    }
    fputc('}', out);
    print_key(out, "event");
    quote(out, event);
}

static void print_member(FILE *out, const char *key, const char *text)
{
    print_key(out, key);
    quote(out, text);
}

/* --- Both ------------------------------------------------------------------------------------ */

/* What is said of a step, and in what. */
struct scene {
    struct printer *printer;
    const struct replay_step *step;
    struct input input;
};

static void print_notice(const struct scene *scene, const struct notice *notice)
{
    struct printer *printer = scene->printer;
    const struct replay_step *step = scene->step;
    struct notice_fields fields;
    char text[NOTICE_TEXT_MAX];

    const struct journal_entry *entry = journal_append(
        printer->journal, notice, step->core, step->event->now_ms,
        step->start->wall_ms + (int64_t)step->offset_ms);
    if (entry == NULL) {
        return; /* Only counted, as in the log. */
    }
    notice_fields(entry, &fields);
    if (!printer->json) {
        notice_text(entry, &fields, text);
        print_text(printer, step, &scene->input, notice_event(notice->type), text);
        return;
    }
    begin_json(printer->out, step, &scene->input, notice_event(notice->type));
    for (size_t i = 0; i < fields.count; i++) {
        print_field(printer->out, &fields.items[i]);
    }
    fputs("}\n", printer->out);
}

static void print_refused(const struct scene *scene, const struct refused_message *refused)
{
    FILE *out = scene->printer->out;
    char sender[SENDER_TEXT_MAX];
    char text[REFUSED_TEXT_MAX];

    (void)sender_text(core_view(scene->step->core), &refused->from, &refused->source, sender);
    if (!scene->printer->json) {
        print_text(scene->printer, scene->step, &scene->input, "refused",
                   refused_text(refused, sender, text));
        return;
    }
    begin_json(out, scene->step, &scene->input, "refused");
    print_member(out, "rule", refusal_clause(refused->reason));
    print_member(out, "reason", refusal_name(refused->reason));
    print_member(out, "type", message_text(refused->type));
    print_member(out, "from", sender);
    print_member(out, "text", refusal_text(refused->reason));
    fputs("}\n", out);
}

static void print_words(const struct scene *scene, const char *event, const char *words)
{
    if (!scene->printer->json) {
        print_text(scene->printer, scene->step, &scene->input, event, words);
        return;
    }
    begin_json(scene->printer->out, scene->step, &scene->input, event);
    print_member(scene->printer->out, "text", words);
    fputs("}\n", scene->printer->out);
}

enum { RECEIVERS_MAX = 256, SEND_TEXT_MAX = MESSAGE_WORDS_MAX + RECEIVERS_MAX + 96 };

/* One line for a message and all its receivers; returns the effect after the last of them. */
static uint32_t print_send(const struct scene *scene, uint32_t first)
{
    const struct effects *effects = &scene->step->effects;
    const struct message *message = effects->items[first].message;
    const struct view *view = core_view(scene->step->core);
    char receivers[RECEIVERS_MAX] = "";
    char words[MESSAGE_WORDS_MAX];
    char text[SEND_TEXT_MAX];
    size_t used = 0;
    uint32_t i = first;

    for (; i < effects->count && effects->items[i].type == EFFECT_SEND &&
           effects->items[i].message == message;
         i++) {
        char name[SENDER_TEXT_MAX];
        const struct effect *effect = &effects->items[i];
        (void)sender_text(view, &effect->peer, &effect->address, name);
        const int length = snprintf(receivers + used, sizeof receivers - used, "%s%s",
                                    used == 0 ? "" : ",", name);
        used += length > 0 && used + (size_t)length < sizeof receivers ? (size_t)length : 0;
    }
    (void)message_words(message, view, words);
    snprintf(text, sizeof text, "%s to=%s number=%llu%s%s", message_text(message->type), receivers,
             (unsigned long long)message->number, words[0] == '\0' ? "" : " ", words);
    print_words(scene, "send", text);
    return i;
}

static bool is_bound_alike(const struct bound_state *a, const struct bound_state *b)
{
    return a->epoch == b->epoch && id_equal(&a->to, &b->to) &&
           view_id_equal(&a->accepted, &b->accepted);
}

static void print_bound(const struct scene *scene, const struct bound_state *before,
                        const struct bound_state *now)
{
    const struct view *view = core_view(scene->step->core);
    const struct address nowhere = {.port = 0};
    char name[SENDER_TEXT_MAX];
    char view_name[VIEW_NAME_MAX];
    char text[128];

    if (before->epoch != now->epoch || !id_equal(&before->to, &now->to)) {
        snprintf(text, sizeof text, "epoch=%llu to=%s", (unsigned long long)now->epoch,
                 sender_text(view, &now->to, &nowhere, name));
        print_words(scene, "promise", now->epoch == 0 ? "none" : text);
    }
    if (!view_id_equal(&before->accepted, &now->accepted)) {
        view_name_print(&now->accepted,
                        sender_text(view, &now->accepted.coordinator, &nowhere, name), view_name);
        print_words(scene, "proposal", now->accepted.lineage == 0 ? "none" : view_name);
    }
}

/* Heartbeats that come, and go out, and change nothing, say nothing. */
static bool is_quiet(const struct replay_step *step)
{
    const struct event *event = step->event;
    bool quiet = event->type == EVENT_TICK ||
                 (event->type == EVENT_MESSAGE && event->message->type == MESSAGE_HEARTBEAT);

    for (uint32_t i = 0; quiet && i < step->effects.count; i++) {
        const struct effect *effect = &step->effects.items[i];
        quiet = effect->type != EFFECT_NOTICE && effect->type != EFFECT_REFUSED &&
                (effect->type != EFFECT_SEND || effect->message->type == MESSAGE_HEARTBEAT);
    }
    return quiet;
}

static bool is_wanted(struct printer *printer, const struct scene *scene)
{
    const struct event *event = scene->step->event;

    if (printer->from == NULL) {
        return true;
    }
    if (event->type != EVENT_MESSAGE || event->message->number != printer->message_number ||
        strcmp(scene->input.who, printer->from) != 0) {
        return false;
    }
    printer->found = true;
    return true;
}

/* In the order in which they came about: the message, what was done, or why not, and what this node
 * is bound to now. */
static void print_story(const struct scene *scene, const struct bound_state *before,
                        const struct bound_state *now)
{
    const struct effects *effects = &scene->step->effects;
    const struct event *event = scene->step->event;
    char words[MESSAGE_WORDS_MAX] = "";

    if (event->type == EVENT_MESSAGE) {
        (void)message_words(event->message, core_view(scene->step->core), words);
    }
    if (scene->printer->json) {
        print_words(scene, scene->input.type, words);
    } else {
        print_input_text(scene->printer->out, scene->step, &scene->input, words);
    }
    for (uint32_t i = 0; i < effects->count;) {
        const struct effect *effect = &effects->items[i];
        if (effect->type == EFFECT_SEND) {
            i = print_send(scene, i);
            continue;
        }
        if (effect->type == EFFECT_NOTICE) {
            print_notice(scene, effect->notice);
        } else if (effect->type == EFFECT_REFUSED) {
            print_refused(scene, &effect->refused);
        }
        i++;
    }
    print_bound(scene, before, now);
}

static void print_decisions(const struct scene *scene)
{
    for (uint32_t i = 0; i < scene->step->effects.count; i++) {
        const struct effect *effect = &scene->step->effects.items[i];
        if (effect->type == EFFECT_NOTICE) {
            print_notice(scene, effect->notice);
        } else if (effect->type == EFFECT_REFUSED) {
            print_refused(scene, &effect->refused);
        }
    }
}

void print_step(struct printer *printer, const struct replay_step *step)
{
    const struct scene scene = {.printer = printer, .step = step, .input = input_of(step)};
    const struct bound_state before = printer->bound;
    const struct bound_state now = core_bound(step->core);

    if (!printer->begun) {
        printer->begun = true;
        if (printer->json) {
            print_start_json(printer->out, step->start);
        } else {
            print_start_text(printer->out, step->start);
        }
    }
    printer->bound = now;
    if (!printer->messages) {
        print_decisions(&scene);
    } else if ((!is_quiet(step) || !is_bound_alike(&before, &now) || printer->from != NULL) &&
               is_wanted(printer, &scene)) {
        print_story(&scene, &before, &now);
    }
}

static void print_gap_summary(const struct printer *printer, const struct replay_outcome *outcome)
{
    fprintf(printer->out,
            printer->json
                ? "{\"summary\":{\"events\":%llu,\"gap\":true}}\n"
                : "%llu events listed; those before them are not in this recording, so it "
                  "cannot be run\n",
            (unsigned long long)outcome->event_count);
}

void print_summary(const struct printer *printer, const struct replay_outcome *outcome)
{
    const bool same = outcome->verdict == REPLAY_SAME;

    if (outcome->gap) {
        print_gap_summary(printer, outcome);
        return;
    }
    if (printer->json) {
        fprintf(printer->out,
                "{\"summary\":{\"events\":%llu,\"views\":%llu,\"same\":%s,\"checked\":%llu,"
                "\"offset_ms\":%llu,\"torn\":%s,\"full\":%s,\"state\":\"%016llx\"}}\n",
                (unsigned long long)outcome->event_count, (unsigned long long)outcome->view_count,
                same ? "true" : "false", (unsigned long long)outcome->checked_count,
                (unsigned long long)outcome->offset_ms, outcome->torn ? "true" : "false",
                outcome->full ? "true" : "false", (unsigned long long)outcome->state);
        return;
    }
    fprintf(printer->out, "%llu event%s, %llu view%s, %s", (unsigned long long)outcome->event_count,
            outcome->event_count == 1 ? "" : "s", (unsigned long long)outcome->view_count,
            outcome->view_count == 1 ? "" : "s", same ? "same state" : "another state");
    if (same && outcome->checked_count < outcome->event_count) {
        fprintf(printer->out, " (the last %llu have no checkpoint behind them)",
                (unsigned long long)(outcome->event_count - outcome->checked_count));
    }
    fputs(outcome->torn   ? ", cut short\n"
          : outcome->full ? ", ended at its limit\n"
                          : "\n",
          printer->out);
}

#include "replay/print.h"

#include <time.h>

#include "core/message.h"
#include "core/view.h"
#include "words/address_text.h"
#include "words/message_text.h"
#include "words/notice_text.h"

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

static const char *news_text(enum link_news news)
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
        input.what = news_text(event->link.news);
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

/* "    12.345  claim        step=won claimant=byzantium epoch=2  <- grant from cyrene" */
static void print_text(FILE *out, const struct replay_step *step, const struct input *input,
                       const struct journal_entry *entry, const struct notice_fields *fields)
{
    char text[NOTICE_TEXT_MAX];

    notice_text(entry, fields, text);
    fprintf(out, "%6llu.%03u  %-12s %s  <- ", (unsigned long long)(step->offset_ms / 1000),
            (unsigned)(step->offset_ms % 1000), notice_event(entry->notice.type), text);
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
    case FIELD_TEXT:
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

static void print_json(FILE *out, const struct replay_step *step, const struct input *input,
                       const struct journal_entry *entry, const struct notice_fields *fields)
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
    fputc('}', out);
    print_key(out, "event");
    quote(out, notice_event(entry->notice.type));
    for (size_t i = 0; i < fields->count; i++) {
        print_field(out, &fields->items[i]);
    }
    fputs("}\n", out);
}

/* --- Both ------------------------------------------------------------------------------------ */

static void print_notice(struct printer *printer, const struct replay_step *step,
                         const struct notice *notice)
{
    const struct input input = input_of(step);
    struct notice_fields fields;

    journal_append(printer->journal, notice, step->core, step->event->now_ms,
                   step->start->wall_ms + (int64_t)step->offset_ms);
    const struct journal_entry *entry = journal_get(printer->journal,
                                                    journal_cursor(printer->journal));
    notice_fields(entry, &fields);
    if (printer->json) {
        print_json(printer->out, step, &input, entry, &fields);
    } else {
        print_text(printer->out, step, &input, entry, &fields);
    }
}

void print_step(struct printer *printer, const struct replay_step *step)
{
    if (!printer->begun) {
        printer->begun = true;
        if (printer->json) {
            print_start_json(printer->out, step->start);
        } else {
            print_start_text(printer->out, step->start);
        }
    }
    for (uint32_t i = 0; i < step->effects.count; i++) {
        if (step->effects.items[i].type == EFFECT_NOTICE) {
            print_notice(printer, step, &step->effects.items[i].notice);
        }
    }
}

void print_summary(const struct printer *printer, const struct replay_outcome *outcome)
{
    const bool same = outcome->verdict == REPLAY_SAME;

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

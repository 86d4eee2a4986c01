#include "replay/listing.h"

#include "core/model/message.h"
#include "replay/print.h"
#include "words/address_text.h"

/* "    12.345  message      heartbeat from=10.0.0.5:7420 number=417" */
static void print_text(FILE *out, const struct replay_listed *listed, const char *type,
                       const char *what)
{
    const struct event *event = listed->event;
    char from[ADDRESS_TEXT_MAX];

    fprintf(out, "%6llu.%03u  %-12s %s", (unsigned long long)(listed->offset_ms / 1000),
            (unsigned)(listed->offset_ms % 1000), type, what);
    if (event->type == EVENT_MESSAGE) {
        fprintf(out, " from=%s number=%llu", address_text(&event->message->source, from),
                (unsigned long long)event->message->number);
    }
    fputc('\n', out);
}

static void print_json(FILE *out, const struct replay_listed *listed, const char *type,
                       const char *what)
{
    const struct event *event = listed->event;
    char from[ADDRESS_TEXT_MAX];

    fprintf(out, "{\"offset_ms\":%llu,\"input\":\"%s\",\"what\":\"%s\"",
            (unsigned long long)listed->offset_ms, type, what);
    if (event->type == EVENT_MESSAGE) {
        fprintf(out, ",\"from\":\"%s\",\"number\":\"%llu\"",
                address_text(&event->message->source, from),
                (unsigned long long)event->message->number);
    }
    fputs("}\n", out);
}

void listing_print(FILE *out, bool json, const struct replay_listed *listed)
{
    const struct event *event = listed->event;
    const char *type = "tick";
    const char *what = "";

    switch (event->type) {
    case EVENT_TICK:
        return;
    case EVENT_MESSAGE:
        type = "message";
        what = message_text(event->message->type);
        break;
    case EVENT_LINK:
        type = "link";
        what = link_news_text(event->link.news);
        break;
    case EVENT_ADDRESSES:
        type = "addresses";
        what = event->addresses.source == ADDRESSES_SEEDS ? "seeds" : "another_life";
        break;
    case EVENT_LEAVE:
        type = "leave";
        break;
    case EVENT_SYNCED:
        type = "synced";
        what = event->synced.ok ? "written" : "failed";
        break;
    case EVENT_MOVE:
        type = "move";
        break;
    case EVENT_WITHDRAWN:
        type = "withdrawn";
        break;
    case EVENT_ROLE:
        type = "role";
        what = event->role->role;
        break;
    case EVENT_TAGS:
        type = "tags";
        break;
    case EVENT_TERMS:
        type = "terms";
        break;
    }
    (json ? print_json : print_text)(out, listed, type, what);
}

#include <inttypes.h>

#include "lab/report.h"

/* What the message asks or says. */
static const char *meaning(enum election_message_type type)
{
    switch (type) {
    case ELECTION_CALL:
        return "is anybody better there?";
    case ELECTION_OK:
        return "I am better, leave it to me";
    case ELECTION_COORDINATOR:
        return "I lead";
    case ELECTION_CANDIDATE:
        return "the best so far";
    case ELECTION_ELECTED:
    case ELECTION_LEADER:
        return "who leads";
    case ELECTION_TOKEN:
        return "add your id, and pass it on";
    case ELECTION_NEXT:
        return "who stood before you has gone; who leads";
    case ELECTION_GONE:
        return "the leader has gone";
    case ELECTION_ASK:
        return "who leads?";
    case ELECTION_ANSWER:
        return "who leads";
    case ELECTION_HEARTBEAT:
    case ELECTION_MESSAGE_TYPE_COUNT:
        break;
    }
    return "";
}

static void print_member(uint64_t age)
{
    if (age == NOBODY) {
        fputs("registry", stdout);
    } else {
        printf("%" PRIu64, age);
    }
}

static void print_message(const struct election_message *message, const char *lost)
{
    print_member(message->from);
    fputs(" -> ", stdout);
    print_member(message->to);
    printf("  %s", election_message_name(message->type));
    if (message->type == ELECTION_TOKEN) {
        printf(" with %zu ids", roster_set_count(&message->ids));
    } else if (message->subject != NOBODY) {
        printf(" %" PRIu64, message->subject);
    }
    if (message->round.attempt > 0) {
        printf(" (attempt %" PRIu64 ")", message->round.attempt + 1);
    }
    printf("%s: %s\n", lost, meaning(message->type));
}

static void on_event(void *context, const struct trial_event *event)
{
    (void)context;
    if (event->what == TRIAL_INSTALLED) {
        return;
    }
    printf("%5" PRIu64 " ms  ", event->at_ms);
    switch (event->what) {
    case TRIAL_STARTED:
        printf("%" PRIu64 " begins an election\n", event->member);
        break;
    case TRIAL_FELL:
        printf("%" PRIu64 " falls\n", event->member);
        break;
    case TRIAL_SENT:
        print_message(event->message, "");
        break;
    case TRIAL_LOST:
        print_message(event->message, " is lost");
        break;
    case TRIAL_FOLLOWS:
        if (event->leader == NOBODY) {
            printf("%" PRIu64 " is without a leader\n", event->member);
        } else if (event->leader == event->member) {
            printf("%" PRIu64 " leads\n", event->member);
        } else {
            printf("%" PRIu64 " follows %" PRIu64 "\n", event->member, event->leader);
        }
        break;
    case TRIAL_INSTALLED:
        break;
    }
}

bool report_run(const struct order *order)
{
    struct trial trial = order->trial;
    struct trial_result result;

    trial.algorithm = order->algorithms[0];
    trial.nodes = order->sizes[0];
    trial.tell = on_event;
    if (!trial_run(&trial, &result)) {
        fputs(LAB_PROGRAM ": not enough memory\n", stderr);
        return false;
    }
    fputs("Best first:", stdout);
    for (struct roster left = result.roster; left.count > 0; left.count--) {
        const size_t best = roster_find(&left, roster_best(&left));
        printf(" %" PRIu64, left.members[best].age);
        for (size_t i = best + 1; i < left.count; i++) {
            left.members[i - 1] = left.members[i];
        }
    }
    puts(". The ring is in the order of the numbers. Heartbeats are not shown.");
    if (!result.has_settled) {
        fprintf(stderr, LAB_PROGRAM ": this run had not ended after %d s: another --seed may\n",
                TRIAL_MS_MAX / 1000);
        return false;
    }
    printf("%" PRIu64 " messages of %" PRIu64 " bytes; all follow one leader after %" PRIu64
           " ms.\n",
           result.messages, result.bytes, result.all_ms);
    return true;
}

#include "view_builder.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 64 };

struct member member_of(char letter)
{
    struct member member = {.address = {.family = 4, .port = 7420}, .incarnation = 1};

    memset(member.id.bytes, letter, sizeof member.id.bytes);
    member.address.bytes[0] = 10;
    member.address.bytes[3] = (uint8_t)letter;
    member.name[0] = letter;
    return member;
}

struct built_view view_of(const char *letters)
{
    struct built_view built = {.storage = calloc(1, view_bytes(CAPACITY))};

    view_init(&built.view, CAPACITY, built.storage);
    view_clear(&built.view);
    built.view.lineage = 7;
    built.view.epoch = 1;
    for (const char *at = letters; *at != '\0'; at++) {
        if (*at != ' ') {
            struct member member = member_of(*at);
            view_append(&built.view, &member);
        }
    }
    built.view.version = built.view.member_count;
    view_seal(&built.view);
    return built;
}

struct node_id record_of(char letter)
{
    struct node_id id = member_of(letter).id;

    id.bytes[0] = 'r';
    return id;
}

void view_name_voters(struct view *view, const char *letters)
{
    struct voter_lists *lists = &view->voters;

    memset(lists, 0, sizeof *lists);
    for (const char *at = letters; *at != '\0'; at++) {
        if (*at != ' ') {
            struct listed_voter *voter = &lists->voters[lists->count++];
            voter->name[0] = *at;
            voter->record = record_of(*at);
            voter->address = member_of(*at).address;
            voter->now = true;
        }
    }
    lists->number = lists->count > 0;
}

void view_built_free(struct built_view *built)
{
    free(built->storage);
}

const char *view_text(const struct view *view, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < view->member_count && used + 2 < size; i++) {
        if (i > 0) {
            text[used++] = ' ';
        }
        text[used++] = view->members[i].name[0];
        text[used] = '\0';
    }
    return text;
}

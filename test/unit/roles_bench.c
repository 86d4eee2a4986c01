#include "roles_bench.h"

#include <criterion/criterion.h>

#include "core/holding/words.h"

const struct role_terms ROLES_FIRST = {.policy = ROLE_FIRST, .holders = 1};

struct message roles_word(const struct rig *rig, enum message_type type)
{
    struct message message = {.type = type};

    message.role.epoch = core_view(rig->core)->epoch;
    message.role.stamp = 5000 + rig->now_ms; /* by the member's clock */
    return message;
}

struct message roles_entry(const struct rig *rig, const struct roles_said *said,
                           const struct role_terms *terms)
{
    struct message message = roles_word(rig, MESSAGE_ROLES_ENTER);

    message.role.entry = (struct role_entry){.request = {.bytes = {said->request}},
                                             .role = "job",
                                             .terms = *terms,
                                             .priority = said->request,
                                             .number = said->number,
                                             .token = said->token};
    return message;
}

void roles_enters(struct rig *rig, char from, const struct roles_said *said,
                  const struct role_terms *terms)
{
    struct message message = roles_entry(rig, said, terms);

    rig_gets(rig, from, &message);
}

void roles_asks(struct rig *rig, char from, const struct roles_said *said)
{
    struct message message = roles_word(rig, MESSAGE_ROLES_ASK);

    if (said != NULL) {
        const struct node_id id = {.bytes = {said->request}};
        message.role.count = 1;
        message.role.hash = words_hash(&id, said->number, said->token);
    }
    rig_gets(rig, from, &message);
}

void roles_lets_go(struct rig *rig, char from, const struct roles_said *said, bool resigned)
{
    struct message message = roles_word(rig, MESSAGE_ROLES_LET_GO);

    message.role.entry.request = (struct node_id){.bytes = {said->request}};
    message.role.entry.token = said->token;
    message.role.flag = resigned;
    rig_gets(rig, from, &message);
}

struct listed_role roles_listed(const struct rig *rig, uint8_t request)
{
    struct listed_role entry = {0};

    for (uint32_t i = 0; i < core_role_places(rig->core); i++) {
        if (core_listed_role(rig->core, i, &entry) && entry.request.bytes[0] == request) {
            return entry;
        }
    }
    return (struct listed_role){0};
}

struct roles_said roles_stands(struct rig *rig, char from, uint8_t request,
                               const struct role_terms *terms)
{
    struct roles_said said = {.request = request};

    roles_enters(rig, from, &said, terms);
    const struct message *place = rig_told(rig, MESSAGE_ROLES_PLACE, from);
    cr_assert_not_null(place);
    said.number = place->role.entry.number;
    cr_assert_neq(said.number, 0);
    return said;
}

struct rig *roles_both_stand(struct roles_said *b, struct roles_said *c,
                             const struct role_terms *terms)
{
    struct rig *rig = rig_in("A B C", 'A');

    *b = roles_stands(rig, 'B', 1, terms);
    roles_asks(rig, 'C', NULL);
    roles_asks(rig, 'B', b);
    b->token = roles_listed(rig, 1).token;
    cr_assert_neq(b->token, 0);
    *c = roles_stands(rig, 'C', 2, terms);
    roles_asks(rig, 'C', c);
    return rig;
}

#include "control/requests/move_request.h"

#include "base/text.h"
#include "control/text/json.h"
#include "words/notice_text.h"

/* What a member cannot coordinate for, and what mends that. */
struct unfit_words {
    const char *detail; /* behind the name */
    const char *hint;
};

static struct unfit_words words_of(enum unfit unfit)
{
    switch (unfit) {
    case UNFIT_NOT:
        break;
    case UNFIT_STRANGER:
        return (struct unfit_words){"is no member any more", "doyen members has the names"};
    case UNFIT_DRAINED:
        return (struct unfit_words){"is drained", "doyen undrain NAME first, or choose another"};
    case UNFIT_LEAVING:
        return (struct unfit_words){"is about to leave", "choose another member"};
    case UNFIT_SUSPECTED:
        return (struct unfit_words){"is suspected to have failed",
                                    "doyen why NAME says why; choose another member, or mend it"};
    case UNFIT_SILENT:
        return (struct unfit_words){"was not heard lately",
                                    "doyen matrix shows who hears whom; choose another member"};
    case UNFIT_DEAF:
        return (struct unfit_words){"does not hear this node",
                                    "doyen matrix shows who hears whom; choose another member"};
    case UNFIT_BEHIND:
        return (struct unfit_words){"does not get this node's view",
                                    "doyen doctor measures the ways to it; choose another member"};
    case UNFIT_MOVED:
        return (struct unfit_words){"follows another coordinator",
                                    "doyen why NAME says whom; choose another member"};
    }
    return (struct unfit_words){"can coordinate", ""};
}

struct answer move_request_not_a_member(const struct facts *facts)
{
    return answer_problem(MHD_HTTP_CONFLICT, "not a member",
                          "doyen status says what this node waits for", "this node is in phase %s",
                          phase_text(facts->phase));
}

/* {"move": "transfer", "from": "athens", "to": "byzantium", "done": false} */
static struct answer answer_transfer(const struct facts *facts, const struct member *to, bool done)
{
    json_t *object = json_object();
    const bool complete = json_put(object, "move", json_string("transfer")) &&
                          json_put(object, "from",
                                   json_of_word(view_coordinator(facts->view)->name)) &&
                          json_put(object, "to", json_of_word(to->name)) &&
                          json_put(object, "done", json_boolean(done));

    return answer_json(done ? MHD_HTTP_OK : MHD_HTTP_ACCEPTED, json_finished(object, complete));
}

struct answer move_request_transfer(const struct facts *facts, const char *name)
{
    const struct core *core = node_core(facts->node);

    if (facts->phase != PHASE_MEMBER) {
        return move_request_not_a_member(facts);
    }
    const uint32_t position = name == NULL ? core_successor(core)
                                           : view_find_name(facts->view, name);
    if (position == VIEW_NONE) {
        return answer_problem(MHD_HTTP_CONFLICT, "nobody to hand over to",
                              "doyen members shows who is there, drained or suspected",
                              "no other member can coordinate: there is none, or each is drained, "
                              "suspected, silent or about to leave");
    }
    const struct member *to = &facts->view->members[position];
    if (position == 0) {
        return answer_transfer(facts, to, true);
    }
    const enum unfit unfit = core_unfit(core, position);
    if (unfit != UNFIT_NOT) {
        const struct unfit_words words = words_of(unfit);
        return answer_problem(MHD_HTTP_CONFLICT, "cannot coordinate", words.hint, "%s %s", to->name,
                              words.detail);
    }
    node_move(facts->node, &(struct move){.kind = MOVE_TRANSFER, .subject = to->id});
    return answer_transfer(facts, to, false);
}

/* {"move": "drain", "node": "athens", "done": false} */
struct answer move_request_drain(const struct facts *facts, uint32_t position, bool drained)
{
    const struct member *member = &facts->view->members[position];
    const bool done = member->drained == drained;
    json_t *object = json_object();
    const bool complete = json_put(object, "move", json_string(drained ? "drain" : "undrain")) &&
                          json_put(object, "node", json_of_word(member->name)) &&
                          json_put(object, "done", json_boolean(done));

    if (!done) {
        node_move(facts->node, &(struct move){.kind = drained ? MOVE_DRAIN : MOVE_UNDRAIN,
                                              .subject = member->id});
    }
    return answer_json(done ? MHD_HTTP_OK : MHD_HTTP_ACCEPTED, json_finished(object, complete));
}

/* The latest life of that name. */
static const struct gone *gone_called(const struct view *view, const char *name)
{
    for (uint32_t i = view->gone_count; i > 0; i--) {
        if (text_equal(view->gone[i - 1].name, name)) {
            return &view->gone[i - 1];
        }
    }
    return NULL;
}

/* {"move": "forget", "node": "athens", "done": false} */
struct answer move_request_forget(const struct facts *facts, const char *name)
{
    const struct gone *gone = gone_called(facts->view, name);

    if (facts->phase != PHASE_MEMBER) {
        return move_request_not_a_member(facts);
    }
    if (view_find_name(facts->view, name) != VIEW_NONE) {
        return answer_problem(MHD_HTTP_CONFLICT, "a member",
                              "have it leave (doyen leave there), or stop it: who fails is removed "
                              "by itself, and can be forgotten then",
                              "%s is a member, and not gone", name);
    }
    if (gone == NULL) {
        return answer_problem(MHD_HTTP_NOT_FOUND, "nobody is gone by that name",
                              "doyen members lists who is gone", "%.200s is not on the list", name);
    }
    if (!facts->guard.met) {
        return answer_problem(MHD_HTTP_CONFLICT, "guard not met",
                              "start members until it is met; a host in the place of one that is "
                              "lost comes in under its name or address",
                              "the guard asks for %u, and there are %u: whoever is gone may be at "
                              "work across a cut",
                              facts->guard.needed, facts->guard.fresh);
    }
    node_move(facts->node, &(struct move){.kind = MOVE_FORGET, .subject = gone->id});
    json_t *object = json_object();
    return answer_json(MHD_HTTP_ACCEPTED,
                       json_finished(object, json_put(object, "move", json_string("forget")) &&
                                                 json_put(object, "node", json_of_word(name)) &&
                                                 json_put(object, "done", json_false())));
}

#include "control/resources/campaign_answer.h"

#include "control/resources/argument.h"
#include "control/resources/server.h"
#include "control/roles/campaign_request.h"
#include "words/notice_text.h"

/* The head of the answer has been sent, and the socket is ours. The request is still there. */
static void on_upgrade(void *context, struct MHD_Connection *connection, void *request_context,
                       const char *extra, size_t extra_length, MHD_socket fd,
                       struct MHD_UpgradeResponseHandle *handle)
{
    struct campaigns *campaigns = context;
    const struct request *request = request_context;
    struct campaign_request wanted;
    char why[CAMPAIGN_WHY_MAX];

    (void)connection;
    (void)extra; /* What a client says before it has heard of its campaign means nothing. */
    (void)extra_length;
    if (!campaign_request_parse(&wanted, request->body.bytes, request->body.length, why) ||
        !campaigns_start(campaigns, &wanted, fd, handle)) {
        campaigns->woken = true;
        (void)MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
    }
}

static struct MHD_Response *make_response(struct campaigns *campaigns)
{
    struct MHD_Response *response = MHD_create_response_for_upgrade(on_upgrade, campaigns);

    if (response != NULL &&
        MHD_add_response_header(response, MHD_HTTP_HEADER_UPGRADE, CAMPAIGN_PROTOCOL) != MHD_YES) {
        MHD_destroy_response(response);
        return NULL;
    }
    return response;
}

struct answer campaign_answer(struct request *request)
{
    struct control *control = request->server->control;
    struct campaign_request wanted;
    char why[CAMPAIGN_WHY_MAX];

    if (!campaign_request_parse(&wanted, request->body.bytes, request->body.length, why)) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "not a campaign",
                              "doyen campaign --help says what each part may be", "%s", why);
    }
    if (!argument_wants_protocol(request, CAMPAIGN_PROTOCOL)) {
        return answer_problem(MHD_HTTP_UPGRADE_REQUIRED, "no upgrade",
                              "send Connection: Upgrade and Upgrade: " CAMPAIGN_PROTOCOL,
                              "a campaign lasts as long as its connection, which is to stay open");
    }
    if (control->facts.phase != PHASE_MEMBER) {
        return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "not a member", "ask again in a moment",
                              "this node is in phase %s", phase_text(control->facts.phase));
    }
    if (!campaigns_have_room(&control->campaigns)) {
        return answer_busy("there are as many campaigns as this node allows");
    }
    return (struct answer){.status = MHD_HTTP_SWITCHING_PROTOCOLS,
                           .response = make_response(&control->campaigns)};
}

static struct answer no_such_candidate(const struct control *control, const char *role)
{
    return answer_problem(
        MHD_HTTP_NOT_FOUND, "no such candidate", "doyen roles shows who stands for what",
        "no client of %s stands for the role '%.80s'", control->facts.self->name, role);
}

struct answer campaign_answer_value(struct request *request)
{
    struct control *control = request->server->control;
    struct campaign_value value;
    char why[CAMPAIGN_WHY_MAX];

    if (!campaign_value_parse(&value, request->body.bytes, request->body.length, why)) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "not a value",
                              "doyen roles shows who stands for what, with which value", "%s", why);
    }
    const uint32_t count = campaigns_set_value(&control->campaigns, &value);
    return count == 0 ? no_such_candidate(control, value.role)
                      : answer_json(MHD_HTTP_OK, json_pack("{s:i}", "changed", (int)count));
}

struct answer campaign_answer_resign(struct request *request)
{
    struct control *control = request->server->control;
    const char *role = argument_value(request, "role");

    const uint32_t count = campaigns_resign(&control->campaigns, role);
    if (count == 0) {
        return no_such_candidate(control, role);
    }
    return answer_json(MHD_HTTP_ACCEPTED, json_pack("{s:i}", "resigning", (int)count));
}

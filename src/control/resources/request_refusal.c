#include "control/resources/request_refusal.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "control/http/host.h"
#include "control/http/peer.h"
#include "control/resources/change_log.h"
#include "control/resources/server.h"

enum { LIST_MAX = 1024 }; /* bytes of the names of all resources */

/* What other servers, and the verbs of doyen, call it: each path as it is, or with more behind it.
 */
static const struct {
    const char *other;
    const char *ours;
} elsewhere[] = {{"/health", "/livez"},
                 {"/healthz", "/livez"},
                 {"/healthcheck", "/livez"},
                 {"/ping", "/livez"},
                 {"/alive", "/livez"},
                 {"/live", "/livez"},
                 {"/liveness", "/livez"},
                 {"/up", "/livez"},
                 {"/ready", "/readyz"},
                 {"/readiness", "/readyz"},
                 {"/is-leader", "/v1/is-coordinator"},
                 {"/is_leader", "/v1/is-coordinator"},
                 {"/isleader", "/v1/is-coordinator"},
                 {"/isLeader", "/v1/is-coordinator"},
                 {"/is-master", "/v1/is-coordinator"},
                 {"/is-primary", "/v1/is-coordinator"},
                 {"/is-active", "/v1/is-coordinator"},
                 {"/active", "/v1/is-coordinator"},
                 {"/master", "/v1/coordinator"},
                 {"/primary", "/v1/coordinator"},
                 {"/status/leader", "/v1/coordinator"},
                 {"/nodes", "/v1/members"},
                 {"/node", "/v1/members"},
                 {"/cluster", "/v1/members"},
                 {"/catalog/nodes", "/v1/members"},
                 {"/status/peers", "/v1/members"},
                 {"/agent/self", "/v1/status"},
                 {"/info", "/v1/status"},
                 {"/state", "/v1/status"},
                 {"/watch", "/v1/events"},
                 {"/stream", "/v1/events"},
                 {"/log", "/v1/journal"},
                 {"/logs", "/v1/journal"},
                 {"/stats", "/v1/counters"},
                 {"/prometheus", "/metrics"},
                 {"/stepdown", "/v1/transfer"},
                 {"/step-down", "/v1/transfer"},
                 {"/switchover", "/v1/transfer"},
                 {"/failover", "/v1/transfer"},
                 {"/remove", "/v1/forget"},
                 {"/sessions", "/v1/roles"},
                 {"/session", "/v1/roles"},
                 {"/guard", "/v1/status"},
                 {"/lock", "/v1/campaign"},
                 {"/top", "/v1/members"},
                 {"/restart-plan", "/v1/members"},
                 {"/matrix", "/v1/peers"},
                 {"/wait", "/v1/events"},
                 {"/hook", "/v1/events"},
                 {"/observe", "/v1/roles"},
                 {"/run", "/v1/lease"},
                 {"/change", "/v1/terms"},
                 {"/report", "/v1/recording"}};

static const char *known_elsewhere(const char *path)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
        const size_t length = strlen(elsewhere[i].other);
        if (strncmp(path, elsewhere[i].other, length) == 0 &&
            (path[length] == '\0' || path[length] == '/' || path[length] == '.')) {
            return elsewhere[i].ours;
        }
    }
    return NULL;
}

/* The path, from behind the version that most begin with. */
static const char *behind_version(const char *path)
{
    return strncmp(path, "/v1/", strlen("/v1/")) == 0 ? path + strlen("/v1") : path;
}

/* Is the resource's path in this one, with or without the version, and with more around it, as in
 * /members, /v1/members/athens or /v1/status.json? */
static bool is_within(const char *name, const char *path)
{
    const char *at = strstr(path, name);
    const char *behind = at == NULL ? NULL : at + strlen(name);

    return at != NULL && (*behind == '\0' || *behind == '/' || *behind == '.');
}

/* The path that was probably meant, or NULL. */
static const char *path_meant(const char *path, const char *const *paths, size_t count)
{
    const char *meant = known_elsewhere(behind_version(path));
    size_t longest = strlen("/"); /* Which is within every path. */

    if (meant == NULL) {
        meant = suggest_nearest(path, paths, count);
    }
    if (meant != NULL) {
        return meant;
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = behind_version(paths[i]);
        if (strlen(name) > longest && is_within(name, path)) {
            meant = paths[i];
            longest = strlen(name);
        }
    }
    return meant;
}

static struct answer answer_unknown(const char *path)
{
    const char *paths[RESOURCES_MAX] = {NULL};
    char hint[LIST_MAX] = "there are";
    size_t count = 0;

    for (size_t i = 0; i < resource_count; i++) {
        const bool again = count > 0 && text_equal(resource_table[i].path, paths[count - 1]);
        if ((resource_table[i].traits & FOLDER) == 0 && !again) {
            paths[count++] = resource_table[i].path;
        }
    }
    const char *near = path_meant(path, paths, count);
    if (near != NULL) {
        snprintf(hint, sizeof hint, "did you mean %s?", near);
    } else {
        for (size_t i = 1; i < count; i++) { /* The first is the page, "/". */
            const size_t length = strlen(hint);
            snprintf(hint + length, sizeof hint - length, " %s", paths[i]);
        }
    }
    return answer_problem(MHD_HTTP_NOT_FOUND, "no such resource", hint, "there is no %.200s", path);
}

static struct answer answer_wrong_method(const struct resource *resource, const char *method)
{
    const unsigned methods = resource_methods(resource->path);
    const bool both = methods == (METHOD_GET | METHOD_POST);
    const bool get = methods == METHOD_GET;
    struct answer answer = answer_problem(MHD_HTTP_METHOD_NOT_ALLOWED, "method not allowed",
                                          both  ? "use GET to read it, and POST to change it"
                                          : get ? "use GET"
                                                : "use POST",
                                          "%s is not for %.32s", resource->path, method);

    if (answer.response != NULL) {
        (void)MHD_add_response_header(answer.response, MHD_HTTP_HEADER_ALLOW,
                                      both  ? "GET, HEAD, POST"
                                      : get ? "GET, HEAD"
                                            : "POST");
    }
    return answer;
}

static struct answer answer_unix_only(const struct request *request)
{
    char hint[CONFIG_PATH_MAX + 64];

    snprintf(hint, sizeof hint, "ask at the control socket %s on its host",
             node_config(request->server->control->node)->control);
    return answer_problem(MHD_HTTP_FORBIDDEN, "not over TCP", hint,
                          "that is for the control socket alone");
}

/* The check is for TCP alone: only programs of this host reach the Unix socket, whatever host name
 * they give. */
static bool request_names_this_node(const struct request *request, const char **host)
{
    const struct control *control = request->server->control;

    *host = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    return request->server->over_unix || *host == NULL ||
           host_is_this(*host, node_config(control->node), control->host_name);
}

static struct answer answer_other_host(const char *host)
{
    return answer_problem(MHD_HTTP_MISDIRECTED_REQUEST, "not this host",
                          "ask by its address, or start doyend with --http-host and the name",
                          "%.200s is no name of this node", host);
}

/* The group whose members may change something, as given; empty: none. */
static const char *changing_group(const struct config *config)
{
    return config->control_admin[0] != '\0' ? config->control_admin : config->control_group;
}

/* Everyone who may connect may read; changing something takes more. */
static bool request_may_change(const struct request *request)
{
    const struct config *config = node_config(request->server->control->node);
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    return info != NULL &&
           peer_may_change(info->connect_fd,
                           changing_group(config)[0] == '\0' ? NULL : &config->control_admin_gid);
}

static struct answer answer_not_permitted(const struct request *request,
                                          const struct resource *resource)
{
    const struct config *config = node_config(request->server->control->node);
    char hint[CONFIG_GROUP_MAX + 128] = "use the account that doyend runs as, or start it with "
                                        "--control-group and a group of this account";

    if (changing_group(config)[0] != '\0') {
        snprintf(hint, sizeof hint, "use an account that is in the group %s",
                 changing_group(config));
    }
    return answer_problem(MHD_HTTP_FORBIDDEN, "not permitted", hint,
                          "this account may ask, but not change anything: %s is for doyend's own "
                          "account, root and %s",
                          resource->path,
                          config->control_admin[0] != '\0' ? "the group of --control-admin"
                                                           : "the control group");
}

/* What is wrong with the arguments of a request. */
struct argument_fault {
    const char *allowed; /* the one that the resource takes, or NULL */
    const char *key;     /* of the argument that is wrong; NULL: none is */
    const char *what;    /* is wrong with it */
    bool is_flag;        /* it stands without a value */
    bool seen;
};

static enum MHD_Result check_argument(void *context, enum MHD_ValueKind kind, const char *key,
                                      const char *value)
{
    struct argument_fault *fault = context;

    (void)kind;
    if (fault->allowed == NULL || key == NULL || !text_equal(key, fault->allowed)) {
        fault->what = "is no argument of it";
    } else if (fault->seen) {
        fault->what = "is given twice";
    } else if (!fault->is_flag && (value == NULL || value[0] == '\0')) {
        fault->what = "has no value";
    } else if (fault->is_flag && value != NULL && value[0] != '\0') {
        fault->what = "takes no value";
    } else {
        fault->seen = true;
        return MHD_YES;
    }
    fault->key = key == NULL ? "" : key;
    return MHD_NO;
}

/* A mistyped argument must not turn into a request for something else. Returns whether there is
 * one, with the answer to it. */
static bool refuse_arguments(const struct request *request, const struct resource *resource,
                             struct answer *answer)
{
    struct argument_fault fault = {.allowed = resource->argument,
                                   .is_flag = (resource->traits & FLAG) != 0};
    char hint[64] = "leave out the question mark and what follows";

    (void)MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, check_argument,
                                    &fault);
    const bool needed = (resource->traits & NEEDED) != 0;
    if (fault.key == NULL && needed && !fault.seen) {
        fault.key = resource->argument;
        fault.what = "is missing";
    }
    if (fault.key == NULL) {
        return false;
    }
    if (resource->argument != NULL) {
        snprintf(hint, sizeof hint, "write ?%s%s%s", resource->argument,
                 (resource->traits & FLAG) != 0 ? "" : "=VALUE", needed ? "" : ", or nothing");
    }
    *answer = answer_problem(MHD_HTTP_BAD_REQUEST, "bad argument", hint, "'%.60s' %s", fault.key,
                             fault.what);
    return true;
}

/* Nor must a name in a body turn into a request about another member, or about none. */
static bool refuse_body(const struct request *request, const struct resource *resource,
                        struct answer *answer)
{
    char hint[64] = "leave out the body";

    if (request->body.length == 0 || !resource_is_change(resource) ||
        (resource->traits & BODY) != 0) {
        return false;
    }
    if (resource->argument != NULL) {
        snprintf(hint, sizeof hint, "leave out the body, and write ?%s=VALUE", resource->argument);
    }
    *answer = answer_problem(MHD_HTTP_BAD_REQUEST, "a body", hint, "%s takes no body",
                             resource->path);
    return true;
}

/* A load balancer that is told "busy" would take the coordinator out of service, and a supervisor
 * would restart the node: these questions have connections that no other may take. */
static bool request_has_room(const struct request *request, const char *path)
{
    const struct resource *resource = NULL;

    return request->room == ROOM_FOR_ALL ||
           (request->room == ROOM_RESERVED &&
            resource_find(path, METHOD_GET, request->server->over_unix, &resource) == ROUTE_FOUND &&
            (resource->traits & PROBE) != 0);
}

/* The connection is closed, which makes room for another. */
static struct answer answer_over_limit(void)
{
    struct answer answer = answer_busy("there are as many connections as this node allows");

    if (answer.response != NULL) {
        (void)MHD_add_response_header(answer.response, MHD_HTTP_HEADER_CONNECTION, "close");
    }
    return answer;
}

/* Is there no such resource for this method and socket? */
static bool refuse_route(const struct request *request, const char *path, const char *method,
                         const struct resource **resource, struct answer *refusal)
{
    switch (resource_find(path, method_parse(method), request->server->over_unix, resource)) {
    case ROUTE_UNKNOWN:
        *refusal = answer_unknown(path);
        return true;
    case ROUTE_WRONG_METHOD:
        *refusal = answer_wrong_method(*resource, method);
        return true;
    case ROUTE_UNIX_ONLY:
        *refusal = answer_unix_only(request);
        return true;
    case ROUTE_FOUND:
        break;
    }
    return false;
}

bool request_refuse(const struct request *request, const char *path, const char *method,
                    const struct resource **resource, struct answer *refusal)
{
    const char *host = NULL;

    if (!request_has_room(request, path)) {
        *refusal = answer_over_limit();
        return true;
    }
    if (!request_names_this_node(request, &host)) {
        *refusal = answer_other_host(host);
        return true;
    }
    if (refuse_route(request, path, method, resource, refusal)) {
        return true;
    }
    if (resource_is_guarded(*resource) && !request_may_change(request)) {
        change_log(request, *resource, MHD_HTTP_FORBIDDEN);
        *refusal = answer_not_permitted(request, *resource);
        return true;
    }
    return refuse_arguments(request, *resource, refusal) ||
           refuse_body(request, *resource, refusal);
}

#include "control/requests/elect_request.h"

#include "base/text.h"
#include "control/documents/report_leader.h"
#include "control/requests/move_request.h"

struct answer elect_request(const struct facts *facts, const char *stand)
{
    if (config_election(facts->config) == ELECT_OLDEST) {
        return answer_problem(
            MHD_HTTP_CONFLICT, "nothing to elect",
            "elections by messages are an experiment: start doyend on all members with "
            "--election",
            "the oldest member leads here (--election oldest)");
    }
    if (facts->phase != PHASE_MEMBER) {
        return move_request_not_a_member(facts);
    }
    if (stand == NULL) {
        node_elect(facts->node);
    } else if (!text_equal(stand, "yes") && !text_equal(stand, "no")) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "not a wish",
                              "give stand=no, stand=yes, or nothing", "stand=%.20s is neither",
                              stand);
    } else if (!node_stand(facts->node, text_equal(stand, "yes"))) {
        return answer_problem(MHD_HTTP_CONFLICT, "cannot resign",
                              "doyen leave, or a lower --priority at the next start, makes another "
                              "the first",
                              "with --election %s the first in order leads, whoever that is",
                              elector_algorithm_text(config_election(facts->config)));
    }
    return answer_json(MHD_HTTP_ACCEPTED, report_leader(facts));
}

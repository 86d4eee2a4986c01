/* What is taken of another member's answer beside the protocol (decision 21), which may say
 * anything. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "control/documents/report_peers.h"
#include "rig.h"
#include "runtime/services/inquiry.h"

/* What B of the view A B takes of such an answer of A. */
static json_t *taken_of(const char *said)
{
    struct rig *rig = rig_in("AB", 'B');
    const struct view *view = core_view(rig->core);
    struct inquiry inquiry = {.options = {.core = rig->core}, .slot_count = 1};
    const struct facts facts = {.view = view, .self = core_self(rig->core)};

    inquiry.slots = calloc(1, sizeof *inquiry.slots);
    cr_assert_not_null(inquiry.slots);
    inquiry.slots[0].life = view->members[0].id;
    inquiry.slots[0].answered = true;
    inquiry.slots[0].length = (uint16_t)strlen(said);
    memcpy(inquiry.slots[0].text, said, strlen(said));
    json_t *taken = report_peer_said(&facts, &inquiry, 0);
    free(inquiry.slots);
    rig_free(rig);
    return taken;
}

Test(control_report_peers, what_would_rule_a_terminal_is_left_out)
{
    json_t *taken = taken_of("{\"version\":\"\\u009b31m\",\"phase\":\"a\\u0007\","
                             "\"profile\":\"caf\\u00e9\",\"members\":-1,\"uptime_ms\":7}");

    cr_assert_not_null(taken);
    cr_expect(json_is_null(json_object_get(taken, "version")), "CSI, as one character");
    cr_expect(json_is_null(json_object_get(taken, "phase")));
    cr_expect(json_is_null(json_object_get(taken, "members")));
    cr_expect_str_eq(json_string_value(json_object_get(taken, "profile")), "caf\xc3\xa9");
    cr_expect_eq(json_integer_value(json_object_get(taken, "uptime_ms")), 7);
    json_decref(taken);
}

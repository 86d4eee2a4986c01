/* The body of POST /v1/campaign. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "control/roles/campaign_request.h"

static struct campaign_request parsed(const char *body)
{
    struct campaign_request campaign;
    char why[CAMPAIGN_WHY_MAX] = "";

    cr_assert(campaign_request_parse(&campaign, body, strlen(body), why), "%s: %s", body, why);
    return campaign;
}

Test(campaign_request, has_defaults)
{
    const struct campaign_request campaign = parsed("{\"role\": \"backup\"}");

    cr_assert_str_eq(campaign.role, "backup");
    cr_assert_eq(campaign.terms.policy, ROLE_FIRST);
    cr_assert_eq(campaign.terms.holders, 1);
    cr_assert_not(campaign.terms.preempt);
    cr_assert_not(campaign.has_grace);
    cr_assert_str_empty(campaign.value);
}

Test(campaign_request, takes_all_fields)
{
    const struct campaign_request campaign = parsed(
        "{\"role\": \"r\", \"policy\": \"priority\", \"holders\": 2, "
        "\"priority\": 4294967295, \"preempt\": false, \"value\": \"here:1\", "
        "\"grace_ms\": 70, \"need\": \"zone=eu\"}");

    cr_assert_eq(campaign.terms.policy, ROLE_PRIORITY);
    cr_assert_eq(campaign.terms.holders, 2);
    cr_assert_eq(campaign.priority, UINT32_MAX);
    cr_assert_not(campaign.terms.preempt);
    cr_assert_str_eq(campaign.value, "here:1");
    cr_assert(campaign.has_grace);
    cr_assert_eq(campaign.grace_ms, 70);
    cr_assert_str_eq(campaign.terms.need, "zone=eu");
}

/* A better candidate takes over where that is the point of the policy. */
Test(campaign_request, a_role_by_priority_changes_hands)
{
    cr_assert(parsed("{\"role\": \"r\", \"policy\": \"priority\"}").terms.preempt);
    cr_assert_not(parsed("{\"role\": \"r\", \"policy\": \"oldest\"}").terms.preempt);
    const struct campaign_request late = parsed("{\"role\": \"r\", \"preempt_after_ms\": 5}");
    cr_assert(late.terms.preempt);
    cr_assert_eq(late.terms.preempt_after_ms, 5);
}

static const struct {
    const char *body;
    const char *why;
} refused[] = {
    {"", "the request has no body"},
    {"[]", "no JSON object"},
    {"{\"role\": \"a\", \"role\": \"b\"}", "a key twice, by line 1, column 20"},
    {"{\"role\": }", "the body is not JSON: it goes wrong in line 1"},
    {"{}", "names no role"},
    {"{\"role\": \"\"}", "'' is not the name of a role"},
    {"{\"role\": \"a b\"}", "'a b' is not the name of a role"},
    {"{\"role\": \"-a\"}", "'-a' is not the name of a role"},
    {"{\"role\": 7}", "role is no text"},
    {"{\"role\": \"doyen.partitions\"}", "is the role that doyend itself stands for"},
    {"{\"role\": \"a\", \"policy\": null}", "policy is no text"},
    {"{\"role\": \"a\", \"policy\": \"last\"}", "'last' is no policy"},
    {"{\"role\": \"a\", \"holders\": 0}", "holders is a whole number from 1 to 64"},
    {"{\"role\": \"a\", \"holders\": 65}", "holders is a whole number from 1 to 64"},
    {"{\"role\": \"a\", \"priority\": 1}", "under the policy priority alone"},
    {"{\"role\": \"a\", \"policy\": \"priority\", \"priority\": -1}", "priority is a whole number"},
    {"{\"role\": \"a\", \"preempt\": 1}", "preempt wants true or false"},
    {"{\"role\": \"a\", \"grace_ms\": 600001}", "the grace is a whole number from 0 to 600000 ms"},
    {"{\"role\": \"a\", \"value\": \"a\\nb\"}", "without control characters"},
    {"{\"role\": \"a\", \"value\": \"a\\u009b2J\"}", "without control characters"},
    {"{\"role\": \"a\", \"need\": \"=a\"}", "the tag that is needed is KEY"},
    {"{\"role\": \"a\", \"need\": \"\"}", "the tag that is needed is KEY"},
    {"{\"role\": \"a\", \"need\": 7}", "the tag that is needed is KEY"},
    {"{\"role\": \"a\", \"tag\": \"zone=a\"}", "'tag' is no part of a campaign"},
    {"{\"role\": \"a\", \"preempt_after\": 5}", "'preempt_after' is no part of a campaign"},
    {"{\"role\": \"a\", \"preempt_after_ms\": 86400001}",
     "preempt-after is a whole number from 0 to 86400000 ms"},
    {"{\"role\": \"a\", \"preempt\": false, \"preempt_after_ms\": 5}", "one part says when"},
};

Test(campaign_request, refuses_what_is_no_campaign)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct campaign_request campaign;
        char why[CAMPAIGN_WHY_MAX] = "";
        cr_assert_not(
            campaign_request_parse(&campaign, refused[i].body, strlen(refused[i].body), why), "%s",
            refused[i].body);
        cr_assert(strstr(why, refused[i].why) != NULL, "%s: %s", refused[i].body, why);
    }
}

Test(campaign_request, a_value_has_its_bound)
{
    char body[2 * ROLE_VALUE_BYTES_MAX];
    struct campaign_request campaign;
    char why[CAMPAIGN_WHY_MAX];
    char value[ROLE_VALUE_BYTES_MAX + 2] = "";

    memset(value, 'v', ROLE_VALUE_BYTES_MAX + 1);
    snprintf(body, sizeof body, "{\"role\": \"a\", \"value\": \"%s\"}", value);
    cr_assert_not(campaign_request_parse(&campaign, body, strlen(body), why));
    snprintf(body, sizeof body, "{\"role\": \"a\", \"value\": \"%s\"}", value + 1);
    cr_assert(campaign_request_parse(&campaign, body, strlen(body), why));
}

/* The page as HTML: what it says of each member, and that it is bounded. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "control/page/page.h"
#include "view_builder.h"

/* The facts of A in a view of letters, each heard 10 ms ago. */
struct scene {
    struct config config;
    struct built_view built;
    struct member self;
    struct facts facts;
    struct whole whole;
    struct text_builder html;
};

static void scene_open(struct scene *scene, const char *letters)
{
    memset(scene, 0, sizeof *scene);
    scene->built = view_of(letters);
    strcpy(scene->config.cluster, "R&D");
    scene->self = member_of('A');

    struct facts *facts = &scene->facts;
    facts->config = &scene->config;
    facts->self = &scene->self;
    facts->view = &scene->built.view;
    facts->coordinator = view_is_empty(facts->view) ? NULL : view_coordinator(&scene->built.view);
    facts->acting_said_ms = NEVER_MS;
    facts->phase = view_is_empty(facts->view) ? PHASE_JOINING : PHASE_MEMBER;
    facts->peers = calloc(facts->view->member_count + 1, sizeof *facts->peers);
    facts->silent = calloc(facts->view->member_count + 1, sizeof *facts->silent);
    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        facts->peers[i].heard_ms_ago = 10;
    }
}

static void scene_close(struct scene *scene)
{
    text_builder_deinit(&scene->html);
    facts_deinit(&scene->facts);
    view_built_free(&scene->built);
}

/* The page as text that ends with a zero. */
static const char *page_of(struct scene *scene)
{
    text_builder_clear(&scene->html);
    page_write(&scene->facts, &scene->whole, 1795910400000, &scene->html);
    text_builder_add_bytes(&scene->html, "", 1);
    cr_assert_not(scene->html.failed);
    return scene->html.bytes;
}

static void assert_says(struct scene *scene, const char *text)
{
    cr_assert_not_null(strstr(page_of(scene), text), "no '%s' in %s", text, page_of(scene));
}

Test(control_page, each_member_is_shown_as_it_is_heard)
{
    struct scene scene;

    scene_open(&scene, "A B C D");
    scene.facts.acting = true;
    scene.facts.silent[1] = true;
    scene.facts.peers[2].verdict = VERDICT_DEAD;
    scene.facts.peers[3].heard_ms_ago = NEVER_MS;
    assert_says(&scene, "<title>R&amp;D at A");
    assert_says(&scene, "<span class=\"badge acting\">acting</span>");
    assert_says(&scene, "<td class=\"heard own\">this node</td>");
    assert_says(&scene, "<tr class=\"silent\"><td class=\"age\">2</td>");
    assert_says(&scene, "<tr class=\"suspect\"><td class=\"age\">3</td>");
    assert_says(&scene, "<td class=\"heard\">not yet</td>");
    scene_close(&scene);
}

/* Of another coordinator it is told what that one said of itself, and how old that is. */
Test(control_page, who_acts_is_told_with_the_guard)
{
    struct scene scene;

    scene_open(&scene, "B A");
    scene.facts.guard = (struct guard_state){
        .guard = {.policy = GUARD_MAJORITY, .count = 3}, .needed = 2, .fresh = 2, .met = true};
    assert_says(&scene, "coordinates; whether it acts is not known here. 2 members, view ");
    assert_says(&scene, " Guard majority of 3, met: 2 heard, 2 needed.</p>");
    cr_assert_null(strstr(page_of(&scene), "badge acting"));
    scene.facts.acting_said_ms = 37;
    scene.facts.guard = (struct guard_state){.guard = {.policy = GUARD_NONE}, .met = true};
    assert_says(&scene, "coordinates, and acts, as it said 37 ms ago.");
    assert_says(&scene, " Guard none: each part may act.</p>");
    assert_says(&scene, "<span class=\"badge acting\">acting</span>");
    scene_close(&scene);
}

/* An address leads to the page of that node, where this one has its own at the same place. */
Test(control_page, addresses_lead_to_the_other_pages)
{
    struct scene scene;

    scene_open(&scene, "A B");
    scene.config.http_on = true;
    scene.config.advertise = scene.built.view.members[0].address;
    scene.config.http = scene.config.advertise;
    scene.config.http.port = (uint16_t)(scene.config.advertise.port + 1000);
    const char *link = strstr(page_of(&scene), "<a href=\"http://");
    cr_assert_not_null(link, "%s", page_of(&scene));
    cr_assert_gt(link, strstr(page_of(&scene), "<bdi>B</bdi>"), "this node has the page already");
    scene.config.http.bytes[15] ^= 1;
    cr_assert_null(strstr(page_of(&scene), "<a href"));
    scene_close(&scene);
}

/* Over the whole width, in the colour of its severity, before all else. */
Test(control_page, the_state_of_the_whole_comes_first)
{
    struct scene scene;

    scene_open(&scene, "A B C");
    scene.whole = (struct whole){.state = WHOLE_SPLIT,
                                 .severity = WHOLE_BAD,
                                 .sentence = "may have split: 3 of 5 were <lost>",
                                 .next = "look at the network"};
    assert_says(
        &scene,
        "<div class=\"whole bad\" id=\"whole\" role=\"status\"><strong>may have split: 3 of 5 were "
        "&lt;lost&gt;</strong> <span>look at the network</span></div>\n<main>");
    scene.whole = (struct whole){
        .state = WHOLE_HEALTHY, .severity = WHOLE_GOOD, .sentence = "healthy: 3 of 3"};
    assert_says(
        &scene,
        "<div class=\"whole good\" id=\"whole\" role=\"status\"><strong>healthy: 3 of 3</strong></div>");
    scene_close(&scene);
}

Test(control_page, a_node_without_a_view_says_so)
{
    struct scene scene;

    scene_open(&scene, "");
    assert_says(&scene, "sees it, joining, at 2026-11-29 00:00:00 UTC</p>");
    assert_says(&scene, "who coordinates, is not known here.");
    scene_close(&scene);
}

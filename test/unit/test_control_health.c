/* Alive and ready: what counts, and how it is said. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "control/documents/health.h"
#include "view_builder.h"

/* A member of a view of letters, everybody heard (10 + position) ms ago; the oldest coordinates. */
struct scene {
    struct built_view built;
    struct member self;
    struct facts facts;
};

static void scene_open(struct scene *scene, const char *letters, char self)
{
    *scene = (struct scene){.built = view_of(letters), .self = member_of(self)};
    struct facts *facts = &scene->facts;

    facts->self = &scene->self;
    facts->view = &scene->built.view;
    facts->coordinator = view_is_empty(facts->view) ? NULL : view_coordinator(&scene->built.view);
    facts->phase = view_is_empty(facts->view) ? PHASE_JOINING : PHASE_MEMBER;
    facts->guard = (struct guard_state){.needed = 2, .fresh = 3, .met = true};
    facts->peers = calloc(facts->view->member_count + 1, sizeof *facts->peers);
    facts->silent = calloc(facts->view->member_count + 1, sizeof *facts->silent);
    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        facts->peers[i].heard_ms_ago = 10 + i;
    }
}

/* Releases the scene after a last look at what it says. */
static void scene_says(struct scene *scene, struct health (*ask)(const struct facts *),
                       const char *brief)
{
    const struct health health = ask(&scene->facts);
    struct text_builder text = {0};

    health_write(&health, false, NULL, &text);
    text_builder_add_bytes(&text, "", 1);
    cr_expect_str_eq(text.bytes, brief);
    cr_expect_eq(health_is_good(&health), strcmp(brief, "ok\n") == 0);
    text_builder_deinit(&text);
    facts_deinit(&scene->facts);
    view_built_free(&scene->built);
}

Test(control_health, a_member_that_hears_its_coordinator_is_ready)
{
    struct scene scene;

    scene_open(&scene, "A B C", 'B');
    scene.facts.silent[2] = true; /* Another member than the coordinator does not matter. */
    scene_says(&scene, health_ready, "ok\n");

    scene_open(&scene, "A B C", 'A');
    scene.facts.silent[1] = true;
    scene_says(&scene, health_ready, "ok\n");

    scene_open(&scene, "A", 'A');
    scene_says(&scene, health_ready, "ok\n");
}

/* L5c: what it shows is old. */
Test(control_health, who_is_behind_is_not_ready)
{
    struct scene scene;

    scene_open(&scene, "A B C", 'B');
    scene.facts.peers[1].behind = true;
    scene_says(&scene, health_ready,
               "not ready: this node does not get the view that the others hold; doyen doctor "
               "measures whether long messages pass\n");

    scene_open(&scene, "A B C", 'B');
    scene.facts.peers[2].behind = true;
    scene_says(&scene, health_ready, "ok\n");
}

/* H76: on rings the others watch the coordinator, and would have said if it were silent. */
Test(control_health, whom_others_watch_is_not_silent)
{
    struct scene scene;

    scene_open(&scene, "A B C", 'B');
    scene.facts.peers[0].unknown = true;
    scene.facts.peers[0].heard_ms_ago = NEVER_MS;
    scene_says(&scene, health_ready, "ok\n");
}

Test(control_health, a_view_is_stale_where_the_coordinator_is_not_heard)
{
    struct scene scene;

    scene_open(&scene, "A B C", 'B');
    scene.facts.silent[0] = true;
    scene.facts.peers[0].heard_ms_ago = 1200;
    scene_says(&scene, health_ready,
               "not ready: the coordinator A was heard 1.2 s ago and not since\n");

    scene_open(&scene, "A B C", 'B');
    scene.facts.peers[0].verdict = VERDICT_DEAD;
    scene_says(&scene, health_ready,
               "not ready: the coordinator A was heard 10 ms ago and not since\n");

    scene_open(&scene, "A B", 'B');
    scene.facts.silent[0] = true;
    scene.facts.peers[0].heard_ms_ago = NEVER_MS;
    scene_says(&scene, health_ready, "not ready: the coordinator A was not heard yet\n");

    scene_open(&scene, "A B C", 'A');
    scene.facts.silent[1] = scene.facts.silent[2] = true;
    scene_says(&scene, health_ready,
               "not ready: this node coordinates, but hears none of the 2 other members\n");
}

Test(control_health, a_part_that_is_too_small_is_not_ready)
{
    struct scene scene;

    scene_open(&scene, "A", 'A');
    scene.facts.guard = (struct guard_state){.needed = 2, .fresh = 1, .met = false};
    scene_says(&scene, health_ready, "not ready: the guard is not met: 1 fresh member, 2 needed\n");

    scene_open(&scene, "A B", 'B'); /* Under guard strict there is nobody to be named then. */
    scene.facts.coordinator = NULL;
    scene.facts.guard = (struct guard_state){.needed = 3, .fresh = 2, .met = false};
    scene_says(&scene, health_ready,
               "not ready: there is no coordinator to be named; "
               "the guard is not met: 2 fresh members, 3 needed\n");
}

/* A node that joins, or goes, is alive: to restart it would help nobody. */
Test(control_health, who_joins_or_leaves_is_alive_and_not_ready)
{
    static const struct {
        enum phase phase;
        const char *ready;
        const char *live;
    } cases[] = {
        {PHASE_JOINING, "not ready: this node is joining; /v1/status says what it waits for\n",
         "ok\n"},
        {PHASE_LEAVING, "not ready: this node is leaving\n", "ok\n"},
        {PHASE_STOPPED, "not ready: this node has left\n", "not alive: the phase is stopped\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        scene_open(&scene, cases[i].phase == PHASE_JOINING ? "" : "A B", 'A');
        scene.facts.phase = cases[i].phase;
        scene_says(&scene, health_ready, cases[i].ready);
        scene_open(&scene, cases[i].phase == PHASE_JOINING ? "" : "A B", 'A');
        scene.facts.phase = cases[i].phase;
        scene_says(&scene, health_live, cases[i].live);
    }
}

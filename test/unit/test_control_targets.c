/* The members as targets for Prometheus. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "control/documents/report_targets.h"
#include "view_builder.h"

enum { PORT = 9100 };

struct scene {
    struct config config;
    struct built_view built;
    struct facts facts;
};

static void scene_open(struct scene *scene, const char *letters)
{
    *scene = (struct scene){.built = view_of(letters), .config = {.cluster = "doyen"}};
    scene->facts.config = &scene->config;
    scene->facts.view = &scene->built.view;
}

static void scene_says(struct scene *scene, const char *expected)
{
    json_t *targets = report_targets(&scene->facts, PORT);
    char *text = json_dumps(targets, JSON_COMPACT | JSON_SORT_KEYS);

    cr_expect_str_eq(text, expected);
    free(text);
    json_decref(targets);
    view_built_free(&scene->built);
}

Test(control_targets, each_member_has_the_port_and_its_tags)
{
    static const char tags[] = "zone=a\0rack-no.=7";
    struct tags odd = {.length = sizeof tags};
    struct scene scene;

    scene_open(&scene, "A B");
    memcpy(odd.text, tags, sizeof tags);
    scene.built.view.members[1].tags = &odd;
    scene_says(&scene,
               "[{\"labels\":{\"__meta_doyen_cluster\":\"doyen\",\"__meta_doyen_name\":\"A\","
               "\"__meta_doyen_state\":\"member\"},\"targets\":[\"10.0.0.65:9100\"]},"
               "{\"labels\":{\"__meta_doyen_cluster\":\"doyen\",\"__meta_doyen_name\":\"B\","
               "\"__meta_doyen_state\":\"member\",\"__meta_doyen_tag_rack_no_\":\"7\","
               "\"__meta_doyen_tag_zone\":\"a\"},\"targets\":[\"10.0.0.66:9100\"]}]");
}

Test(control_targets, who_failed_stays_and_who_left_does_not)
{
    struct scene scene;

    scene_open(&scene, "A B C");
    view_remove(&scene.built.view, 2, &(struct gone){.reason = GONE_LEFT});
    view_remove(&scene.built.view, 1, &(struct gone){.reason = GONE_FAILED});
    view_remove(&scene.built.view, 0, &(struct gone){.reason = GONE_REPLACED});
    scene_says(&scene,
               "[{\"labels\":{\"__meta_doyen_cluster\":\"doyen\",\"__meta_doyen_name\":\"B\","
               "\"__meta_doyen_state\":\"failed\"},\"targets\":[\"10.0.0.66:9100\"]}]");
}

Test(control_targets, where_nobody_is_there_are_none)
{
    struct scene scene;

    scene_open(&scene, "");
    scene_says(&scene, "[]");
}

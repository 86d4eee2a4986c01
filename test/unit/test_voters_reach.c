/* Would enough vote after a change of the voters, in the eyes of a member that does not coordinate?
 * The same as the coordinator says where those lease who vote (Z11f). */
#include <criterion/criterion.h>
#include <string.h>

#include "control/requests/voters_reach.h"
#include "view_builder.h"

enum { MEMBERS = 5 };

struct scene {
    struct built_view built;
    struct member self;
    struct voter_lists lists;
    struct peer_state peers[MEMBERS];
    bool silent[MEMBERS];
    struct facts facts;
    struct voter_survey survey;
};

/* The voters are the first letters of A to E, and those of `silent` are not heard. */
static void scene_open(struct scene *scene, uint8_t count, const char *silent)
{
    *scene = (struct scene){.built = view_of("A B C D E"), .self = member_of('A')};
    scene->lists.number = 1;
    for (uint8_t i = 0; i < count; i++) {
        scene->lists.voters[scene->lists.count++] = (struct listed_voter){
            .name = {(char)('A' + i)}, .record = member_of((char)('a' + i)).id, .now = true};
    }
    for (; *silent != '\0'; silent++) {
        scene->silent[*silent - 'A'] = true;
    }
    scene->facts = (struct facts){
        .view = &scene->built.view,
        .self = &scene->self,
        .voters = &scene->lists,
        .peers = scene->peers,
        .silent = scene->silent,
        .voter = {.status = VOTER_FOUNDED, .record_id = member_of('a').id}};
}

/* A small letter gets another record. */
static struct voters_wish wish_of(const char *names)
{
    struct voters_wish wish = {.number = 1};

    for (; *names != '\0'; names++) {
        const bool anew = *names >= 'a';
        wish.voters[wish.count++] = (struct wished_voter){
            .name = {anew ? (char)(*names - 'a' + 'A') : *names}, .anew = anew};
    }
    return wish;
}

Test(voters_reach, what_rests_on_one_that_is_not_heard_is_out_of_reach)
{
    static const struct {
        uint8_t count;
        const char *silent;
        const char *wish;
        bool suffices;
    } cases[] = {
        {3, "", "ABCD", true},  {3, "C", "ABCD", false}, {3, "C", "ABD", true},
        {3, "C", "ABc", true},  {3, "C", "AB", true},    {3, "C", "AC", false},
        {3, "C", "CDE", false}, {3, "", "D", true},      {3, "", "DE", true},
        {1, "", "ABC", true},   {1, "", "AB", true},     {1, "", "B", true},
        {2, "", "AC", true},    {2, "", "ABC", true},    {3, "BC", "ABD", false},
        {3, "", "ABc", true},   {3, "B", "ABc", false},  {3, "", "CDE", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        scene_open(&scene, cases[i].count, cases[i].silent);
        const struct voters_wish wish = wish_of(cases[i].wish);
        const struct voters_reach reach = voters_reach_of(&scene.facts, &scene.survey, &wish);
        cr_expect_eq(voters_reach_suffices(&reach), cases[i].suffices, "%u without %s to %s",
                     cases[i].count, cases[i].silent, cases[i].wish);
        view_built_free(&scene.built);
    }
}

Test(voters_reach, it_names_who_lacks_and_who_could_come_instead)
{
    struct scene scene;
    const struct voters_wish wish = wish_of("ABCD");

    scene_open(&scene, 3, "C");
    const struct voters_reach reach = voters_reach_of(&scene.facts, &scene.survey, &wish);
    cr_assert_str_eq(reach.lacks, "C");
    cr_assert_str_eq(reach.newcomer, "D");
    cr_assert_eq(reach.length, 4);
    cr_assert_eq(reach.voting, 2);
    view_built_free(&scene.built);
}

#include "control/requests/voters_reach.h"

#include "base/text.h"
#include "control/documents/voter_count.h"

bool voters_reach_is_voter(const struct facts *facts, const char *name)
{
    const uint8_t place = voter_lists_find_name(facts->voters, name);

    return place != VOTER_NONE && facts->voters->voters[place].now;
}

static const struct wished_voter *find_wished(const struct voters_wish *wish, const char *name)
{
    for (uint8_t i = 0; i < wish->count; i++) {
        if (text_equal(wish->voters[i].name, name)) {
            return &wish->voters[i];
        }
    }
    return NULL;
}

static void reach_of_present(const struct facts *facts, const struct voter_survey *survey,
                             const struct voters_wish *wish, struct voters_reach *reach)
{
    for (uint8_t i = 0; i < facts->voters->count; i++) {
        const struct listed_voter *voter = &facts->voters->voters[i];
        const struct wished_voter *wished = find_wished(wish, voter->name);
        const bool votes = voter_count_votes(facts, survey, i);
        const bool stays = wished != NULL && !wished->anew;
        if (!voter->now) {
            continue;
        }
        reach->now++;
        reach->now_voting += votes;
        reach->voting += stays && votes;
        reach->leaving += !stays;
        reach->leaving_voting += !stays && votes;
        if (stays && !votes) {
            reach->lacks = voter->name;
        }
    }
}

struct voters_reach voters_reach_of(const struct facts *facts, const struct voter_survey *survey,
                                    const struct voters_wish *wish)
{
    struct voters_reach reach = {.length = wish->count};

    reach_of_present(facts, survey, wish, &reach);
    for (uint8_t i = 0; i < wish->count; i++) {
        const struct wished_voter *wished = &wish->voters[i];
        if (wished->anew || !voters_reach_is_voter(facts, wished->name)) {
            reach.newcomers++;
            reach.newcomer = wished->anew ? reach.newcomer : wished->name;
        }
    }
    reach.voting += reach.now == 1 ? reach.newcomers : 0;
    return reach;
}

bool voters_reach_suffices(const struct voters_reach *reach)
{
    const uint32_t length = reach->now + (reach->newcomers > 0) - (reach->leaving > 0);
    const bool loses_one = reach->leaving > 0 && reach->leaving_voting == reach->leaving;
    const uint32_t voting = reach->now_voting - loses_one +
                            (reach->now == 1 && reach->newcomers > 0);

    const bool one_more = reach->newcomers > 0 && 2 * reach->now_voting > reach->now + 1;

    return 2 * reach->voting > reach->length || 2 * voting > length || one_more;
}

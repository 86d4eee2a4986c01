#include "core/detection/writes.h"

static const struct writes_said *find(const struct core *core, const struct node_id *record)
{
    for (uint32_t i = 0; i < VOTERS_LISTED_MAX && !id_is_none(record); i++) {
        if (id_equal(&core->writes.voters[i].record, record)) {
            return &core->writes.voters[i];
        }
    }
    return NULL;
}

/* There are no more voters than places; the one that was silent longest gives way. */
static struct writes_said *place_for(struct core *core, const struct node_id *record)
{
    struct writes_said *place = &core->writes.voters[0];

    for (uint32_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        struct writes_said *said = &core->writes.voters[i];
        if (id_equal(&said->record, record)) {
            return said;
        }
        place = said->since_ms < place->since_ms ? said : place;
    }
    *place = (struct writes_said){.record = *record, .least = UINT64_MAX, .since_ms = core->now_ms};
    return place;
}

/* A number that one frame made up is taken back by the next true one (H48); the true voter of an
 * older copy has no other one to take back, for what is known never sinks. */
void writes_note(struct core *core, const struct node_id *record, uint64_t writes)
{
    struct writes_said *said = place_for(core, record);

    if (writes < said->least) {
        said->least = writes;
        said->since_ms = core->now_ms;
    } else if (core->now_ms >= said->since_ms + core->timing.lost_ms) {
        said->known = larger(said->known, said->least);
        said->least = writes;
        said->since_ms = core->now_ms;
    }
}

uint64_t writes_known(const struct core *core, const struct node_id *record)
{
    const struct writes_said *said = find(core, record);

    return said == NULL ? 0 : said->known;
}

bool writes_are_fewer(const struct core *core, const struct node_id *record, uint64_t writes)
{
    return writes < writes_known(core, record);
}

void writes_ask(const struct core *core, uint32_t position, struct lease_asked *asked)
{
    const struct voter_lists *lists = &core->view.voters;
    const uint8_t place = voter_lists_find_name(lists, core->view.members[position].name);

    if (asked->epoch != 0 && place != VOTER_NONE) {
        asked->record = lists->voters[place].record;
        asked->writes = writes_known(core, &asked->record);
    }
}

/* One keeper of the table of partitions, told each message by hand (docs/partitions.md). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "partition/keeper.h"
#include "view_builder.h"

enum {
    SENT_MAX = 64,
    FIRST_MS = 10,
    MOST_MS = 40,
};

static struct keeper *keeper;
static struct partition_work *work;
static struct partition_message *sent;
static size_t sent_count;
static struct keeper_news news;
static uint32_t tables;

static void on_send(void *context, const struct partition_message *message)
{
    (void)context;
    cr_assert_lt(sent_count, (size_t)SENT_MAX);
    sent[sent_count++] = *message;
}

static void on_table(void *context, const struct keeper_news *told)
{
    (void)context;
    news = *told;
    tables++;
}

static void setup(void)
{
    const struct keeper_options options = {.retry_first_ms = FIRST_MS,
                                           .retry_most_ms = MOST_MS,
                                           .send = on_send,
                                           .on_table = on_table};

    keeper = malloc(sizeof *keeper);
    work = malloc(partition_work_bytes());
    sent = calloc(SENT_MAX, sizeof *sent);
    cr_assert(keeper != NULL && work != NULL && sent != NULL);
    keeper_init(keeper, &options, work);
}

static void teardown(void)
{
    free(keeper);
    free(work);
    free(sent);
}

TestSuite(partition_keeper, .init = setup, .fini = teardown);

static struct tags tags_of(const char *tag)
{
    struct tags tags = {.length = (uint16_t)(strlen(tag) + 1)};

    memcpy(tags.text, tag, tags.length);
    return tags;
}

static void set_tags(struct view *view, uint32_t position, const char *tag)
{
    const struct tags tags = tags_of(tag);

    view_set_tags(view, position, &tags);
}

/* Of these members, all with the tag. The parent is the view of that version; 0: another cluster's.
 */
static struct built_view view_with(const char *letters, uint64_t version, uint64_t parent,
                                   const char *tag)
{
    struct built_view built = view_of(letters);

    built.view.version = version;
    built.view.cause = CAUSE_CHANGE;
    built.view.parent = view_id_of(&built.view);
    built.view.parent.version = parent;
    for (uint32_t i = 0; i < built.view.member_count; i++) {
        set_tags(&built.view, i, tag);
    }
    return built;
}

static void install_tagged(char self, const char *letters, uint64_t version, uint64_t parent,
                           const char *tag)
{
    struct built_view built = view_with(letters, version, parent, tag);
    const struct member member = member_of(self);

    keeper_install(keeper, &built.view, &member.id, 0);
    view_built_free(&built);
}

static void install(char self, const char *letters, uint64_t version, uint64_t parent)
{
    install_tagged(self, letters, version, parent, "partitions=6+0");
}

static struct view_id id_of_version(char coordinator, uint64_t version)
{
    const struct member member = member_of(coordinator);
    struct view_id id = keeper->view;

    id.coordinator = member.id;
    id.version = version;
    return id;
}

/* As that member would send it, in the installed view. */
static struct partition_message from(char letter, enum partition_message_kind kind)
{
    const struct member member = member_of(letter);

    return (struct partition_message){
        .from = member.id, .to = keeper->self, .kind = kind, .view = keeper->view};
}

static void ask_from(char letter, const struct view_id *of)
{
    struct partition_message message = from(letter, PARTITION_ASK);

    if (of != NULL) {
        message.of = *of;
    }
    keeper_take(keeper, &message, 0);
}

/* A page with all of a table of six partitions. */
static struct partition_message page_from(char letter, enum partition_message_kind kind,
                                          const struct view_id *of, const uint16_t values[6])
{
    struct partition_message message = from(letter, kind);
    struct partition_table table;

    partition_table_init(&table, 6, 1);
    for (uint32_t p = 0; p < 6; p++) {
        table.rows[p].copies[0] = values[p];
    }
    message.of = *of;
    message.digest = table_digest(&table);
    page_cut(&table, 0, &message);
    return message;
}

static void take_page(char letter, enum partition_message_kind kind, const struct view_id *of,
                      const uint16_t values[6])
{
    const struct partition_message message = page_from(letter, kind, of, values);

    keeper_take(keeper, &message, 0);
}

static uint16_t owner(uint32_t partition)
{
    return keeper->table.rows[partition].copies[0];
}

static void assert_owners(const uint16_t expected[6])
{
    for (uint32_t p = 0; p < 6; p++) {
        cr_assert_eq(owner(p), expected[p], "partition %u is at %u", p, owner(p));
    }
}

static void tick_until(uint64_t end_ms)
{
    while (keeper_deadline_ms(keeper) <= end_ms) {
        keeper_tick(keeper, keeper_deadline_ms(keeper));
    }
}

static const uint16_t even[6] = {0, 0, 1, 1, 2, 2};

/* P1. */
Test(partition_keeper, the_tag_says_who_takes_part_and_by_which_terms)
{
    const struct {
        const char *tag;
        uint32_t partitions;
        uint32_t copies;
    } cases[] = {
        {"partitions=271+1", 271, 2},
        {"partitions=4096+2", 4096, 3},
        {"partitions=1+0", 1, 1},
        {"partitions=4097+0", 0, 0},
        {"partitions=271+3", 0, 0},
        {"partitions=0+0", 0, 0},
        {"partitions=271", 0, 0},
        {"partitions=271+", 0, 0},
        {"partitions=271+1x", 0, 0},
        {"partitions=+1", 0, 0},
        {"partition=271+1", 0, 0},
        {"partitions=271+01", 0, 0},
        {"zone=a", 0, 0},
        {"partitions=99999999999999+0", 0, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct member member = member_of('A');
        const struct tags tags = tags_of(cases[i].tag);
        member.tags = &tags;
        const struct partition_terms terms = partition_terms_of(&member);
        cr_assert_eq(terms.partitions, cases[i].partitions, "%s", cases[i].tag);
        cr_assert_eq(terms.copies, cases[i].copies, "%s", cases[i].tag);
    }
}

/* P1: the terms of the oldest count. */
Test(partition_keeper, who_has_other_terms_keeps_nothing)
{
    struct built_view built = view_with("A B C", 3, 2, "partitions=6+0");
    const struct member self = member_of('C');

    set_tags(&built.view, 2, "partitions=7+0");
    keeper_install(keeper, &built.view, &self.id, 0);
    cr_assert_not(keeper_takes_part(keeper));
    cr_assert_eq(keeper->crew.count, 2);
    cr_assert_eq(keeper_deadline_ms(keeper), PARTITION_NEVER_MS);
    cr_assert_eq(sent_count, 0);
    view_built_free(&built);
}

/* P1. */
Test(partition_keeper, who_is_drained_keeps_nothing_unless_all_are)
{
    struct built_view built = view_with("A B C", 3, 2, "partitions=6+0");
    struct crew *crew = malloc(sizeof *crew);

    cr_assert_not_null(crew);
    built.view.members[0].drained = true;
    crew_read(crew, &built.view);
    cr_assert(crew->count == 2 && crew->all == 3);
    cr_assert(id_equal(&crew->lives[0], &built.view.members[1].id));
    cr_assert(id_equal(&crew->lives[2], &built.view.members[0].id));
    built.view.members[1].drained = true;
    built.view.members[2].drained = true;
    crew_read(crew, &built.view);
    cr_assert(crew->count == 3 && crew->all == 3);
    free(crew);
    view_built_free(&built);
}

/* P1, P2: members of one zone by their tag. */
Test(partition_keeper, zones_are_told_apart_by_their_tag)
{
    struct built_view built = view_with("A B C D", 4, 3, "partitions=6+0");
    struct crew *crew = malloc(sizeof *crew);
    static const struct tags tags = {.length = sizeof "zone=x\0partitions=6+0",
                                     .text = "zone=x\0partitions=6+0"};

    cr_assert_not_null(crew);
    for (uint32_t i = 1; i < 3; i++) {
        view_set_tags(&built.view, i, &tags);
    }
    crew_read(crew, &built.view);
    cr_assert_eq(crew->members[0].zone, crew->members[3].zone);
    cr_assert_eq(crew->members[1].zone, crew->members[2].zone);
    cr_assert_neq(crew->members[0].zone, crew->members[1].zone);
    free(crew);
    view_built_free(&built);
}

/* P3: who has the parent's makes the next one; P4: and asks whether it is right. */
Test(partition_keeper, makes_the_next_table_from_that_of_the_parent)
{
    install('B', "A B C", 3, 2);
    take_page('A', PARTITION_TABLE, &keeper->view, even);
    cr_assert(keeper->settled);
    sent_count = 0;
    install('B', "A B", 4, 3);
    cr_assert_eq(tables, 2);
    cr_assert(news.change.moved == 2 && news.change.least == 2 && news.gained == 1);
    cr_assert_not(keeper->settled);
    cr_assert_eq(sent_count, 1);
    cr_assert_eq(sent[0].kind, PARTITION_ASK);
    cr_assert(view_id_equal(&sent[0].of, &keeper->view));

    struct partition_message message = from('A', PARTITION_TABLE);
    message.of = keeper->view;
    message.digest = sent[0].digest;
    keeper_take(keeper, &message, 0);
    cr_assert(keeper->settled);
    cr_assert_eq(keeper_deadline_ms(keeper), PARTITION_NEVER_MS);
    cr_assert_eq(tables, 2);
}

/* P3: of another view than the parent it would be another table. */
Test(partition_keeper, makes_nothing_of_a_table_of_another_view)
{
    install('B', "A B C", 3, 2);
    take_page('A', PARTITION_TABLE, &keeper->view, even);
    install('B', "A B", 5, 4);
    cr_assert_eq(tables, 1);
    cr_assert_not(view_id_equal(&keeper->of, &keeper->view));
}

/* P4. */
Test(partition_keeper, the_makers_word_counts)
{
    static const uint16_t odd[6] = {1, 0, 1, 0, 1, 0};

    install('B', "A B C", 3, 2);
    take_page('A', PARTITION_TABLE, &keeper->view, even);
    install('B', "A B", 4, 3);
    take_page('A', PARTITION_TABLE, &keeper->view, odd);
    cr_assert(keeper->settled);
    cr_assert_eq(tables, 3);
    assert_owners(odd);
}

/* P4. */
Test(partition_keeper, asks_again_until_it_is_answered)
{
    install('B', "A B C", 3, 2);
    tick_until(FIRST_MS + 2 * FIRST_MS + MOST_MS + MOST_MS);
    cr_assert_eq(sent_count, 5);
    take_page('A', PARTITION_TABLE, &keeper->view, even);
    tick_until(100 * MOST_MS);
    cr_assert_eq(sent_count, 5);
}

/* A who makes the table of three members, and then of four: D comes in. */
static void let_in_the_fourth(void)
{
    install('A', "A B C", 3, 2);
    ask_from('B', NULL);
    ask_from('C', NULL);
    sent_count = 0;
    install('A', "A B C D", 4, 3);
}

/* P4: the table comes with the view, without a question. */
Test(partition_keeper, who_comes_in_is_told_unasked)
{
    const struct member newcomer = member_of('D');

    let_in_the_fourth();
    cr_assert_eq(sent_count, 1);
    cr_assert(sent[0].kind == PARTITION_TABLE && sent[0].count == 6);
    cr_assert(id_equal(&sent[0].to, &newcomer.id));
    cr_assert(view_id_equal(&sent[0].of, &keeper->view) && sent[0].digest == keeper->digest);
    cr_assert(sent[0].change.moved == keeper->change.moved);
    cr_assert(keeper->settled);
}

/* P4: its question crosses the answer; one that comes later says that the answer was lost. */
Test(partition_keeper, who_was_told_unasked_is_not_told_twice)
{
    struct partition_message behind;

    let_in_the_fourth();
    ask_from('D', NULL);
    cr_assert_eq(sent_count, 1);
    behind = from('D', PARTITION_ASK);
    behind.page = 1; /* What it was sent came, and there might be more. */
    keeper_take(keeper, &behind, 0);
    cr_assert_eq(sent_count, 1); /* There is not. */
    ask_from('B', NULL);
    cr_assert_eq(sent_count, 2);
    behind.page = 0;
    keeper_take(keeper, &behind, FIRST_MS);
    cr_assert_eq(sent_count, 3);
}

/* P5: with nobody's table it is made from nothing, when all have said so. */
Test(partition_keeper, a_maker_waits_until_all_have_said_what_they_have)
{
    install('A', "A B C", 3, 2);
    ask_from('B', NULL);
    cr_assert_eq(tables, 0);
    cr_assert_eq(sent_count, 0);
    ask_from('C', NULL);
    cr_assert_eq(tables, 1);
    cr_assert(keeper->settled && news.first && news.owned == 2);
    cr_assert_eq(keeper_owned(keeper), 2);
    cr_assert_eq(sent_count, 2); /* A page for each of them. */
    cr_assert(sent[0].kind == PARTITION_TABLE && sent[0].count == 6);
    cr_assert(sent[0].change.moved == 6 && sent[0].change.least == 6);
}

/* P5: the latest of those that are left, and it is fetched. */
Test(partition_keeper, a_maker_makes_the_table_from_the_latest_that_anybody_has)
{
    static const uint16_t former[6] = {PARTITION_NOBODY, 2, 2, 1, 1, PARTITION_NOBODY};

    install('A', "A B C", 9, 8);
    const struct view_id older = id_of_version('A', 4);
    const struct view_id newer = id_of_version('A', 6);
    ask_from('B', &older);
    ask_from('C', &newer);
    cr_assert_eq(tables, 0);
    cr_assert_eq(sent_count, 1);
    cr_assert_eq(sent[0].kind, PARTITION_FETCH);
    const struct member c = member_of('C');
    cr_assert(id_equal(&sent[0].to, &c.id) && view_id_equal(&sent[0].of, &newer));

    take_page('B', PARTITION_PAGE, &older, even); /* Nobody has asked for that one. */
    cr_assert_eq(tables, 0);
    take_page('C', PARTITION_PAGE, &newer, former);
    cr_assert(keeper->settled);
    cr_assert_eq(news.change.moved, 2);
    assert_owners((const uint16_t[6]){0, 2, 2, 1, 1, 0});
}

/* P5: somebody has the view's own, as the parent's was known to it. */
Test(partition_keeper, a_maker_takes_the_views_own_table_where_somebody_has_it)
{
    install('A', "A B C", 9, 8);
    const struct view_id present = keeper->view;
    const struct view_id older = id_of_version('A', 6);
    ask_from('B', &older);
    ask_from('C', &present);
    cr_assert_eq(sent[0].kind, PARTITION_FETCH);
    const struct member c = member_of('C');
    cr_assert(id_equal(&sent[0].to, &c.id));
    take_page('C', PARTITION_PAGE, &present, even);
    cr_assert(keeper->settled);
    assert_owners(even);
}

/* P5: one of another lineage only where there is none of this. */
Test(partition_keeper, a_table_of_another_lineage_comes_last)
{
    install('A', "A B C", 9, 8);
    const struct view_id own = id_of_version('A', 2);
    struct view_id other = id_of_version('A', 7);
    other.lineage++;
    ask_from('B', &other);
    ask_from('C', &own);
    cr_assert_eq(sent_count, 1);
    cr_assert(view_id_equal(&sent[0].of, &own));
}

/* P5: neither silence nor a promise holds it up for good. */
Test(partition_keeper, a_maker_waits_for_nobody_for_ever)
{
    install('A', "A B C", 9, 8);
    const struct view_id made_up = id_of_version('A', 7);
    ask_from('B', &made_up);
    tick_until((PARTITION_TRIES - 2) * MOST_MS);
    cr_assert_eq(tables, 0);
    tick_until((PARTITION_TRIES + 2) * MOST_MS); /* C has said nothing. */
    cr_assert_eq(sent[0].kind, PARTITION_FETCH);
    cr_assert_eq(tables, 0);
    tick_until((2 * PARTITION_TRIES + 4) * MOST_MS); /* B has given nothing. */
    cr_assert_eq(tables, 1);
    cr_assert(keeper->settled && news.first);
}

/* P5, P6: a maker that is given one that cannot be asks for it again, and then another member. */
Test(partition_keeper, a_maker_takes_none_that_cannot_be)
{
    static const uint16_t beyond[6] = {0, 0, 1, 1, 2, 3};

    install('A', "A B C", 9, 8);
    const struct view_id older = id_of_version('A', 4);
    const struct view_id newer = id_of_version('A', 6);
    ask_from('B', &older);
    ask_from('C', &newer);
    take_page('C', PARTITION_PAGE, &newer, beyond);
    cr_assert_eq(tables, 0);
    tick_until(FIRST_MS);
    cr_assert(sent[1].kind == PARTITION_FETCH && sent[1].page == 0);
    tick_until((PARTITION_TRIES + 2) * MOST_MS);
    const struct member b = member_of('B');
    cr_assert(id_equal(&sent[sent_count - 1].to, &b.id) && sent[sent_count - 1].page == 0);
    take_page('B', PARTITION_PAGE, &older, even);
    cr_assert(keeper->settled);
    assert_owners(even);
}

/* P6. */
Test(partition_keeper, a_table_is_believed_from_the_maker_alone)
{
    install('B', "A B C", 3, 2);
    take_page('C', PARTITION_TABLE, &keeper->view, even);
    take_page('A', PARTITION_PAGE, &keeper->view, even);
    cr_assert_eq(tables, 0);

    struct partition_message stranger = page_from('D', PARTITION_TABLE, &keeper->view, even);
    keeper_take(keeper, &stranger, 0);
    struct partition_message other_view = page_from('A', PARTITION_TABLE, &keeper->view, even);
    other_view.view.version++;
    keeper_take(keeper, &other_view, 0);
    struct partition_message for_another = page_from('A', PARTITION_TABLE, &keeper->view, even);
    for_another.to = stranger.from;
    keeper_take(keeper, &for_another, 0);
    cr_assert_eq(tables, 0);
    take_page('A', PARTITION_TABLE, &keeper->view, even);
    cr_assert_eq(tables, 1);
}

/* P6. */
Test(partition_keeper, a_table_that_cannot_be_is_not_taken)
{
    static const uint16_t beyond[6] = {0, 0, 1, 1, 2, 3};
    static const uint16_t nobody[6] = {0, 0, 1, 1, 2, PARTITION_NOBODY};

    install('B', "A B C", 3, 2);
    take_page('A', PARTITION_TABLE, &keeper->view, beyond);
    tick_until(FIRST_MS);
    cr_assert(sent_count == 2 && sent[1].page == 0); /* All of it once more. */
    take_page('A', PARTITION_TABLE, &keeper->view, nobody);
    struct partition_message other_digest = page_from('A', PARTITION_TABLE, &keeper->view, even);
    other_digest.digest++;
    keeper_take(keeper, &other_digest, 0);
    struct partition_message no_page = page_from('A', PARTITION_TABLE, &keeper->view, even);
    no_page.page = 1;
    keeper_take(keeper, &no_page, 0);
    cr_assert_eq(tables, 0);
    take_page('A', PARTITION_TABLE, &keeper->view, even);
    cr_assert_eq(tables, 1);
}

/* P6: nobody twice in a row. */
Test(partition_keeper, a_row_names_nobody_twice)
{
    struct partition_message message;
    struct partition_table table;

    install_tagged('B', "A B C", 3, 2, "partitions=1+1");
    partition_table_init(&table, 1, 2);
    table.rows[0].copies[0] = 1;
    table.rows[0].copies[1] = 1;
    message = from('A', PARTITION_TABLE);
    message.of = keeper->view;
    message.digest = table_digest(&table);
    page_cut(&table, 0, &message);
    keeper_take(keeper, &message, 0);
    cr_assert_eq(tables, 0);
}

/* What it kept in its last life is nobody's. */
Test(partition_keeper, a_new_life_has_no_table)
{
    install('B', "A B C", 3, 2);
    take_page('A', PARTITION_TABLE, &keeper->view, even);
    keeper_leave(keeper);
    cr_assert_not(keeper_takes_part(keeper));
    cr_assert_not(keeper_has_table(keeper));
    install('B', "A B C", 4, 3);
    cr_assert_not(keeper_has_table(keeper));
}

#include "partition/keeper.h"

#include <string.h>

static const struct view_id no_view = {.lineage = 0};

static bool is_maker(const struct keeper *keeper)
{
    return keeper->place == 0;
}

static bool is_none(const struct view_id *of)
{
    return id_is_none(&of->coordinator);
}

bool keeper_takes_part(const struct keeper *keeper)
{
    return keeper->place != PARTITION_NOBODY;
}

bool keeper_has_table(const struct keeper *keeper)
{
    return !is_none(&keeper->of);
}

uint32_t keeper_owned(const struct keeper *keeper)
{
    uint32_t owned = 0;

    for (uint32_t p = 0; keeper_has_table(keeper) && p < keeper->table.partitions; p++) {
        owned += id_equal(&keeper->members[keeper->table.rows[p].copies[0]], &keeper->self);
    }
    return owned;
}

/* Does this member have the table of the installed view? */
static bool has_present(const struct keeper *keeper)
{
    return view_id_equal(&keeper->of, &keeper->view);
}

/* --- Messages -------------------------------------------------------------------------------- */

static void begin_message(const struct keeper *keeper, struct partition_message *message,
                          enum partition_message_kind kind, uint16_t to)
{
    message->from = keeper->self;
    message->to = keeper->crew.lives[to];
    message->kind = kind;
    message->view = keeper->view;
    message->of = keeper->of;
    message->digest = has_present(keeper) ? keeper->digest : 0;
    message->page = 0;
    message->change = (struct partition_change){.moved = 0};
    message->count = 0;
}

static void send_message(const struct keeper *keeper, const struct partition_message *message)
{
    keeper->options.send(keeper->options.context, message);
}

/* P4: to the maker. */
static void ask(struct keeper *keeper)
{
    struct partition_message message;

    begin_message(keeper, &message, PARTITION_ASK, 0);
    message.page = pages_missing(&keeper->pages);
    send_message(keeper, &message);
}

/* P5: from who has the latest table. */
static void fetch(struct keeper *keeper)
{
    struct partition_message message;

    begin_message(keeper, &message, PARTITION_FETCH, keeper->source);
    message.of = keeper->slots[keeper->source].of;
    message.digest = 0;
    message.page = pages_missing(&keeper->pages);
    send_message(keeper, &message);
}

/* Pages from `page` on; where there is none, a message without values. */
static void send_pages(struct keeper *keeper, enum partition_message_kind kind, uint16_t to,
                       uint32_t page)
{
    struct partition_message message;
    const uint32_t end = pages_count(&keeper->seen);

    begin_message(keeper, &message, kind, to);
    message.digest = table_digest(&keeper->seen);
    message.change = keeper->change;
    for (uint32_t i = 0; i < PARTITION_BURST && page + i < end; i++) {
        page_cut(&keeper->seen, page + i, &message);
        send_message(keeper, &message);
    }
}

static void answer(struct keeper *keeper, uint16_t to)
{
    struct keeper_slot *slot = &keeper->slots[to];
    struct partition_message message;

    slot->asks = false;
    if (view_id_equal(&slot->of, &keeper->view) && slot->digest == keeper->digest) {
        begin_message(keeper, &message, PARTITION_TABLE, to);
        message.change = keeper->change;
        send_message(keeper, &message);
    } else {
        send_pages(keeper, PARTITION_TABLE, to, slot->page);
    }
}

/* P4: who comes in has the table with the view, and need not ask. */
static void tell_newcomers(struct keeper *keeper, uint64_t now_ms)
{
    keeper->sent_until_ms = now_ms + keeper->options.retry_first_ms;
    for (uint32_t i = 1; i < keeper->crew.all; i++) {
        if (!keeper->slots[i].was_there) {
            keeper->slots[i].is_sent = true;
            send_pages(keeper, PARTITION_TABLE, (uint16_t)i, 0);
        }
    }
}

/* A first question crosses what was sent unasked; a later one says that it was lost. */
static bool is_under_way(const struct keeper *keeper, const struct keeper_slot *slot,
                         uint64_t now_ms)
{
    return slot->is_sent && slot->page == 0 && now_ms < keeper->sent_until_ms;
}

static void retry_soon(struct keeper *keeper, uint64_t now_ms)
{
    keeper->retry_ms = keeper->options.retry_first_ms;
    keeper->due_ms = now_ms + keeper->retry_ms;
}

/* --- Tables ---------------------------------------------------------------------------------- */

static void count_own(const struct keeper *keeper, const struct partition_table *next,
                      struct keeper_news *news)
{
    for (uint32_t p = 0; p < next->partitions; p++) {
        const bool before = !news->first && keeper->seen.rows[p].copies[0] == keeper->place;
        const bool after = next->rows[p].copies[0] == keeper->place;
        news->gained += after && !before;
        news->lost += before && !after;
        news->owned += after;
    }
}

/* `next` is the table of the installed view, in places of the crew. */
static void adopt(struct keeper *keeper, const struct partition_table *next,
                  const struct partition_change *change)
{
    struct keeper_news news = {.change = *change, .first = !keeper_has_table(keeper)};

    count_own(keeper, next, &news);
    keeper->table = *next;
    keeper->seen = *next;
    keeper->of = keeper->view;
    keeper->digest = table_digest(next);
    keeper->change = *change;
    keeper->member_count = keeper->crew.count;
    memcpy(keeper->members, keeper->crew.lives, keeper->crew.count * sizeof keeper->members[0]);
    keeper->options.on_table(keeper->options.context, &news);
}

/* P2: from `base`, in places of the crew. */
static void make(struct keeper *keeper, const struct partition_table *base)
{
    struct partition_table next = *base;
    const struct partition_change change = partition_place(&next, keeper->crew.members,
                                                           keeper->crew.count, keeper->work);

    adopt(keeper, &next, &change);
}

static void make_first(struct keeper *keeper)
{
    struct partition_table empty;

    partition_table_init(&empty, keeper->crew.terms.partitions, keeper->crew.terms.copies);
    make(keeper, &empty);
}

/* The maker's: whoever waits is told. */
static void settle(struct keeper *keeper)
{
    keeper->settled = true;
    keeper->source = PARTITION_NOBODY;
    keeper->due_ms = PARTITION_NEVER_MS;
    if (!is_maker(keeper)) {
        return;
    }
    for (uint32_t i = 0; i < keeper->crew.all; i++) {
        if (keeper->slots[i].asks) {
            answer(keeper, (uint16_t)i);
        }
    }
}

/* Tables of other terms are of no use. */
static bool is_of_terms(const struct keeper *keeper)
{
    return keeper_has_table(keeper) && keeper->table.partitions == keeper->crew.terms.partitions &&
           keeper->table.copies == keeper->crew.terms.copies;
}

/* The table in places of the new crew. */
static void look_again(struct keeper *keeper)
{
    uint16_t now[PARTITION_MEMBERS_MAX];
    uint32_t hint = 0;

    if (!is_of_terms(keeper)) {
        keeper->of = no_view;
        return;
    }
    for (uint32_t i = 0; i < keeper->member_count; i++) {
        now[i] = crew_find(&keeper->crew, &keeper->members[i], hint);
        if (now[i] != PARTITION_NOBODY) {
            keeper->slots[now[i]].was_there = true;
            hint = now[i] + 1U;
        }
    }
    keeper->seen = keeper->table;
    for (uint32_t p = 0; p < keeper->seen.partitions; p++) {
        for (uint32_t i = 0; i < keeper->seen.copies; i++) {
            uint16_t *copy = &keeper->seen.rows[p].copies[i];
            *copy = *copy == PARTITION_NOBODY ? *copy : now[*copy];
        }
    }
}

/* Pages of what is told next begin with the first. */
static void forget_pages(struct keeper *keeper)
{
    pages_begin(&keeper->pages, keeper->crew.terms.partitions, keeper->crew.terms.copies);
}

/* --- The maker ------------------------------------------------------------------------------- */

/* P5: is the table of `a` to be taken rather than that of `b`? */
static bool is_better(const struct keeper *keeper, const struct view_id *a, const struct view_id *b)
{
    if (is_none(a) || is_none(b)) {
        return !is_none(a);
    }
    if (view_id_equal(b, &keeper->view) || view_id_equal(b, &keeper->parent)) {
        return false;
    }
    if (view_id_equal(a, &keeper->view) || view_id_equal(a, &keeper->parent)) {
        return true;
    }
    if ((a->lineage == keeper->view.lineage) != (b->lineage == keeper->view.lineage)) {
        return a->lineage == keeper->view.lineage;
    }
    if (a->epoch != b->epoch) {
        return a->epoch > b->epoch;
    }
    return a->version > b->version;
}

/* Where the best table is; this member's own place where it has it. */
static uint16_t best_source(const struct keeper *keeper)
{
    const struct view_id *best = &keeper->of;
    uint16_t source = keeper->place;

    for (uint32_t i = 1; i < keeper->crew.all; i++) {
        if (is_better(keeper, &keeper->slots[i].of, best)) {
            best = &keeper->slots[i].of;
            source = (uint16_t)i;
        }
    }
    return source;
}

static bool all_told(const struct keeper *keeper)
{
    for (uint32_t i = 1; i < keeper->crew.all; i++) {
        if (!keeper->slots[i].told) {
            return false;
        }
    }
    return true;
}

/* P5: what a maker does who has not the table of the view before. */
static void make_from_best(struct keeper *keeper, uint64_t now_ms)
{
    const uint16_t source = best_source(keeper);
    if (source != keeper->place) {
        keeper->source = source;
        keeper->tries = 0;
        forget_pages(keeper);
        fetch(keeper);
        retry_soon(keeper, now_ms);
        return;
    }
    if (keeper_has_table(keeper)) {
        make(keeper, &keeper->seen);
    } else {
        make_first(keeper);
    }
    settle(keeper);
}

static void make_when_told(struct keeper *keeper, uint64_t now_ms)
{
    if (keeper->source == PARTITION_NOBODY && all_told(keeper)) {
        make_from_best(keeper, now_ms);
    }
}

/* P5: nobody holds up a maker for good, by saying nothing or by not giving what it said it has. */
static void wait_no_more(struct keeper *keeper, uint64_t now_ms)
{
    if (keeper->source != PARTITION_NOBODY) {
        keeper->slots[keeper->source].of = no_view;
        keeper->source = PARTITION_NOBODY;
    }
    make_from_best(keeper, now_ms);
}

/* --- Views ----------------------------------------------------------------------------------- */

void keeper_init(struct keeper *keeper, const struct keeper_options *options,
                 struct partition_work *work)
{
    memset(keeper, 0, sizeof *keeper);
    keeper->options = *options;
    keeper->work = work;
    keeper_leave(keeper);
}

void keeper_leave(struct keeper *keeper)
{
    keeper->self = no_view.coordinator;
    keeper->view = no_view;
    keeper->of = no_view;
    keeper->place = PARTITION_NOBODY;
    keeper->source = PARTITION_NOBODY;
    keeper->due_ms = PARTITION_NEVER_MS;
    keeper->settled = false;
}

static void begin_view(struct keeper *keeper, const struct view *view)
{
    keeper->view = view_id_of(view);
    keeper->parent = view->parent;
    keeper->founds = view->cause == CAUSE_FOUND;
    crew_read(&keeper->crew, view);
    keeper->place = keeper->crew.count == 0 ? PARTITION_NOBODY
                                            : crew_find(&keeper->crew, &keeper->self, 0);
    keeper->source = PARTITION_NOBODY;
    keeper->due_ms = PARTITION_NEVER_MS;
    keeper->settled = false;
    memset(keeper->slots, 0, keeper->crew.all * sizeof keeper->slots[0]);
}

void keeper_install(struct keeper *keeper, const struct view *view, const struct node_id *self,
                    uint64_t now_ms)
{
    const struct view_id id = view_id_of(view);

    if (id_equal(&keeper->self, self) && view_id_equal(&keeper->view, &id)) {
        return;
    }
    if (!id_equal(&keeper->self, self)) {
        keeper_leave(keeper);
        keeper->self = *self;
    }
    begin_view(keeper, view);
    if (!keeper_takes_part(keeper)) {
        return;
    }
    look_again(keeper);
    forget_pages(keeper);
    if (keeper->founds) {
        make_first(keeper);
    } else if (keeper_has_table(keeper) && view_id_equal(&keeper->of, &keeper->parent)) {
        make(keeper, &keeper->seen); /* P3 */
    }
    if (!is_maker(keeper)) {
        ask(keeper);
        retry_soon(keeper, now_ms);
    } else if (has_present(keeper)) {
        settle(keeper);
        tell_newcomers(keeper, now_ms);
    } else {
        keeper->tries = 0;
        retry_soon(keeper, now_ms);
        make_when_told(keeper, now_ms);
    }
}

/* --- What others say ------------------------------------------------------------------------- */

static void on_ask(struct keeper *keeper, uint16_t from, const struct partition_message *message,
                   uint64_t now_ms)
{
    struct keeper_slot *slot = &keeper->slots[from];

    if (!is_maker(keeper)) {
        return;
    }
    slot->asks = true;
    slot->told = true;
    slot->of = message->of;
    slot->digest = message->digest;
    slot->page = message->page;
    if (keeper->settled) {
        if (!is_under_way(keeper, slot, now_ms)) {
            answer(keeper, from);
        }
    } else {
        make_when_told(keeper, now_ms);
    }
}

/* P4: the maker's word counts, whatever this member has made. */
static void on_table(struct keeper *keeper, uint16_t from, const struct partition_message *message,
                     uint64_t now_ms)
{
    if (from != 0 || keeper->settled || !view_id_equal(&message->of, &keeper->view)) {
        return;
    }
    if (has_present(keeper) && message->digest == keeper->digest) {
        settle(keeper);
    } else if (!pages_take(&keeper->pages, message)) {
        if (message->page % PARTITION_BURST == PARTITION_BURST - 1 && message->count > 0) {
            ask(keeper);
            retry_soon(keeper, now_ms);
        }
    } else if (table_is_whole(&keeper->pages.table, keeper->crew.count)) {
        adopt(keeper, &keeper->pages.table, &message->change);
        settle(keeper);
    } else {
        forget_pages(keeper);
    }
}

static void on_fetch(struct keeper *keeper, uint16_t from, const struct partition_message *message)
{
    if (from == 0 && keeper_has_table(keeper) && view_id_equal(&message->of, &keeper->of)) {
        send_pages(keeper, PARTITION_PAGE, from, message->page);
    }
}

static void on_page(struct keeper *keeper, uint16_t from, const struct partition_message *message,
                    uint64_t now_ms)
{
    if (keeper->source != from || !view_id_equal(&message->of, &keeper->slots[from].of)) {
        return;
    }
    if (!pages_take(&keeper->pages, message)) {
        if (message->page % PARTITION_BURST == PARTITION_BURST - 1) {
            fetch(keeper);
            retry_soon(keeper, now_ms);
        }
        return;
    }
    const bool is_present = view_id_equal(&message->of, &keeper->view);
    if (is_present ? !table_is_whole(&keeper->pages.table, keeper->crew.count)
                   : !table_is_bounded(&keeper->pages.table, keeper->crew.count)) {
        forget_pages(keeper);
        return;
    }
    if (is_present) {
        adopt(keeper, &keeper->pages.table, &message->change);
    } else {
        make(keeper, &keeper->pages.table);
    }
    settle(keeper);
}

void keeper_take(struct keeper *keeper, const struct partition_message *message, uint64_t now_ms)
{
    if (!keeper_takes_part(keeper) || !view_id_equal(&message->view, &keeper->view) ||
        !id_equal(&message->to, &keeper->self)) {
        return;
    }
    const uint16_t from = crew_find(&keeper->crew, &message->from, 0);
    if (from == PARTITION_NOBODY || from == keeper->place) {
        return;
    }
    switch (message->kind) {
    case PARTITION_ASK:
        on_ask(keeper, from, message, now_ms);
        return;
    case PARTITION_TABLE:
        on_table(keeper, from, message, now_ms);
        return;
    case PARTITION_FETCH:
        on_fetch(keeper, from, message);
        return;
    case PARTITION_PAGE:
        on_page(keeper, from, message, now_ms);
        return;
    case PARTITION_MESSAGE_KINDS:
        return;
    }
}

uint64_t keeper_deadline_ms(const struct keeper *keeper)
{
    return keeper->due_ms;
}

void keeper_tick(struct keeper *keeper, uint64_t now_ms)
{
    if (now_ms < keeper->due_ms) {
        return;
    }
    keeper->retry_ms = keeper->retry_ms * 2 < keeper->options.retry_most_ms
                           ? keeper->retry_ms * 2
                           : keeper->options.retry_most_ms;
    keeper->due_ms = now_ms + keeper->retry_ms;
    if (!is_maker(keeper)) {
        ask(keeper);
    } else if (++keeper->tries > PARTITION_TRIES) {
        wait_no_more(keeper, now_ms);
    } else if (keeper->source != PARTITION_NOBODY) {
        fetch(keeper);
    }
}

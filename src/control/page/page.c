#include "control/page/page.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "control/text/html.h"
#include "control/text/time_text.h"
#include "words/address_text.h"
#include "words/notice_text.h"
#include "words/terms_text.h"

/* Text is isolated by <bdi>, so that a name with a mark of direction cannot turn its neighbours
 * around. */
static void add_isolated(struct text_builder *html, const char *text, size_t length)
{
    text_builder_add(html, "<bdi>");
    html_add_text(html, text, length);
    text_builder_add(html, "</bdi>");
}

static void add_name(struct text_builder *html, const char *name)
{
    add_isolated(html, name, strlen(name));
}

static void add_head(struct text_builder *html, const struct facts *facts)
{
    text_builder_add(html,
                     "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    html_add_word(html, facts->config->cluster);
    text_builder_add(html, " at ");
    html_add_word(html, facts->self->name);
    text_builder_add(html, " \xe2\x80\xa2 Doyen</title>\n"
                           "<link rel=\"icon\" href=\"/page/icon.svg\" type=\"image/svg+xml\">\n"
                           "<link rel=\"stylesheet\" href=\"/page/page.css\">\n"
                           "<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>\n"
                           "<script type=\"module\" src=\"/page/page.js\"></script>\n"
                           "</head>\n");
}

/* With the moment of the answer: without scripts nothing else tells that it is an old one. */
static void add_header(struct text_builder *html, const struct facts *facts, int64_t wall_ms)
{
    char time[TIME_TEXT_MAX];

    (void)time_text(wall_ms, time);
    text_builder_add(html,
                     "<header class=\"top\"><img src=\"/page/icon.svg\" alt=\"\" width=\"36\" "
                     "height=\"36\"><div><h1>");
    add_name(html, facts->config->cluster);
    text_builder_add(html, "</h1><p>as ");
    add_name(html, facts->self->name);
    text_builder_format(html, " sees it, %s, at %.10s %.8s UTC</p></div></header>\n",
                        facts->phase == PHASE_MEMBER ? "a member" : phase_text(facts->phase), time,
                        time + sizeof "2026-11-29");
}

/* The state of the whole, over the whole width, in its colour. */
static void add_whole(struct text_builder *html, const struct whole *whole)
{
    text_builder_format(html, "<div class=\"whole %s\" id=\"whole\" role=\"status\"><strong>",
                        whole_severity_text(whole->severity));
    html_add_word(html, whole->sentence);
    text_builder_add(html, "</strong>");
    if (whole->severity != WHOLE_GOOD) {
        text_builder_add(html, " <span>");
        html_add_word(html, whole->next);
        text_builder_add(html, "</span>");
    }
    text_builder_add(html, "</div>\n");
}

/* Of another coordinator what it said of itself is known, and how old that is. */
static void add_coordinator(struct text_builder *html, const struct facts *facts)
{
    if (facts->coordinator == NULL) {
        text_builder_add(html, "There is no coordinator.");
        return;
    }
    add_name(html, facts->coordinator->name);
    text_builder_add(html, " coordinates");
    if (id_equal(&facts->coordinator->id, &facts->self->id)) {
        text_builder_add(html, facts->acting ? ", and acts." : ", but does not act now.");
    } else if (facts->acting_said_ms != NEVER_MS) {
        text_builder_format(html, ", and acts, as it said %" PRIu64 " ms ago.",
                            facts->acting_said_ms);
    } else {
        text_builder_add(html, "; whether it acts is not known here.");
    }
}

static void add_guard(struct text_builder *html, const struct guard_state *guard)
{
    char words[GUARD_TEXT_MAX];

    guard_words(&guard->guard, words);
    text_builder_format(html, " Guard %s", words);
    if (guard->guard.policy == GUARD_NONE) {
        text_builder_add(html, ": each part may act.");
    } else {
        text_builder_format(html, ", %smet: %" PRIu32 " heard, %" PRIu32 " needed.",
                            guard->met ? "" : "not ", guard->fresh, guard->needed);
    }
}

static void add_summary(struct text_builder *html, const struct facts *facts)
{
    const struct view *view = facts->view;

    text_builder_add(html, "<p class=\"summary\">");
    if (view_is_empty(view)) {
        text_builder_add(html, "Who the members are, and who coordinates, is not known here.");
    } else {
        add_coordinator(html, facts);
        text_builder_format(html, " %" PRIu32 " members, view %" PRIu64 ".%" PRIu64 ".",
                            view->member_count, view->epoch, view->version);
        add_guard(html, &facts->guard);
    }
    text_builder_add(html, "</p>\n");
}

static const char *state_of(const struct facts *facts, uint32_t position)
{
    if (id_equal(&facts->view->members[position].id, &facts->self->id)) {
        return "alive";
    }
    if (facts->peers[position].verdict != VERDICT_NONE) {
        return "suspect";
    }
    return facts->silent[position] ? "silent" : "alive";
}

static void add_heard(struct text_builder *html, const struct facts *facts, uint32_t position)
{
    const uint64_t heard_ms = facts->peers[position].heard_ms_ago;

    if (id_equal(&facts->view->members[position].id, &facts->self->id)) {
        text_builder_add(html, "this node");
    } else if (facts->peers[position].unknown) {
        text_builder_add(html, "by others");
    } else if (heard_ms == NEVER_MS) {
        text_builder_add(html, "not yet");
    } else {
        text_builder_format(html, "%" PRIu64 " ms ago", heard_ms);
    }
}

static void add_tags(struct text_builder *html, const struct tags *tags)
{
    const size_t end = tags->length < TAGS_BYTES_MAX ? tags->length : TAGS_BYTES_MAX;

    for (size_t at = 0; at < end;) {
        const size_t length = text_length(tags->text + at, end - at);
        text_builder_add(html, "<span class=\"tag\">");
        add_isolated(html, tags->text + at, length);
        text_builder_add(html, "</span> ");
        at += length + 1;
    }
}

static void add_address(struct text_builder *html, const struct address *address)
{
    char text[ADDRESS_TEXT_MAX];

    if (!address_is_none(address)) {
        html_add_word(html, address_text(address, text));
    }
}

/* Where the page of another node is, if it has one as this node does: on the address of its member,
 * as far from its port as here. */
static bool find_page(const struct facts *facts, const struct member *member, struct address *page)
{
    const struct config *config = facts->config;
    const int port = member->address.port + config->http.port - config->advertise.port;
    const bool same = address_is_wildcard(&config->http) ||
                      address_same_host(&config->http, &config->advertise);

    *page = member->address;
    page->port = (uint16_t)port;
    return config->http_on && same && !address_is_none(&member->address) &&
           !id_equal(&member->id, &facts->self->id) && port > 0 && port <= UINT16_MAX;
}

static void add_member_address(struct text_builder *html, const struct facts *facts,
                               const struct member *member)
{
    struct address page;

    if (!find_page(facts, member, &page)) {
        add_address(html, &member->address);
        return;
    }
    text_builder_add(html, "<a href=\"http://");
    add_address(html, &page);
    text_builder_add(html, "/\">");
    add_address(html, &member->address);
    text_builder_add(html, "</a>");
}

/* As this node knows it: the coordinator by its own word. */
static bool acts(const struct facts *facts, const struct member *member)
{
    return id_equal(&member->id, &facts->self->id)
               ? facts->acting
               : facts->acting_said_ms != NEVER_MS && facts->coordinator != NULL &&
                     id_equal(&member->id, &facts->coordinator->id);
}

static void add_member(struct text_builder *html, const struct facts *facts, uint32_t position)
{
    const struct member *member = &facts->view->members[position];
    const char *state = state_of(facts, position);

    text_builder_format(html,
                        "<tr class=\"%s\"><td class=\"age\">%" PRIu64 "</td><th scope=\"row\">",
                        state, member->age);
    add_name(html, member->name);
    if (facts->coordinator != NULL && id_equal(&member->id, &facts->coordinator->id)) {
        text_builder_add(html, " <span class=\"badge coordinator\">coordinator</span>");
    }
    if (acts(facts, member)) {
        text_builder_add(html, " <span class=\"badge acting\">acting</span>");
    }
    if (member->drained) {
        text_builder_add(html, " <span class=\"badge\">drained</span>");
    }
    text_builder_format(html, "</th><td><span class=\"state\">%s</span></td><td class=\"heard%s\">",
                        state, id_equal(&member->id, &facts->self->id) ? " own" : "");
    add_heard(html, facts, position);
    text_builder_add(html, "</td><td class=\"address\">");
    add_member_address(html, facts, member);
    text_builder_add(html, "</td><td class=\"tags\">");
    add_tags(html, member_tags(member));
    text_builder_add(html, "</td></tr>\n");
}

static void add_gone(struct text_builder *html, const struct facts *facts, uint32_t position)
{
    const struct gone *gone = &facts->view->gone[position];

    text_builder_format(
        html, "<tr class=\"gone\"><td class=\"age\">%" PRIu64 "</td><th scope=\"row\">", gone->age);
    add_name(html, gone->name);
    text_builder_format(html,
                        "</th><td><span class=\"state\">%s</span></td><td class=\"heard\">gone for "
                        "%" PRIu64 " s</td><td class=\"address\">",
                        gone_reason_text(gone->reason), facts->gone_ms[position] / 1000);
    add_address(html, &gone->address);
    text_builder_add(html, "</td><td class=\"tags\">not known</td></tr>\n");
}

static void add_table(struct text_builder *html, const struct facts *facts)
{
    text_builder_add(html,
                     "<section class=\"card members\"><h2>Members</h2><div class=\"wide\"><table>\n"
                     "<thead><tr><th scope=\"col\" class=\"age\">Age</th><th scope=\"col\">Member"
                     "</th><th scope=\"col\">State</th><th scope=\"col\" class=\"heard\">Heard</th>"
                     "<th scope=\"col\" class=\"address\">Address</th><th scope=\"col\" "
                     "class=\"tags\">Tags</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < facts->view->member_count && i < PAGE_MEMBERS_MAX; i++) {
        add_member(html, facts, i);
    }
    for (uint32_t i = 0; i < facts->view->gone_count; i++) {
        add_gone(html, facts, i);
    }
    text_builder_add(html, "</tbody></table></div>");
    if (facts->view->member_count > PAGE_MEMBERS_MAX) {
        text_builder_format(html,
                            "<p class=\"note\">%" PRIu32 " younger members are not shown here: "
                            "<a href=\"/v1/members\">/v1/members</a> has all.</p>",
                            facts->view->member_count - PAGE_MEMBERS_MAX);
    }
    text_builder_add(html, "</section>\n");
}

static void put_header(struct answer *answer, const char *name, const char *value)
{
    if (answer->response != NULL &&
        MHD_add_response_header(answer->response, name, value) != MHD_YES) {
        MHD_destroy_response(answer->response);
        answer->response = NULL;
    }
}

void page_write(const struct facts *facts, const struct whole *whole, int64_t wall_ms,
                struct text_builder *html)
{
    add_head(html, facts);
    text_builder_add(html, "<body><div id=\"page\">\n");
    add_header(html, facts, wall_ms);
    add_whole(html, whole);
    text_builder_add(html, "<main>\n");
    add_summary(html, facts);
    add_table(html, facts);
    text_builder_add(html, "<noscript><p class=\"note\">Without scripts this page shows the "
                           "members alone, and loads itself anew every 5 seconds."
                           "</p></noscript>\n</main></div></body>\n</html>\n");
}

struct answer page_answer(const struct facts *facts, const struct whole *whole, int64_t wall_ms)
{
    struct text_builder html = {0};

    page_write(facts, whole, wall_ms, &html);
    struct answer answer = answer_text(MHD_HTTP_OK, &html, "text/html; charset=utf-8");
    put_header(&answer, "Content-Security-Policy", PAGE_POLICY);
    put_header(&answer, "X-Content-Type-Options", "nosniff");
    put_header(&answer, "Referrer-Policy", "no-referrer");
    return answer;
}

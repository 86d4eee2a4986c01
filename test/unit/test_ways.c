/* What a node keeps of addresses that its kernel lets it send nothing to, and the words for it. */
#include <criterion/criterion.h>
#include <string.h>

#include "runtime/sockets/ways.h"
#include "words/address_text.h"
#include "words/way_text.h"

Test(ways, a_ban_holds_until_something_is_sent)
{
    static struct ways ways;
    struct address a;
    struct address b;

    cr_assert(address_parse("10.0.0.1:7420", &a) && address_parse("10.0.0.2:7420", &b));
    cr_expect(ways_forbidden(&ways, &a, 1000), "it is logged");
    cr_expect_not(ways_forbidden(&ways, &a, 1001), "and once");
    ways_permitted(&ways, &b);
    cr_expect_eq(ways_ban(&ways, &a), ways_ban(&ways, NULL));
    cr_expect_not_null(ways_ban(&ways, &a));
    cr_expect_null(ways_ban(&ways, &b));
    ways_permitted(&ways, &a);
    cr_expect_null(ways_ban(&ways, NULL));
    cr_expect_not(ways_forbidden(&ways, &a, 2000), "it comes and goes");
    ways_permitted(&ways, &a);
    cr_expect(ways_forbidden(&ways, &a, 1000 + BAN_SAID_MS));
}

Test(ways, more_bans_than_are_kept_are_left_out)
{
    static struct ways ways;
    struct address to;

    cr_assert(address_parse("10.0.0.1:1", &to));
    for (uint16_t port = 1; port <= BANS_MAX; port++) {
        to.port = port;
        cr_expect(ways_forbidden(&ways, &to, 1000));
    }
    to.port = BANS_MAX + 1;
    cr_expect_not(ways_forbidden(&ways, &to, 1000));
    cr_expect_null(ways_ban(&ways, &to));

    struct address lifted = to;
    lifted.port = 7;
    ways_permitted(&ways, &lifted);
    cr_expect(ways_forbidden(&ways, &to, 1000), "a place is free again");
    cr_expect_not_null(ways_ban(&ways, &to));
}

Test(ways, each_fault_has_its_sentence_and_its_remedy)
{
    static const struct {
        enum way_fault fault;
        const char *text;
        const char *remedy;
    } cases[] = {
        {WAY_SOUND, "", ""},
        {WAY_UDP_DROPPED, "TCP of a answers and UDP does not", "permit UDP to port 7420"},
        {WAY_UDP_FORBIDDEN, "forbids sending UDP to a, port 7420 (EPERM)", "permit outgoing UDP"},
        {WAY_TCP_FORBIDDEN, "forbids connecting to a by TCP, port 7420", "permit outgoing TCP"},
        {WAY_TCP_DROPPED, "UDP of a arrives and TCP to it does not", "permit TCP to port 7420"},
    };
    struct address to;
    char out[WAY_TEXT_MAX];

    cr_assert(address_parse("10.0.0.1:7420", &to));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_neq(strstr(way_text(cases[i].fault, "a", &to, out), cases[i].text), NULL);
        cr_expect_neq(strstr(way_remedy(cases[i].fault, "a", &to, out), cases[i].remedy), NULL);
    }
}

#include "words/address_text.h"

#include <criterion/criterion.h>
#include <string.h>

#include "words/id_text.h"

/* Reads the text and writes it again; "-" when it is refused. */
static const char *echo(const char *text, char into[ADDRESS_TEXT_MAX])
{
    struct address address;

    bool good = address_parse(text, &address);
    cr_assert_eq(good, !address_is_none(&address));
    return address_text(&address, into);
}

Test(address_text, an_address_reads_back_as_it_was_written)
{
    const char *const texts[] = {
        "127.0.0.1:7420",
        "0.0.0.0:1",
        "255.255.255.255:65535",
        "[::1]:7420",
        "[::]:7420",
        "[2001:db8::17]:80",
        "[2001:db8:1111:2222:3333:4444:5555:6666]:65535",
    };
    char into[ADDRESS_TEXT_MAX];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cr_assert_str_eq(echo(texts[i], into), texts[i]);
    }
}

Test(address_text, what_is_not_an_address_and_a_port_is_refused)
{
    const char *const texts[] = {
        "",
        ":",
        ":7420",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:0",
        "127.0.0.1:65536",
        "127.0.0.1:4294967297",
        "127.0.0.1:07420",
        "127.0.0.1:+7420",
        "127.0.0.1: 7420",
        "127.0.0.1:7420 ",
        "127.0.0.1:7420x",
        "127.0.1:7420",
        "127.0.0.256:7420",
        "[127.0.0.1]:7420",
        "localhost:7420",
        "::1:7420",
        "[::1]",
        "[::1]7420",
        "[::1:7420",
        "::1]:7420",
        "[]:7420",
        "[::g]:7420",
        "[fe80::1]:7420",
        "[fe80::1%eth0]:7420",
        "[2001:db8:1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb]:7420",
    };
    char into[ADDRESS_TEXT_MAX];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cr_assert_str_eq(echo(texts[i], into), "-", "%s", texts[i]);
    }
}

Test(address_text, ipv4_written_as_ipv6_is_the_ipv4_address)
{
    char into[ADDRESS_TEXT_MAX];

    cr_assert_str_eq(echo("[::ffff:192.0.2.1]:7420", into), "192.0.2.1:7420");
}

Test(address_text, a_host_alone_needs_no_port)
{
    struct address address;
    char into[ADDRESS_TEXT_MAX];

    cr_assert(address_parse_host("2001:db8::1", 0, &address));
    cr_assert_eq(address.port, 0);
    cr_assert_str_eq(address_host_text(&address, into), "2001:db8::1");
    cr_assert_not(address_parse_host("athens", 7420, &address));
    cr_assert_not(address_parse_host("127.0.0.1:7420", 7420, &address));
}

Test(address_text, wildcards_and_loopbacks_are_known)
{
    static const struct {
        const char *host;
        bool wildcard;
        bool loopback;
    } cases[] = {
        {"0.0.0.0", true, false},     {"::", true, false},   {"127.0.0.1", false, true},
        {"127.3.2.1", false, true},   {"::1", false, true},  {"10.0.0.1", false, false},
        {"2001:db8::", false, false}, {"::2", false, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct address address;

        cr_assert(address_parse_host(cases[i].host, 7420, &address));
        cr_assert_eq(address_is_wildcard(&address), cases[i].wildcard, "%s", cases[i].host);
        cr_assert_eq(address_is_loopback(&address), cases[i].loopback, "%s", cases[i].host);
    }
    cr_assert_not(address_is_wildcard(&(struct address){0}));
}

/* Through a socket of the family, and back. */
static bool survives(const char *text, int family)
{
    struct address address;
    struct address back;
    struct sockaddr_storage name;

    cr_assert(address_parse(text, &address));
    if (address_to_sockaddr(&address, family, &name) == 0) {
        return false;
    }
    cr_assert_eq(name.ss_family, family);
    cr_assert(address_from_sockaddr((const struct sockaddr *)&name, &back));
    return address_equal(&address, &back);
}

Test(address_text, an_ipv6_socket_reaches_both_families_and_an_ipv4_socket_its_own)
{
    cr_assert(survives("192.0.2.1:7420", AF_INET));
    cr_assert(survives("192.0.2.1:7420", AF_INET6));
    cr_assert(survives("[2001:db8::1]:7420", AF_INET6));
    cr_assert_not(survives("[2001:db8::1]:7420", AF_INET));
}

Test(address_text, sockets_of_other_families_have_no_address)
{
    struct sockaddr_storage name = {.ss_family = AF_UNIX};
    struct address address = {.family = 4};

    cr_assert_not(address_from_sockaddr((const struct sockaddr *)&name, &address));
    cr_assert(address_is_none(&address));
    cr_assert_eq(address_to_sockaddr(&address, AF_INET6, &name), 0);
}

Test(id_text, an_id_is_thirty_two_digits)
{
    struct node_id id = {.bytes = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}};
    char into[ID_TEXT_MAX];

    cr_assert_str_eq(id_text(&id, into), "0123456789abcdef0000000000000000");
}

/* Addresses as doyen init and doyen join take them, and what they can tell of them beforehand. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/invite/place.h"

Test(cli_place, a_host_is_taken_apart_and_put_together)
{
    static const struct {
        const char *said, *host;
        unsigned port;
    } good[] = {
        {"10.0.0.1", "10.0.0.1", 7},
        {"10.0.0.1:80", "10.0.0.1", 80},
        {"athens", "athens", 7},
        {"athens.example:9", "athens.example", 9},
        {"fd00::1", "fd00::1", 7},
        {"[fd00::1]", "fd00::1", 7},
        {"[fd00::1]:65535", "fd00::1", 65535},
    };
    static const char *const bad[] = {
        "",           ":",    ":80", "a:",  "a:0", "a:65536", "a:1x",       "[fd00::1",
        "[athens]:1", "[]:1", "-a",  "a b", "a/b", "a:1:2",   "[fd00::1]x",
    };
    char host[PLACE_HOST_MAX];
    char text_of_place[PLACE_TEXT_MAX];
    uint16_t port;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        cr_assert(place_split(good[i].said, 7, host, &port), "%s", good[i].said);
        cr_assert_str_eq(host, good[i].host);
        cr_assert_eq(port, good[i].port);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_assert_not(place_split(bad[i], 7, host, &port), "%s", bad[i]);
    }
    cr_assert_str_eq(place_join("fd00::1", 7420, text_of_place), "[fd00::1]:7420");
    cr_assert_str_eq(place_join("10.0.0.1", 7420, text_of_place), "10.0.0.1:7420");
    cr_assert(place_is_wildcard("0.0.0.0") && place_is_wildcard("::"));
    cr_assert_not(place_is_wildcard("10.0.0.1"));
}

/* doyend reads "fd00::20:1" as nothing, for the end may be a port. */
Test(cli_place, a_seed_leaves_no_doubt_about_its_port)
{
    char seed[PLACE_TEXT_MAX];

    cr_assert_str_eq(place_seed("10.0.0.1", DOYEND_PORT, seed), "10.0.0.1");
    cr_assert_str_eq(place_seed("10.0.0.1", 1, seed), "10.0.0.1:1");
    cr_assert_str_eq(place_seed("fd00::20:1", DOYEND_PORT, seed), "[fd00::20:1]:7420");
}

/* What a joiner calls its address is written down at the sponsor, whose doyend has to start again
 * with it. */
Test(cli_place, a_seed_is_of_the_family_and_the_reach_of_the_own_address)
{
    static const struct {
        const char *host, *own;
        bool suits;
    } tries[] = {
        {"10.0.0.2", "10.0.0.1", true},
        {"127.0.0.2", "127.0.0.1", true},
        {"fd00::2", "fd00::1", true},
        {"::1", "::1", true},
        {"fd00::2", "10.0.0.1", false},
        {"10.0.0.2", "fd00::1", false},
        {"127.0.0.1", "10.0.0.1", false},
        {"10.0.0.2", "127.0.0.1", false},
        {"::1", "fd00::1", false},
        {"fd00::1", "::1", false},
        {"fe80::2", "fd00::1", false},
        {"ff02::1", "fd00::1", false},
        {"::ffff:10.0.0.2", "fd00::1", false},
        {"224.0.0.1", "10.0.0.1", false},
        {"255.255.255.255", "10.0.0.1", false},
        {"0.0.0.0", "10.0.0.1", false},
        {"host2", "10.0.0.1", false},
        {"1.2.3", "10.0.0.1", false},
    };

    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        cr_assert_eq(place_suits(tries[i].host, tries[i].own), tries[i].suits, "%s for %s",
                     tries[i].host, tries[i].own);
    }
}

/* Binds a socket of that type to a port that is free for both, and returns the socket. */
static int bound(int type, uint16_t *port)
{
    for (;;) {
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t size = sizeof address;
        const int fd = socket(AF_INET, type, 0);

        cr_assert_geq(fd, 0);
        cr_assert_eq(bind(fd, (struct sockaddr *)&address, size), 0);
        cr_assert_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
        *port = ntohs(address.sin_port);
        const int other = socket(AF_INET, type == SOCK_DGRAM ? SOCK_STREAM : SOCK_DGRAM, 0);
        const bool free_for_other = bind(other, (struct sockaddr *)&address, size) == 0;
        close(other);
        if (free_for_other) {
            return fd;
        }
        close(fd);
    }
}

/* doyend listens on one port with both. */
Test(cli_place, a_port_is_free_if_it_is_so_for_datagrams_and_for_streams)
{
    static const int types[] = {SOCK_DGRAM, SOCK_STREAM};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        uint16_t port = 0;
        const int fd = bound(types[i], &port);

        cr_expect_not(place_is_free("127.0.0.1", port), "%zu", i);
        close(fd);
    }
    cr_expect(place_is_free("127.0.0.1", 0), "which is any");
}

/* IPv4 and IPv6: who can meet does, and who cannot is told so before it starts, or as soon as a
 * name is known to lead nowhere. A member has one address, that which it advertises (V1). */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fixture.h"

static bool host_has_ipv6(void)
{
    const struct sockaddr_in6 address = {.sin6_family = AF_INET6,
                                         .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool bound = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;

    if (fd >= 0) {
        close(fd);
    }
    return bound;
}

/* Starts a node that listens on both families and advertises its address of one of them. */
static void start_dual(struct cluster *cluster, const char *name, bool as_ipv6, const char *seeds)
{
    struct daemon *daemon = cluster_daemon(cluster, name);
    const uint16_t port = loopback_port("0.0.0.0");

    cr_assert(port != 0);
    if (cluster->key == NULL) {
        cluster_make_key(cluster, "key");
    }
    daemon->port = port;
    daemon->address = as_ipv6 ? text_kept("[::1]:%u", port)
                              : text_kept("%s:%u", cluster->host, port);
    cluster_start(cluster, name, seeds,
                  ARGS("--listen", text_kept("[::]:%u", port), "--advertise", daemon->address));
}

/* One member has one address form, whichever family its messages come by: no node is counted twice,
 * and nobody suspects anybody. */
Story(families, nodes_of_both_families_form_one_cluster_over_the_wildcard_of_ipv6)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    if (!host_has_ipv6()) {
        cr_skip_test("this host has no IPv6");
    }
    start_dual(cluster, "athens", false, "athens");
    assert_agreement(cluster, "athens");
    start_dual(cluster, "byzantium", true, "athens");
    assert_agreement(cluster, "athens byzantium");
    start_dual(cluster, "cyrene", false, "byzantium");
    assert_agreement(cluster, "athens byzantium cyrene");

    const json_t *members = cluster_members(cluster, "cyrene");
    cr_assert_str_eq(text_of(entry_of(members, "members", "athens"), "address"),
                     cluster_daemon(cluster, "athens")->address);
    cr_assert_str_eq(text_of(entry_of(members, "members", "byzantium"), "address"),
                     cluster_daemon(cluster, "byzantium")->address);
    cr_assert_eq(cluster_log_count(cluster, "athens", "suspect"), 0);
    cr_assert_eq(cluster_log_count(cluster, "byzantium", "suspect"), 0);
    cr_assert_eq(cluster_log_count(cluster, "cyrene", "unsent"), 0);
}

/* Where all advertise IPv4, a node that has nothing else is at home among them. */
Story(families, a_node_of_ipv4_alone_joins_nodes_of_both)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    if (!host_has_ipv6()) {
        cr_skip_test("this host has no IPv6");
    }
    start_dual(cluster, "athens", false, "athens");
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    start_dual(cluster, "cyrene", false, "byzantium");
    assert_agreement(cluster, "athens byzantium cyrene");
    cr_assert_eq(cluster_log_count(cluster, "byzantium", "unsent"), 0);
}

/* It is a link that can never be whole, so it is named, once. */
Story(families, a_member_that_cannot_be_sent_to_is_named_once)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    if (!host_has_ipv6()) {
        cr_skip_test("this host has no IPv6");
    }
    start_dual(cluster, "athens", false, "athens");
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    start_dual(cluster, "cyrene", true, "athens");
    assert_soon(cluster_log_has(cluster, "byzantium",
                                text_kept("cannot send to %s: it is IPv6 and --listen is IPv4",
                                          cluster_daemon(cluster, "cyrene")->address)));
    assert_soon(
        number_of(json_object_get(cluster_document(cluster, "byzantium", "/v1/status"), "counters"),
                  "send_failed") > 2);
    cr_assert_eq(cluster_log_count(cluster, "byzantium", "unsent"), 1);
}

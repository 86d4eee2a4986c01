/* Who is at the other end of a Unix socket, and what that account may do. */
#include <criterion/criterion.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/http/peer.h"

enum { NOBODY = 65534, OPS = 4242, MANY = 100 };

Test(control_peer, an_account_of_its_own_may_change)
{
    int ends[2];

    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    cr_assert(peer_may_change(ends[0], NULL));
    close(ends[0]);
    close(ends[1]);
}

Test(control_peer, what_is_no_unix_socket_may_not)
{
    int ends[2];

    cr_assert_eq(pipe(ends), 0);
    cr_assert_not(peer_may_change(ends[0], NULL));
    close(ends[0]);
    close(ends[1]);
}

/* What peer_may_change says of an account with that group and those supplementary ones. The
 * credentials are those of whoever makes the pair. */
static bool may_stranger_change(gid_t primary, const gid_t *groups, size_t count,
                                const gid_t *group)
{
    int ends[2];

    if (geteuid() != 0) {
        cr_skip_test("only root can be somebody else");
    }
    cr_assert_eq(setgroups(count, groups), 0);
    cr_assert_eq(setegid(primary), 0);
    cr_assert_eq(seteuid(NOBODY), 0);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    cr_assert_eq(seteuid(0), 0);
    cr_assert_eq(setegid(0), 0);
    const bool may = peer_may_change(ends[0], group);
    close(ends[0]);
    close(ends[1]);
    return may;
}

Test(control_peer, a_stranger_may_not)
{
    const gid_t group = OPS;
    const gid_t others[] = {1, 2, 3};

    cr_expect_not(may_stranger_change(NOBODY, NULL, 0, NULL));
    cr_expect_not(may_stranger_change(NOBODY, others, 3, &group));
    cr_expect_not(may_stranger_change(OPS, others, 3, NULL), "without a group nobody is in it");
}

Test(control_peer, a_member_of_the_group_may_by_either_kind_of_membership)
{
    const gid_t group = OPS;
    const gid_t groups[] = {1, OPS, 3};
    gid_t many[MANY];

    cr_expect(may_stranger_change(OPS, NULL, 0, &group), "its primary group");
    cr_expect(may_stranger_change(NOBODY, groups, 3, &group), "one of the others");
    for (gid_t i = 0; i < MANY; i++) {
        many[i] = 1000 + i;
    }
    many[MANY - 1] = OPS;
    cr_expect(may_stranger_change(NOBODY, many, MANY, &group), "one of very many");
}

#include "forging.h"

struct forger *forging_begin(struct cluster *cluster)
{
    struct forger *forger = forger_new(cluster->host);
    const json_t *athens = entry_of(cluster_members(cluster, "athens"), "members", "athens");

    cr_assert(forger != NULL && athens != NULL);
    cr_assert(forger_use_key(forger, cluster->key));
    cr_assert(forger_learn(forger, cluster_daemon(cluster, "athens")->port, text_of(athens, "id"),
                           LIMIT_MS),
              "nobody shows a view");
    return forger;
}

/* How many messages of strangers, whose lives neither the view nor its list of the gone has, a node
 * without a key gives to its core. It acts on few of them anyway (V6a); those beyond would fill the
 * recording and cost time. With a key there are none: who cannot seal is not heard. */
#ifndef RUNTIME_ADMISSION_H
#define RUNTIME_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/view.h"
#include "runtime/sealing/strangers.h"

/* Many times what an honest node says that asks to be let in, or for another part of the cluster.
 * Sources, which are addresses with their ports, share so many counts by chance. */
enum { ADMITTED_PER_S = 128, ADMISSION_COUNTS = 256 };

/* All zero at first. */
struct admission {
    struct per_second counts[ADMISSION_COUNTS];
};

/* May the core have a message of that life, which came from `source`? Not when it is a stranger's,
 * and one too many from there in this second. What comes from a member's address may have been
 * handed on for many. */
bool admission_take(struct admission *admission, const struct view *view,
                    const struct node_id *from, const struct address *source, uint64_t now_ms);

#endif

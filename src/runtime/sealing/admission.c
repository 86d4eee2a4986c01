#include "runtime/sealing/admission.h"

#include "base/hash.h"

static bool is_known(const struct view *view, const struct node_id *from)
{
    return view_has(view, from) || view_find_gone(view, from) != NULL;
}

bool admission_take(struct admission *admission, const struct view *view,
                    const struct node_id *from, const struct address *source, uint64_t now_ms)
{
    const uint64_t hash = hash_u64(hash_bytes(HASH_START, source->bytes, sizeof source->bytes),
                                   source->port);

    return is_known(view, from) ||
           per_second_take(&admission->counts[hash_finish(hash) % ADMISSION_COUNTS], ADMITTED_PER_S,
                           now_ms) ||
           view_find_address(view, source) != VIEW_NONE;
}

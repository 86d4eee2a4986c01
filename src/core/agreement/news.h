/* What watchers are told of a view that was installed: who came, who went, splits and merges
 * (M8).
 *
 *     in the former view alone       --> gone, and why; its lifeline is closed
 *     in both, with other tags       --> tags; drained or not any more
 *     in the new view alone          --> joined
 *     half or more lost, in a row    --> split          made from two views --> merge
 */
#ifndef CORE_NEWS_H
#define CORE_NEWS_H

#include "core/state/state.h"

/* Tells who went and who came, each with its lifeline. */
void news_tell_members(struct core *core, const struct installed *before);

/* The view itself, and the merge or split that it is. */
void news_tell_view(struct core *core, const struct installed *before);

#endif

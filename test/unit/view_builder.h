/* Builders for tests: views and members from one-letter names. */
#ifndef TEST_VIEW_BUILDER_H
#define TEST_VIEW_BUILDER_H

#include "core/model/view.h"

/* A view in storage of its own. */
struct built_view {
    struct view view;
    void *storage;
};

/* The life of `letter`: id, address and name follow from it. */
struct member member_of(char letter);

/* "A B C": members of those names with ages 1, 2, 3, epoch 1 and version = how many; sealed.
 * To be freed with view_built_free. */
struct built_view view_of(const char *letters);
void view_built_free(struct built_view *built);

/* The id of the record of the voter of that name. */
struct node_id record_of(char letter);

/* Those are the voters that the view names (Z10a), in one list. To be sealed again. */
void view_name_voters(struct view *view, const char *letters);

/* The names in order, "A B C", into `text`. */
const char *view_text(const struct view *view, char *text, size_t size);

#endif

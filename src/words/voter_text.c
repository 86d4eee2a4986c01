#include "words/voter_text.h"

#include <stddef.h>

const char *voter_status_text(enum voter_status status)
{
    switch (status) {
    case VOTER_NOT:
        return NULL;
    case VOTER_NO_RECORD:
        return "no record";
    case VOTER_FOUNDING:
        return "founding";
    case VOTER_FOUNDED:
        return "votes";
    case VOTER_DAMAGED:
        return "damaged record";
    case VOTER_MUTE:
        return "cannot write";
    case VOTER_RETIRED:
        return "retired";
    case VOTER_OLDER:
        return VOTER_OLDER_TEXT;
    }
    return NULL;
}

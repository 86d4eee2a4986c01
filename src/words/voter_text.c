#include "words/voter_text.h"

#include <stddef.h>
#include <stdio.h>

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

const char *voter_older_sentence(const struct notice *notice, char text[VOTER_OLDER_SENTENCE_MAX])
{
    snprintf(text, VOTER_OLDER_SENTENCE_MAX,
             "this voter's record is older than what %s has heard of it, as after a restored "
             "backup: it does not vote; have another vote in its stead: doyen voters replace",
             notice->subject.name);
    return text;
}

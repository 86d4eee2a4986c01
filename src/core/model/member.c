#include "core/model/member.h"

#include "base/text.h"

const struct tags tags_none;

bool tags_have(const struct tags *tags, const char *wanted)
{
    const size_t length = text_length(wanted, TAGS_BYTES_MAX);
    const bool key_alone = memchr(wanted, '=', length) == NULL;

    for (size_t at = 0; at < tags->length;) {
        const char *tag = tags->text + at;
        const size_t bytes = text_length(tag, tags->length - at);
        if (bytes >= length && memcmp(tag, wanted, length) == 0 &&
            (bytes == length || (key_alone && tag[length] == '='))) {
            return true;
        }
        at += bytes + 1;
    }
    return false;
}

#include "core/model/refusal.h"

const char *refusal_name(enum refusal reason)
{
    static const char *const names[REFUSED_COUNT] = {
#define REFUSAL_NAME(enumerator, name, clause, text) [REFUSED_##enumerator] = (name),
        REFUSALS(REFUSAL_NAME)
#undef REFUSAL_NAME
    };

    return names[reason];
}

const char *refusal_clause(enum refusal reason)
{
    static const char *const clauses[REFUSED_COUNT] = {
#define REFUSAL_CLAUSE(enumerator, name, clause, text) [REFUSED_##enumerator] = (clause),
        REFUSALS(REFUSAL_CLAUSE)
#undef REFUSAL_CLAUSE
    };

    return clauses[reason];
}

const char *refusal_text(enum refusal reason)
{
    static const char *const texts[REFUSED_COUNT] = {
#define REFUSAL_TEXT(enumerator, name, clause, text) [REFUSED_##enumerator] = (text),
        REFUSALS(REFUSAL_TEXT)
#undef REFUSAL_TEXT
    };

    return texts[reason];
}

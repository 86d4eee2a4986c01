#include "control/documents/acting.h"

#include "control/text/json.h"
#include "words/acting.h"

bool acting_put(json_t *object, const struct facts *facts)
{
    return json_put(object, "acting", json_boolean(facts->acting)) &&
           json_put(object, "acting_ms", json_of_number(facts->acting_ms)) &&
           json_put(object, "acting_is", json_of_word(acting_kind_text(facts->advisory))) &&
           (facts->advisory || json_put(object, "lease_ms", json_of_number(facts->acting_ms)));
}

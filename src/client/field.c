#include "client/field.h"

#include <stdlib.h>

const char *field_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

uint64_t field_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_string(value)) {
        return strtoull(json_string_value(value), NULL, 10);
    }
    const json_int_t number = json_integer_value(value);
    return number < 0 ? 0 : (uint64_t)number;
}

bool field_is_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

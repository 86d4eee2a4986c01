#include "control/documents/report_config.h"

#include "control/text/json.h"
#include "runtime/options/options.h"

/* Its values as texts: none, one, or several of a list. None of them is a secret: a key is named by
 * its file. */
static json_t *values_json(const struct setting *option, const struct config *config)
{
    char value[OPTION_TEXT_MAX];
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t i = 0; option->kind->print(option, config, i, value); i++) {
        complete &= json_array_append_new(array, json_of_word(value)) == 0;
    }
    return json_finished(array, complete);
}

json_t *report_config(const struct facts *facts)
{
    json_t *object = json_object();
    json_t *settings = json_object();
    bool complete = true;

    for (size_t i = 0; i < option_count(); i++) {
        const struct setting *option = option_at(i);
        if (option->kind != NULL && option->kind->print != NULL) {
            complete &= json_put(settings, option->name, values_json(option, facts->config));
        }
    }
    complete &= json_put(object, "schema", json_integer(1));
    complete &= json_put(object, "self", json_of_word(facts->self->name));
    complete &= json_put(object, "settings", settings);
    return json_finished(object, complete);
}

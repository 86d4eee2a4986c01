#include "daemon/reload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/options/config_host.h"
#include "runtime/options/config_read.h"
#include "runtime/options/options.h"

enum { VALUES_TEXT_MAX = 600 };

struct fresh {
    struct config config;
    struct config_outcome outcome;
};

/* --- Reading again --- */

/* Looking up a group may ask a server, for which the loop must not wait. Another group needs a
 * restart anyway, so any number that is not the one of now will do. */
static enum host_group known_group(void *context, const char *name, gid_t *out)
{
    const struct config *config = context;

    *out = text_equal(name, config->control_group)   ? config->control_gid
           : text_equal(name, config->control_admin) ? config->control_admin_gid
                                                     : (gid_t)-1;
    return HOST_GROUP_USABLE;
}

/* Nor for a seed's name. This node goes by the address that it has, if its host does still. */
static bool known_address(void *context, const char *state_dir, struct address *out)
{
    const struct config *config = context;

    (void)state_dir;
    *out = config->advertise;
    return true;
}

static bool known_address_toward(void *context, const struct endpoint *seed, struct address *out)
{
    (void)seed;
    return known_address(context, NULL, out);
}

static struct fresh *read_again(const struct reload *reload)
{
    struct config_host host = config_host_system();
    struct fresh *fresh = calloc(1, sizeof *fresh);

    if (fresh != NULL) {
        host.group = known_group;
        host.last_address = known_address;
        host.address_toward = known_address_toward;
        host.context = reload->config;
        config_parse(&fresh->config, &fresh->outcome, reload->argc, reload->argv, &host);
    }
    return fresh;
}

/* --- What differs --- */

/* All values of the option, as one text; "none" without any. */
static void values_text(const struct setting *option, const struct config *config,
                        char out[VALUES_TEXT_MAX])
{
    char value[OPTION_TEXT_MAX];
    size_t used = 0;

    snprintf(out, VALUES_TEXT_MAX, "none");
    for (uint32_t i = 0; option->kind->print(option, config, i, value); i++) {
        const int length = snprintf(out + used, VALUES_TEXT_MAX - used, "%s%s", i == 0 ? "" : ",",
                                    value);
        used += length < 0 ? 0 : (size_t)length;
        if (used >= VALUES_TEXT_MAX) {
            return;
        }
    }
}

static bool differs(const struct setting *option, const struct config *a, const struct config *b)
{
    char one[OPTION_TEXT_MAX];
    char other[OPTION_TEXT_MAX];
    uint32_t i = 0;
    bool more = true;

    while (more) {
        more = option->kind->print(option, a, i, one);
        if (option->kind->print(option, b, i, other) != more || (more && !text_equal(one, other))) {
            return true;
        }
        i++;
    }
    return false;
}

/* --- What is taken --- */

/* It is said under whichever of the two levels says more. */
static void take_log_level(struct config *config, enum log_level level, struct log *log,
                           const char *from, const char *to)
{
    log->level = level > log->level ? level : log->level;
    log_line(log, LOG_INFO, "reload", "log-level: %s -> %s", from, to);
    config->log_level = level;
    log->level = level;
}

/* A node that was started without seeds does not ask any, whatever is in the list. */
static bool take_seeds(struct config *config, const struct config *fresh, struct node *node)
{
    if (config->seed_count == 0 || fresh->seed_count == 0) {
        return false;
    }
    memcpy(config->seeds, fresh->seeds, sizeof config->seeds);
    config->seed_count = fresh->seed_count;
    node_seeds_changed(node);
    return true;
}

/* What was set at run time gives way to what the configuration says now. A priority is a tag. */
static bool take_tags(const struct setting *option, struct config *config,
                      const struct config *fresh, struct node *node)
{
    if (!text_equal(option->name, "tag") && !text_equal(option->name, "priority")) {
        return false;
    }
    config->priority = fresh->priority;
    if (!tags_equal(&config->tags, &fresh->tags)) {
        config->tags = fresh->tags;
        node_set_tags(node, &config->tags);
    }
    return true;
}

static void apply(const struct reload *reload, const struct setting *option,
                  const struct config *fresh, struct node *node, struct log *log)
{
    char from[VALUES_TEXT_MAX];
    char to[VALUES_TEXT_MAX];

    values_text(option, reload->config, from);
    values_text(option, fresh, to);
    if (text_equal(option->name, "log-level")) {
        take_log_level(reload->config, fresh->log_level, log, from, to);
    } else if (text_equal(option->name, "seed") && take_seeds(reload->config, fresh, node)) {
        log_line(log, LOG_INFO, "reload", "seed: %s -> %s", from, to);
    } else if (take_tags(option, reload->config, fresh, node)) {
        log_line(log, LOG_INFO, "reload", "%s: %s -> %s", option->name, from, to);
    } else {
        log_line(log, LOG_WARN, "reload", "%s: %s -> %s needs a restart: it stays as it is",
                 option->name, from, to);
    }
}

static void apply_all(const struct reload *reload, const struct config *fresh, struct node *node,
                      struct log *log)
{
    size_t count = 0;

    for (size_t i = 0; i < option_count(); i++) {
        const struct setting *option = option_at(i);
        if (option->kind != NULL && option->kind->print != NULL &&
            differs(option, reload->config, fresh)) {
            apply(reload, option, fresh, node, log);
            count++;
        }
    }
    if (count == 0) {
        log_line(log, LOG_INFO, "reload", "the configuration is as it was");
    }
}

void reload_config(const struct reload *reload, struct node *node, struct log *log)
{
    struct fresh *fresh = read_again(reload);

    if (fresh == NULL) {
        log_line(log, LOG_WARN, "reload", "not enough memory: the configuration stays as it is");
    } else if (fresh->outcome.action != CONFIG_RUN) {
        log_line(log, LOG_WARN, "reload", "the configuration stays as it is: %s",
                 fresh->outcome.message);
    } else {
        apply_all(reload, &fresh->config, node, log);
    }
    free(fresh);
}

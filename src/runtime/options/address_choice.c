#include "runtime/options/address_choice.h"

#include "words/address_text.h"

enum { OWN_ADDRESSES_MAX = 64 };

/* Of both families where --listen is the wildcard of IPv6. */
static void collect(const struct config_host *host, const struct config *config,
                    struct address_candidates *out)
{
    const uint8_t family = config->listen.family;

    out->count = host->addresses(host->context, family, out->kept, CANDIDATES_MAX);
    if (family == 6) {
        const size_t kept = out->count < CANDIDATES_MAX ? out->count : CANDIDATES_MAX;
        out->count += host->addresses(host->context, 4, out->kept + kept, CANDIDATES_MAX - kept);
    }
    for (size_t i = 0; i < out->count && i < CANDIDATES_MAX; i++) {
        out->kept[i].port = config->listen.port;
    }
}

bool address_is_here(const struct config_host *host, const struct address *address)
{
    struct address own[OWN_ADDRESSES_MAX];

    if (address_is_loopback(address) || address_is_wildcard(address)) {
        return true;
    }
    const size_t count = host->addresses(host->context, address->family, own, OWN_ADDRESSES_MAX);
    for (size_t i = 0; i < count && i < OWN_ADDRESSES_MAX; i++) {
        if (address_same_host(&own[i], address)) {
            return true;
        }
    }
    return count > OWN_ADDRESSES_MAX;
}

/* Does this host have it, and is it one that others might reach through --listen? */
static bool may_be_told(const struct config_host *host, const struct config *config,
                        const struct address *address)
{
    return !address_is_loopback(address) && address_is_here(host, address) &&
           address_families_meet(&config->listen, address);
}

static bool take_last(const struct config_host *host, const struct config *config,
                      struct address *out)
{
    return config->state_dir[0] != '\0' &&
           host->last_address(host->context, config->state_dir, out) &&
           may_be_told(host, config, out);
}

/* A seed that may be this host itself, under an address that moves from host to host, is asked only
 * if no other tells. */
static bool take_toward_seed(const struct config_host *host, const struct config *config,
                             struct address *out)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < config->seed_count; i++) {
            const struct endpoint *seed = &config->seeds[i];
            struct address address;
            const bool is_own = address_parse_host(seed->host, 0, &address) &&
                                address_is_here(host, &address);
            if (is_own == (pass == 1) && host->address_toward(host->context, seed, out) &&
                may_be_told(host, config, out)) {
                return true;
            }
        }
    }
    return false;
}

static bool has_named_seed(const struct config *config)
{
    struct address address;

    for (uint32_t i = 0; i < config->seed_count; i++) {
        if (!address_parse_host(config->seeds[i].host, 0, &address)) {
            return true;
        }
    }
    return false;
}

static enum address_choice choose(const struct config_host *host, const struct config *config,
                                  const struct address_candidates *candidates, struct address *out)
{
    if (candidates->count == 0) {
        return CHOICE_NO_ADDRESS;
    }
    /* The only one may be that of a bridge of containers, before the network is there. But no name
     * is looked up for one address: who cannot look names up yet may start all the same. */
    if (candidates->count == 1 && (config->seed_count == 0 || has_named_seed(config))) {
        *out = candidates->kept[0];
        return CHOICE_MADE;
    }
    if (take_last(host, config, out) || take_toward_seed(host, config, out)) {
        return CHOICE_MADE;
    }
    return config->seed_count > 0 ? CHOICE_NO_WAY : CHOICE_UNCLEAR;
}

enum address_choice address_choose(const struct config_host *host, const struct config *config,
                                   struct address_candidates *candidates, struct address *out)
{
    struct address chosen;

    collect(host, config, candidates);
    const enum address_choice choice = choose(host, config, candidates, &chosen);
    if (choice == CHOICE_MADE) {
        *out = chosen;
        out->port = config->listen.port;
    }
    return choice;
}

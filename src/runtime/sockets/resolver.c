#include "runtime/sockets/resolver.h"

#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/host/clock.h"
#include "runtime/options/value.h"
#include "words/address_text.h"

enum { ANSWER_MS_MAX = 2000 };

/* One getaddrinfo under way. It outlives a resolver that closes meanwhile. */
struct lookup {
    uv_getaddrinfo_t request;
    struct resolver *resolver; /* NULL: nobody waits for it */
    uint32_t seed_index;
    bool any_family; /* the second one, to learn why the first found nothing */
};

/* --- This node among the seeds --- */

/* Is the host part one of this host's addresses? */
static bool is_this_host(const struct address *address)
{
    uv_interface_address_t *interfaces;
    int count;
    bool found = address_is_loopback(address) || address_is_wildcard(address);

    if (found || uv_interface_addresses(&interfaces, &count) != 0) {
        return found;
    }
    for (int i = 0; i < count && !found; i++) {
        struct sockaddr_storage name = {0};
        struct address own;

        if (interfaces[i].address.address4.sin_family == AF_INET) {
            *(struct sockaddr_in *)(void *)&name = interfaces[i].address.address4;
        } else {
            *(struct sockaddr_in6 *)(void *)&name = interfaces[i].address.address6;
        }
        found = address_from_sockaddr((const struct sockaddr *)&name, &own) &&
                address_same_host(&own, address);
    }
    uv_free_interface_addresses(interfaces, count);
    return found;
}

/* Other members know this node by the address it advertises; a seed may name it by any address it
 * listens on. The core is to recognise itself (F1). */
static struct address as_advertised(const struct config *config, const struct address *address)
{
    bool ours = address_equal(address, &config->listen) ||
                (address->port == config->listen.port && address_is_wildcard(&config->listen) &&
                 is_this_host(address));

    return ours ? config->advertise : *address;
}

/* --- Answers --- */

static void seed_add(struct resolver *resolver, struct seed *seed, const struct address *address)
{
    struct address known = as_advertised(resolver->config, address);

    for (uint32_t i = 0; i < seed->count; i++) {
        if (address_equal(&seed->addresses[i], &known)) {
            return;
        }
    }
    if (seed->count < SEED_ADDRESSES_MAX) {
        seed->addresses[seed->count++] = known;
    }
}

static uint32_t collect(const struct resolver *resolver, struct address all[RESOLVED_MAX])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < resolver->config->seed_count; i++) {
        const struct seed *seed = &resolver->seeds[i];

        for (uint32_t j = 0; j < seed->count && count < RESOLVED_MAX; j++) {
            uint32_t at = 0;
            while (at < count && !address_equal(&all[at], &seed->addresses[j])) {
                at++;
            }
            all[at] = seed->addresses[j];
            count += at == count;
        }
    }
    return count;
}

static void answer(struct resolver *resolver)
{
    struct address all[RESOLVED_MAX];
    uint32_t count = collect(resolver, all);

    resolver->asked = false;
    (void)uv_timer_stop(&resolver->timer);
    resolver->on_answer(resolver->context, all, count);
}

static void on_timer(uv_timer_t *timer)
{
    answer(timer->data);
}

static bool is_waiting(const struct resolver *resolver)
{
    for (uint32_t i = 0; i < resolver->config->seed_count; i++) {
        if (resolver->seeds[i].lookup != NULL) {
            return true;
        }
    }
    return false;
}

/* --- Lookups --- */

/* Says so once when a name stops to resolve; what it last resolved to stays worth asking. */
static void seed_failed(struct resolver *resolver, uint32_t index, int error)
{
    const struct endpoint *endpoint = &resolver->config->seeds[index];
    struct seed *seed = &resolver->seeds[index];

    if (!seed->failed && error != UV_ECANCELED) {
        seed->failed = true;
        log_line(resolver->log, LOG_WARN, "seed",
                 "--seed %s:%u does not resolve (%s): check the name, it is tried again",
                 endpoint->host, (unsigned)endpoint->port, uv_strerror(error));
    }
}

/* The name has addresses, but none that this node can send to. */
static void seed_of_other_family(struct resolver *resolver, uint32_t index,
                                 const struct addrinfo *found)
{
    const struct address *listen = &resolver->config->listen;
    const struct endpoint *endpoint = &resolver->config->seeds[index];
    struct address address;
    char text[ADDRESS_TEXT_MAX];

    if (!address_from_sockaddr(found->ai_addr, &address)) {
        return;
    }
    resolver->seeds[index].failed = true;
    log_line(resolver->log, LOG_WARN, "seed",
             "seed %s:%u is %s (%s) and --listen is %s: listen on [::]:%u, which is both, or give "
             "the name an address that is %s",
             endpoint->host, (unsigned)endpoint->port, address_family_text(&address),
             address_host_text(&address, text), address_family_text(listen), (unsigned)listen->port,
             address_family_text(listen));
}

/* A socket of IPv4 reaches IPv4 only, and so does IPv6 unless it listens on the wildcard. */
static int family_wanted(const struct address *listen)
{
    if (listen->family == 6 && address_is_wildcard(listen)) {
        return AF_UNSPEC;
    }
    return address_family(listen);
}

static bool can_be_sent_to(const struct resolver *resolver, const struct addrinfo *found)
{
    const int wanted = family_wanted(&resolver->config->listen);

    return wanted == AF_UNSPEC || found->ai_family == wanted;
}

/* Also asked for any family a name may have an address to send to: it has got it since it was first
 * looked up. */
static bool any_can_be_sent_to(const struct resolver *resolver, const struct addrinfo *found)
{
    while (found != NULL && !can_be_sent_to(resolver, found)) {
        found = found->ai_next;
    }
    return found != NULL;
}

static void seed_resolved(struct resolver *resolver, uint32_t index, const struct addrinfo *found)
{
    struct seed *seed = &resolver->seeds[index];

    seed->failed = false;
    seed->count = 0;
    for (const struct addrinfo *at = found; at != NULL; at = at->ai_next) {
        struct address address;

        if (can_be_sent_to(resolver, at) && address_from_sockaddr(at->ai_addr, &address)) {
            address.port = resolver->config->seeds[index].port;
            seed_add(resolver, seed, &address);
        }
    }
}

static void lookup_start(struct resolver *resolver, uint32_t index, bool any_family);

static void seed_looked_up(struct resolver *resolver, const struct lookup *lookup, int status,
                           const struct addrinfo *found)
{
    const uint32_t index = lookup->seed_index;

    if (status == 0 && !any_can_be_sent_to(resolver, found)) {
        seed_of_other_family(resolver, index, found);
    } else if (status == 0) {
        seed_resolved(resolver, index, found);
    } else if (!lookup->any_family && !resolver->seeds[index].failed &&
               family_wanted(&resolver->config->listen) != AF_UNSPEC) {
        lookup_start(resolver, index, true);
    } else {
        seed_failed(resolver, index, status);
    }
}

static void on_lookup(uv_getaddrinfo_t *request, int status, struct addrinfo *found)
{
    struct lookup *lookup = request->data;
    struct resolver *resolver = lookup->resolver;

    if (resolver != NULL) {
        resolver->seeds[lookup->seed_index].lookup = NULL;
        seed_looked_up(resolver, lookup, status, found);
    }
    free(lookup);
    uv_freeaddrinfo(found);
    if (resolver != NULL && resolver->asked && !is_waiting(resolver)) {
        answer(resolver);
    }
}

static void lookup_start(struct resolver *resolver, uint32_t index, bool any_family)
{
    const struct endpoint *endpoint = &resolver->config->seeds[index];
    struct addrinfo hints = {.ai_family = any_family ? AF_UNSPEC
                                                     : family_wanted(&resolver->config->listen),
                             .ai_socktype = SOCK_DGRAM};
    struct lookup *lookup = calloc(1, sizeof *lookup);

    if (lookup == NULL) {
        return;
    }
    lookup->resolver = resolver;
    lookup->seed_index = index;
    lookup->any_family = any_family;
    lookup->request.data = lookup;
    int error = uv_getaddrinfo(resolver->loop, &lookup->request, on_lookup, endpoint->host, NULL,
                               &hints);
    if (error != 0) {
        free(lookup);
        seed_failed(resolver, index, error);
        return;
    }
    resolver->seeds[index].lookup = lookup;
}

static void seed_ask(struct resolver *resolver, uint32_t index)
{
    const struct endpoint *endpoint = &resolver->config->seeds[index];
    struct seed *seed = &resolver->seeds[index];
    struct address address;

    if (address_parse_host(endpoint->host, endpoint->port, &address)) {
        seed->count = 0; /* This host's addresses may have changed. */
        seed_add(resolver, seed, &address);
    } else if (seed->lookup == NULL) {
        lookup_start(resolver, index, false);
    }
}

/* The seed that has the address, or NULL. */
static const struct endpoint *seed_at(const struct resolver *resolver,
                                      const struct address *address, uint32_t *index)
{
    for (uint32_t i = 0; i < resolver->config->seed_count; i++) {
        for (uint32_t j = 0; j < resolver->seeds[i].count; j++) {
            if (address_equal(&resolver->seeds[i].addresses[j], address)) {
                *index = i;
                return &resolver->config->seeds[i];
            }
        }
    }
    return NULL;
}

bool resolver_note_unsent(struct resolver *resolver, const struct address *to, int error)
{
    const struct address *listen = &resolver->config->listen;
    uint32_t index = 0;
    const struct endpoint *endpoint = seed_at(resolver, to, &index);
    char text[ADDRESS_TEXT_MAX];
    char seed[VALUE_ENDPOINT_MAX];

    if (endpoint == NULL) {
        return false;
    }
    if (!resolver->seeds[index].unsent) {
        const bool is_lone = address_is_loopback(listen) && !address_is_loopback(to);
        resolver->seeds[index].unsent = true;
        value_endpoint_print(endpoint, seed);
        address_text(to, text);
        log_line(resolver->log, LOG_WARN, "seed",
                 is_lone ? "cannot send to seed %s (%s): %s: --listen is an address for this host "
                           "alone, name one that the others reach"
                         : "cannot send to seed %s (%s): %s: check the route to it, and --listen",
                 seed, text, uv_strerror(error));
    }
    return true;
}

void resolver_add_words(const struct resolver *resolver, char *out, size_t size)
{
    const char *first = NULL;
    const size_t used = strlen(out);
    uint32_t count = 0;

    for (uint32_t i = 0; i < resolver->config->seed_count; i++) {
        if (resolver->seeds[i].count == 0) {
            first = first == NULL ? resolver->config->seeds[i].host : first;
            count++;
        }
    }
    if (count == 1) {
        snprintf(out + used, size - used,
                 "%sno address is found for --seed %s: check the name, and this host's DNS",
                 used == 0 ? "" : "; ", first);
    } else if (count > 1) {
        snprintf(out + used, size - used,
                 "%sno addresses are found for %" PRIu32 " of %" PRIu32
                 " seeds, such as %s: check the names, and this host's DNS",
                 used == 0 ? "" : "; ", count, resolver->config->seed_count, first);
    }
}

void resolver_ask(struct resolver *resolver)
{
    if (!resolver->open || resolver->asked) {
        return;
    }
    resolver->asked = true;
    for (uint32_t i = 0; i < resolver->config->seed_count; i++) {
        seed_ask(resolver, i);
    }
    clock_start_timer(&resolver->timer, on_timer,
                      is_waiting(resolver) ? clock_ms() + ANSWER_MS_MAX : 0);
}

/* Nobody waits for the lookups under way any more; they end by themselves. */
static void abandon_lookups(struct resolver *resolver)
{
    for (uint32_t i = 0; i < CONFIG_SEEDS_MAX; i++) {
        struct lookup *lookup = resolver->seeds[i].lookup;

        if (lookup != NULL) {
            lookup->resolver = NULL;
            (void)uv_cancel((uv_req_t *)&lookup->request);
            resolver->seeds[i].lookup = NULL;
        }
    }
}

void resolver_begin_anew(struct resolver *resolver)
{
    abandon_lookups(resolver);
    for (uint32_t i = 0; i < CONFIG_SEEDS_MAX; i++) {
        resolver->seeds[i] = (struct seed){.lookup = NULL};
    }
    resolver->asked = false;
    resolver_ask(resolver);
}

/* --- Beginning and end --- */

void resolver_open(struct resolver *resolver, uv_loop_t *loop, struct latch *latch,
                   const struct config *config, struct log *log, resolver_on_answer *on_answer,
                   void *context)
{
    resolver->loop = loop;
    resolver->latch = latch;
    resolver->config = config;
    resolver->log = log;
    resolver->on_answer = on_answer;
    resolver->context = context;
    (void)uv_timer_init(loop, &resolver->timer); /* cannot fail */
    resolver->timer.data = resolver;
    resolver->open = true;
    latch_acquire(latch);
}

static void on_closed(uv_handle_t *handle)
{
    struct resolver *resolver = handle->data;

    latch_release(resolver->latch);
}

void resolver_close(struct resolver *resolver)
{
    if (!resolver->open) {
        return;
    }
    resolver->open = false;
    abandon_lookups(resolver);
    uv_close((uv_handle_t *)&resolver->timer, on_closed);
}

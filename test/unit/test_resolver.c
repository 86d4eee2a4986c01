/* The seeds' addresses: what is looked up, and what the log says where that leads nowhere. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "runtime/sockets/resolver.h"
#include "words/address_text.h"

typedef int lookup_function(const char *name, const char *service, const struct addrinfo *hints,
                            struct addrinfo **found);

/* Stands before the system's own, for the names of this test alone: "six.test" has an IPv6 address
 * and no other, "nobody.test" has none, "late.test" gets one of IPv4 after it was first asked for.
 */
int getaddrinfo(const char *restrict name, const char *restrict service,
                const struct addrinfo *restrict hints, struct addrinfo **restrict found)
{
    lookup_function *system = NULL;
    void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");

    memcpy(&system, &symbol, sizeof system);
    if (name != NULL && strcmp(name, "nobody.test") == 0) {
        return EAI_NONAME;
    }
    if (name != NULL && strcmp(name, "six.test") == 0) {
        return hints->ai_family == AF_INET ? EAI_NONAME : system("2001:db8::6", NULL, hints, found);
    }
    if (name != NULL && strcmp(name, "late.test") == 0) {
        return hints->ai_family == AF_INET ? EAI_NONAME : system("192.0.2.4", NULL, hints, found);
    }
    return system(name, service, hints, found);
}

/* A resolver with its loop and its log, which ends up in `text`. */
struct bench {
    uv_loop_t loop;
    struct latch latch;
    struct log log;
    int log_end; /* where it can be read */
    struct config config;
    struct resolver resolver;
    uint32_t answers;
    uint32_t count; /* of the last answer */
    struct address last;
    char text[4000];
};

static void on_answer(void *context, const struct address *addresses, uint32_t count)
{
    struct bench *bench = context;

    bench->answers++;
    bench->count = count;
    if (count > 0) {
        bench->last = addresses[0];
    }
}

static void on_free(void *context)
{
    (void)context;
}

static struct bench *bench_new(const char *listen, const char *seed)
{
    struct bench *bench = calloc(1, sizeof *bench);
    int ends[2];

    cr_assert(bench != NULL && uv_loop_init(&bench->loop) == 0 && pipe(ends) == 0);
    cr_assert(address_parse(listen, &bench->config.listen));
    bench->config.advertise = bench->config.listen;
    bench->config.seed_count = 1;
    snprintf(bench->config.seeds[0].host, sizeof bench->config.seeds[0].host, "%s", seed);
    bench->config.seeds[0].port = 7420;
    bench->latch = (struct latch){.held = 1, .on_free = on_free};
    log_init(&bench->log, ends[1], LOG_INFO, LOG_TEXT, "athens");
    resolver_open(&bench->resolver, &bench->loop, &bench->latch, &bench->config, &bench->log,
                  on_answer, bench);
    bench->log_end = ends[0];
    return bench;
}

/* Asks, and waits for the answer. */
static void bench_ask(struct bench *bench)
{
    const uint32_t before = bench->answers;

    resolver_ask(&bench->resolver);
    while (bench->answers == before) {
        (void)uv_run(&bench->loop, UV_RUN_ONCE);
    }
}

/* Ends it; what the log said is in `text` from now on. */
static void bench_end(struct bench *bench)
{
    resolver_close(&bench->resolver);
    (void)uv_run(&bench->loop, UV_RUN_DEFAULT);
    cr_assert_eq(uv_loop_close(&bench->loop), 0);
    (void)close(bench->log.fd);
    const ssize_t length = read(bench->log_end, bench->text, sizeof bench->text - 1);
    cr_assert_geq(length, 0);
    bench->text[length] = '\0';
    (void)close(bench->log_end);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    while ((text = strstr(text, part)) != NULL) {
        text += strlen(part);
        count++;
    }
    return count;
}

Test(resolver, a_seed_of_another_family_is_named_as_such_once)
{
    struct bench *bench = bench_new("10.0.0.5:7420", "six.test");

    bench_ask(bench);
    bench_ask(bench);
    cr_expect_eq(bench->count, 0);
    bench_end(bench);
    cr_expect_eq(count_of(bench->text,
                          "seed six.test:7420 is IPv6 (2001:db8::6) and --listen is IPv4: listen "
                          "on [::]:7420, which is both, or give the name an address that is IPv4"),
                 1, "%s", bench->text);
    cr_expect_eq(count_of(bench->text, "\n"), 1, "%s", bench->text);
    free(bench);
}

/* As those of pods do. */
Test(resolver, a_name_that_gets_its_address_while_it_is_looked_up_is_taken)
{
    struct bench *bench = bench_new("10.0.0.5:7420", "late.test");

    bench_ask(bench);
    cr_expect_eq(bench->count, 1);
    cr_expect_eq(bench->last.family, 4);
    bench_end(bench);
    cr_expect_str_empty(bench->text);
    free(bench);
}

Test(resolver, the_wildcard_of_ipv6_takes_both_families)
{
    struct bench *bench = bench_new("[::]:7420", "six.test");

    bench_ask(bench);
    cr_expect_eq(bench->count, 1);
    cr_expect_eq(bench->last.family, 6);
    bench_end(bench);
    cr_expect_str_empty(bench->text);
    free(bench);
}

Test(resolver, a_name_that_nobody_has_is_told_once)
{
    struct bench *bench = bench_new("10.0.0.5:7420", "nobody.test");

    bench_ask(bench);
    bench_ask(bench);
    bench_end(bench);
    cr_expect_eq(count_of(bench->text, "nobody.test:7420 does not resolve"), 1, "%s", bench->text);
    cr_expect_eq(count_of(bench->text, "\n"), 1, "%s", bench->text);
    free(bench);
}

Test(resolver, the_first_failure_to_send_to_a_seed_is_told_with_its_reason)
{
    struct bench *bench = bench_new("10.0.0.5:7420", "10.0.0.6");
    struct address seed;
    struct address other;

    cr_assert(address_parse("10.0.0.6:7420", &seed) && address_parse("10.0.0.7:7420", &other));
    bench_ask(bench);
    cr_expect_not(resolver_note_unsent(&bench->resolver, &other, UV_ENETUNREACH));
    cr_expect(resolver_note_unsent(&bench->resolver, &seed, UV_ENETUNREACH));
    cr_expect(resolver_note_unsent(&bench->resolver, &seed, UV_ENETUNREACH));
    bench_end(bench);
    cr_expect_eq(count_of(bench->text, "cannot send to seed 10.0.0.6:7420 (10.0.0.6:7420): network "
                                       "is unreachable: check the route to it"),
                 1, "%s", bench->text);
    cr_expect_eq(count_of(bench->text, "\n"), 1, "%s", bench->text);
    free(bench);
}

/* The page that --http serves, as a browser without scripts gets it, and the files it asks for. */
#include <string.h>
#include <unistd.h>

#include "fixture.h"

enum { PAGE_BYTES_MAX = 60 * 1024 }; /* of all files together, packed */

/* A node on TCP, with further arguments; returns its port. */
static uint16_t start_athens(struct cluster *cluster, const char *tag)
{
    const uint16_t port = cluster_port(cluster);

    cluster_start(cluster, "athens", "athens",
                  ARGS("--http", text_kept("%s:%u", cluster->host, port), "--tag", tag));
    assert_agreement(cluster, "athens");
    return port;
}

static void get(const struct cluster *cluster, uint16_t port, const char *path, const char *headers,
                struct http_answer *answer)
{
    const int fd = dial_tcp(cluster->host, port);

    cr_assert_geq(fd, 0);
    cr_assert(http_ask(fd, "GET", path, headers, LIMIT_MS, answer), "no answer to %s", path);
    close(fd);
}

static void assert_header(const struct http_answer *answer, const char *name, const char *expected)
{
    char value[256] = "";

    (void)http_header(answer, name, value, sizeof value);
    assert_text_has(value, expected);
}

/* The members by age, each in a row of its own, without any script. */
Story(page, the_table_is_there_without_scripts)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = start_athens(cluster, "zone=a");
    struct http_answer page;

    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    get(cluster, port, "/", NULL, &page);
    cr_assert_eq(page.status, 200);
    assert_header(&page, "Content-Type", "text/html; charset=utf-8");
    const char *athens = strstr(page.body, "<bdi>athens</bdi> <span class=\"badge coordinator\">");
    const char *byzantium = strstr(page.body, "<th scope=\"row\"><bdi>byzantium</bdi></th>");
    cr_assert_not_null(athens, "%s", page.body);
    cr_assert_not_null(byzantium, "%s", page.body);
    cr_assert_lt(athens, byzantium, "the oldest comes first");
    assert_text_has(page.body, "<bdi>zone=a</bdi>");
    http_answer_deinit(&page);
}

/* What a node says of itself may be anything: it is shown, and does nothing. */
Story(page, what_members_say_of_themselves_is_text)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = start_athens(cluster, "note=<script>\"x\" & 'y'</script>");
    struct http_answer page;

    get(cluster, port, "/", NULL, &page);
    assert_text_has(page.body, "note=&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/script&gt;");
    cr_assert_null(strstr(page.body, "<script>"), "%s", page.body);
    http_answer_deinit(&page);
}

/* The browser is told to run nothing but this daemon's scripts, and to send nothing elsewhere. */
Story(page, the_browser_is_told_what_the_page_may_do)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = start_athens(cluster, "zone=a");
    struct http_answer page;

    get(cluster, port, "/", NULL, &page);
    assert_header(&page, "Content-Security-Policy", "default-src 'self';");
    assert_header(&page, "Content-Security-Policy", "frame-ancestors 'none'");
    assert_header(&page, "X-Content-Type-Options", "nosniff");
    cr_assert_null(strstr(page.body, "<style"), "styles come from their own file");
    cr_assert_null(strstr(page.body, " style="), "styles come from their own file");
    cr_assert_null(strstr(page.body, "://"), "nothing is fetched from elsewhere");
    http_answer_deinit(&page);
}

Story(page, there_is_only_reading_and_only_for_this_host)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = start_athens(cluster, "zone=a");
    const int fd = dial_tcp(cluster->host, port);
    struct http_answer answer;

    cr_assert(http_ask(fd, "POST", "/", "Content-Length: 0\r\n", LIMIT_MS, &answer));
    cr_assert_eq(answer.status, 405);
    http_answer_deinit(&answer);
    close(fd);
    const int other = dial_tcp(cluster->host, port);
    cr_assert(send_text(other, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"));
    cr_assert(http_read(other, false, LIMIT_MS, &answer));
    cr_assert_eq(answer.status, 421);
    http_answer_deinit(&answer);
    close(other);
}

/* Asks for the file packed and plain, and again with its tag; returns its packed bytes. */
static size_t assert_file(const struct cluster *cluster, uint16_t port, const char *path)
{
    static const char packed[] = "Accept-Encoding: br, gzip\r\n";
    struct http_answer answer;
    char tag[64];

    get(cluster, port, path, packed, &answer);
    cr_assert_eq(answer.status, 200, "%s", path);
    assert_header(&answer, "Content-Encoding", "gzip");
    assert_header(&answer, "X-Content-Type-Options", "nosniff");
    cr_assert(http_header(&answer, "ETag", tag, sizeof tag), "%s", path);
    const size_t length = answer.length - (size_t)(answer.body - answer.text);
    cr_assert_eq(memcmp(answer.body, "\x1f\x8b", 2), 0, "%s is not packed", path);
    http_answer_deinit(&answer);

    get(cluster, port, path, text_kept("%sIf-None-Match: %s\r\n", packed, tag), &answer);
    cr_assert_eq(answer.status, 304, "%s", path);
    assert_header(&answer, "ETag", tag);
    http_answer_deinit(&answer);

    get(cluster, port, path, text_kept("If-None-Match: %s\r\n", tag), &answer);
    cr_assert_eq(answer.status, 200, "%s: the plain bytes have a tag of their own", path);
    cr_assert_gt(answer.length - (size_t)(answer.body - answer.text), length, "%s", path);
    http_answer_deinit(&answer);
    return length;
}

/* The value of each src and href of the page that is a file; then what these ask for. */
Story(page, its_files_are_small_and_are_not_sent_twice)
{
    static const char *const modules[] = {
        "/page/preact.js",        "/page/feed.js",  "/page/words.js",   "/page/members.js",
        "/page/summary.js",       "/page/links.js", "/page/history.js", "/page/counters.js",
        "/page/why.js",           "/page/uplot.js", "/page/uplot.css",  "/page/preact-licence.txt",
        "/page/uplot-licence.txt"};
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = start_athens(cluster, "zone=a");
    struct http_answer page;
    size_t bytes = 0;
    size_t files = 0;

    get(cluster, port, "/", NULL, &page);
    for (const char *at = page.body; (at = strstr(at, "\"/page/")) != NULL;) {
        char path[64];
        cr_assert_eq(sscanf(at, "\"%63[^\"]\"", path), 1);
        at += strlen(path);
        bytes += assert_file(cluster, port, path);
        files++;
    }
    http_answer_deinit(&page);
    cr_assert_geq(files, 4);
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
        bytes += assert_file(cluster, port, modules[i]);
    }
    cr_assert_lt(bytes, PAGE_BYTES_MAX);
}

Story(page, a_file_that_is_not_there_is_not_found)
{
    static const char *const paths[] = {"/page/", "/page/page.jsx", "/page/../etc/passwd",
                                        "/page/%2e%2e/x"};
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = start_athens(cluster, "zone=a");

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct http_answer answer;
        get(cluster, port, paths[i], NULL, &answer);
        cr_assert_eq(answer.status, 404, "%s", paths[i]);
        http_answer_deinit(&answer);
    }
}

#include "control/page/page_file.h"

#include <string.h>

#include "base/text.h"

static const struct page_file *find(const char *name)
{
    for (size_t i = 0; i < page_file_count; i++) {
        if (text_equal(page_files[i].name, name)) {
            return &page_files[i];
        }
    }
    return NULL;
}

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* "gzip;q=0" would refuse it; no browser says that. */
static bool takes_gzip(struct MHD_Connection *connection)
{
    const char *encodings = header_of(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING);

    return encodings != NULL && strstr(encodings, "gzip") != NULL;
}

/* If-None-Match may name several tags, and mark each as weak, which makes no difference here. */
static bool has_already(struct MHD_Connection *connection, const struct page_bytes *content)
{
    const char *tags = header_of(connection, MHD_HTTP_HEADER_IF_NONE_MATCH);

    return tags != NULL && (strstr(tags, content->etag) != NULL || text_equal(tags, "*"));
}

/* The bytes are constants of the program, and sent from where they are. */
static struct MHD_Response *response_of(const struct page_bytes *content)
{
    const struct MHD_IoVec piece = {.iov_base = content->bytes, .iov_len = content->length};

    return MHD_create_response_from_iovec(&piece, 1, NULL, NULL);
}

static struct MHD_Response *response_of_nothing(void)
{
    return MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
}

/* Browsers keep the file and ask each time whether it is still the same. */
static bool put_headers(struct MHD_Response *response, const struct page_file *file,
                        const struct page_bytes *content)
{
    return MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, file->type) == MHD_YES &&
           MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, content->etag) == MHD_YES &&
           MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache") ==
               MHD_YES &&
           MHD_add_response_header(response, MHD_HTTP_HEADER_VARY,
                                   MHD_HTTP_HEADER_ACCEPT_ENCODING) == MHD_YES &&
           MHD_add_response_header(response, "X-Content-Type-Options", "nosniff") == MHD_YES &&
           (content != &file->packed ||
            MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip") == MHD_YES);
}

struct answer page_file_answer(struct MHD_Connection *connection, const char *name)
{
    const struct page_file *file = find(name);

    if (file == NULL) {
        return answer_problem(MHD_HTTP_NOT_FOUND, "no such resource", "open / in a browser",
                              "the page has no file %.100s", name);
    }
    const struct page_bytes *content = takes_gzip(connection) ? &file->packed : &file->plain;
    const bool unchanged = has_already(connection, content);
    struct answer answer = {.status = unchanged ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK,
                            .response = unchanged ? response_of_nothing() : response_of(content)};

    if (answer.response != NULL && !put_headers(answer.response, file, content)) {
        MHD_destroy_response(answer.response);
        answer.response = NULL;
    }
    return answer;
}

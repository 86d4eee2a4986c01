#include "control/answer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "control/sheet.h"
#include "control/words.h"

enum { DETAIL_MAX = 512 };

static struct MHD_Response *with_headers(struct MHD_Response *response, const char *type)
{
    if (response != NULL &&
        (MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) != MHD_YES ||
         MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store") != MHD_YES)) {
        MHD_destroy_response(response);
        return NULL;
    }
    return response;
}

/* Renders the value, which it takes over, with a line feed at the end for those who use curl. */
static struct answer answer_of(unsigned status, json_t *value, const char *type)
{
    struct sheet text = {0};
    struct answer answer = {.status = status};

    sheet_json(&text, value);
    sheet_text(&text, "\n");
    if (!text.failed) {
        answer.response = MHD_create_response_from_buffer(text.length, text.bytes,
                                                          MHD_RESPMEM_MUST_COPY);
        answer.response = with_headers(answer.response, type);
    }
    sheet_deinit(&text);
    return answer;
}

struct answer answer_json(unsigned status, json_t *value)
{
    return answer_of(status, value, "application/json");
}

static void release(void *document)
{
    document_release(document);
}

struct answer answer_document(struct document *document, uint64_t cursor)
{
    char text[DECIMAL_DIGITS_MAX + 1] = "";
    struct answer answer = {.status = MHD_HTTP_OK};

    text[decimal_write(text, cursor)] = '\0';
    answer.response = MHD_create_response_from_buffer_with_free_callback_cls(
        document->length, document->text, release, document);
    if (answer.response == NULL) {
        document_release(document);
        return answer;
    }
    answer.response = with_headers(answer.response, "application/json");
    if (answer.response != NULL) {
        (void)MHD_add_response_header(answer.response, "X-Doyen-Cursor", text);
    }
    return answer;
}

struct answer answer_problem(unsigned status, const char *title, const char *hint,
                             const char *detail, ...)
{
    char text[DETAIL_MAX];
    va_list arguments;
    json_t *object = json_object();

    va_start(arguments, detail);
    vsnprintf(text, sizeof text, detail, arguments);
    va_end(arguments);
    if (json_object_set_new(object, "title", json_of_word(title)) != 0 ||
        json_object_set_new(object, "status", json_integer((json_int_t)status)) != 0 ||
        json_object_set_new(object, "detail", json_of_word(text)) != 0 ||
        json_object_set_new(object, "hint", json_of_word(hint)) != 0) {
        json_decref(object);
        object = NULL;
    }
    return answer_of(status, object, "application/problem+json");
}

struct answer answer_guard_refused(uint32_t fresh, uint32_t needed)
{
    return answer_problem(
        MHD_HTTP_CONFLICT, "not enough members",
        "ask again when more members are reachable; GET /v1/status shows whom "
        "this node hears",
        "the guard wants %" PRIu32 " members heard lately, and there are %" PRIu32, needed, fresh);
}

#include "control/http/answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "control/text/json.h"

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

struct answer answer_text(unsigned status, struct text_builder *text, const char *type)
{
    struct answer answer = {.status = status};

    if (!text->failed) {
        answer.response = MHD_create_response_from_buffer(text->length, text->bytes,
                                                          MHD_RESPMEM_MUST_COPY);
        answer.response = with_headers(answer.response, type);
    }
    text_builder_deinit(text);
    return answer;
}

/* Renders and releases the value, with a line feed at the end for people who use curl. */
static struct answer answer_of(unsigned status, json_t *value, const char *type)
{
    struct text_builder text = {0};

    text_builder_add_json(&text, value);
    text_builder_add(&text, "\n");
    return answer_text(status, &text, type);
}

struct answer answer_json(unsigned status, json_t *value)
{
    return value == NULL ? answer_busy("this node has no memory to spare for the answer")
                         : answer_of(status, value, "application/json");
}

static void release(void *document)
{
    document_release(document);
}

struct answer answer_document(struct document *document, struct cursor cursor)
{
    char text[CURSOR_TEXT_MAX];
    struct answer answer = {.status = MHD_HTTP_OK};

    answer.response = MHD_create_response_from_buffer_with_free_callback_cls(
        document->length, document->text, release, document);
    if (answer.response == NULL) {
        document_release(document);
        return answer;
    }
    answer.response = with_headers(answer.response, "application/json");
    if (answer.response != NULL) {
        (void)MHD_add_response_header(answer.response, "X-Doyen-Cursor", cursor_text(cursor, text));
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

struct answer answer_busy(const char *detail)
{
    return answer_problem(MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
                          "close connections that are not needed, or ask again in a moment", "%s",
                          detail);
}

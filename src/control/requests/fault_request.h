/* The body of POST /v1/fault: one fault to inject, or the end of all. */
#ifndef CONTROL_FAULT_REQUEST_H
#define CONTROL_FAULT_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FAULT_NAMES_MAX = 256,
    FAULT_DELAY_MS_MAX = 60000,
    FAULT_WHY_MAX = 200,
};

enum fault_request_kind {
    FAULT_DROP,  /* everything to and from the named members is lost */
    FAULT_DELAY, /* what goes to the one named member is late by delay_ms */
    FAULT_CLEAR,
};

struct fault_request {
    enum fault_request_kind kind;
    uint32_t name_count;
    const char *names[FAULT_NAMES_MAX]; /* borrowed from `body` */
    uint64_t delay_ms;
    json_t *body;
};

/* Parses the body. Returns false, with the fault of it in `why`, for anything that is not exactly
 * one of {"drop": ["a", "b"]}, {"delay": {"name": "a", "ms": 100}} and {"clear": true}. */
bool fault_request_parse(struct fault_request *fault, const char *body, size_t length,
                         char why[FAULT_WHY_MAX]);

void fault_request_deinit(struct fault_request *fault);

#endif

/* Reads fields of the daemon's documents, which may be missing, and what they mean for the exit
 * code. A newer daemon may send more fields, an older one fewer. */
#ifndef CLI_DOCUMENT_H
#define CLI_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/request/failure.h"

/* Returns the field as text, or `otherwise` when it is missing, null or of another type. Borrowed.
 */
const char *document_text(const json_t *document, const char *key, const char *otherwise);

/* Returns the field as a number, also when it is written as text (64 bits); 0 when it is neither.
 */
uint64_t document_number(const json_t *document, const char *key);

bool document_has(const json_t *document, const char *key); /* there, and not null */
bool document_is_true(const json_t *document, const char *key);

/* Returns the coordinator's name, or NULL when the node names none. */
const char *document_coordinator(const json_t *members);

bool document_guard_is_met(const json_t *members);

/* Returns EXIT_NO_COORDINATOR, EXIT_GUARD, or EXIT_DONE, the first that applies, for any document
 * with the fields `coordinator` and `guard` of the members document. */
enum exit_code document_exit_code(const json_t *members);

/* Of a document with the part `whole`: EXIT_NOT_HEALTHY unless it is healthy or a warning. */
enum exit_code document_whole_exit_code(const json_t *document);

/* Returns EXIT_DONE when this node coordinates and acts, EXIT_GUARD when it coordinates and only
 * the guard keeps it from acting, else EXIT_NO_COORDINATOR. */
enum exit_code document_self_exit_code(const json_t *members);

#endif

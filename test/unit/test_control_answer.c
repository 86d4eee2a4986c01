/* What a client is told where there is no memory for its answer. */
#include <criterion/criterion.h>

#include "control/http/answer.h"

Test(control_answer, where_memory_ran_out_the_client_is_told)
{
    const struct answer answer = answer_json(MHD_HTTP_OK, NULL);

    cr_assert_eq(answer.status, MHD_HTTP_SERVICE_UNAVAILABLE);
    cr_assert_not_null(answer.response, "or the connection is closed without a word");
    MHD_destroy_response(answer.response);
}

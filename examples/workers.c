/* A worker of the pool of workers.sql, which hands out the jobs where its node acts. PGHOST and the
 * like say where. */
#include <doyen/client.h>
#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PAUSE_NS = 200000000, WORK_NS = 50000000, TEXT_MAX = 4096 };

/* What is refused is said on the standard error. */
static void sql(PGconn *database, const char *query, int count, const char *const *values)
{
    PGresult *result = PQexecParams(database, query, count, NULL, values, NULL, NULL, 0);

    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK) {
        fprintf(stderr, "workers: %s", PQerrorMessage(database));
    }
    PQclear(result);
    if (PQstatus(database) != CONNECTION_OK) {
        PQreset(database);
    }
}

/* "{athens,byzantium}" */
static void list_members(const struct doyen_view *view, char text[TEXT_MAX])
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < view->member_count && length < TEXT_MAX; i++) {
        length += (size_t)snprintf(text + length, TEXT_MAX - length, "%c%s", i == 0 ? '{' : ',',
                                   view->members[i]->name);
    }
    (void)snprintf(text + length, length < TEXT_MAX ? TEXT_MAX - length : 0, "}");
}

static void hand_out(PGconn *database, const struct doyen_view *view, uint64_t epoch)
{
    char token[32];
    char workers[TEXT_MAX];
    const char *const values[] = {token, view->node, workers};

    (void)snprintf(token, sizeof token, "%" PRIu64, epoch);
    list_members(view, workers);
    sql(database, "SELECT hand_out($1, $2, $3)", 3, values);
}

int main(void)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    PGconn *database = PQconnectdb("");
    struct doyen *d;

    if (doyen_open(&d, NULL) != 0 || doyen_lease_get(d, 5000) != 0) {
        fprintf(stderr, "workers: %s\n", doyen_error(d));
        doyen_close(d);
        return 1;
    }
    for (;; (void)nanosleep(&pause, NULL)) {
        const struct doyen_view *view;
        struct doyen_right right;

        if (doyen_get(d, 1000, &view) != 0) {
            continue;
        }
        /* A job that another one has by now is not this one's to end. */
        sql(database, "UPDATE job SET done = now() WHERE worker = $1 AND done IS NULL", 1,
            &view->node);
        /* The right is looked at last, and the database refuses whoever is late all the same. */
        if (doyen_acting(d, &right) && right.left_ns > WORK_NS) {
            hand_out(database, view, right.epoch);
        }
        doyen_view_release(view);
    }
}

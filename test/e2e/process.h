/* Programs started from outside: their output goes to files, and none of them outlives the
 * program that started it, however that ends. */
#ifndef E2E_PROCESS_H
#define E2E_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A monotonic clock, in milliseconds. */
uint64_t clock_now_ms(void);
void clock_nap_ms(uint64_t milliseconds);

struct process {
    pid_t pid;  /* 0: not running */
    int status; /* of the last run, as waitpid gives it */
};

/* Starts argv[0], a path, with stdout and stderr appended to files. `argv` ends with NULL. Returns
 * false when there is no process for it; a program that cannot be run ends with status 127. */
bool process_start(struct process *process, const char *const *argv, const char *out_path,
                   const char *err_path);

/* Namespaces to start a process in: descriptors, -1 for the caller's own. */
struct place {
    int user;
    int net;
};
bool process_start_at(struct process *process, const struct place *place, const char *const *argv,
                      const char *out_path, const char *err_path);

/* Waits until it has ended, `limit_ms` at most. True, with `status` set, when it has. */
bool process_wait(struct process *process, uint64_t limit_ms);

/* Does it run? Also true while it is stopped. */
bool process_is_running(struct process *process);

/* SIGKILL, and waits for the end. Harmless when it does not run. */
void process_kill(struct process *process);

/* Exit status of a process that has ended, or 128 and the number of the signal that ended it. */
int process_exit_code(const struct process *process);

/* The field of /proc/PID/status in kB, such as "VmRSS"; 0 when there is none. */
uint64_t process_kb(const struct process *process, const char *field);

/* Its share of memory, pages that it shares divided by their users, in kB; 0 when not known. */
uint64_t process_pss_kb(const struct process *process);

/* Processor time used so far, in milliseconds (that of the clock tick, 10 ms as a rule). */
uint64_t process_cpu_ms(const struct process *process);

/* The whole file and a zero behind it, the caller's to free; NULL when it cannot be read.
 * `length` may be NULL. */
char *file_read(const char *path, size_t *length);

#endif

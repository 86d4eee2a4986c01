/* The sandbox's list of system calls: seccomp. */
#ifndef RUNTIME_SANDBOX_CALLS_H
#define RUNTIME_SANDBOX_CALLS_H

/* From here on all threads of this process make only the system calls that are listed. Starting a
 * program, or looking into another process, ends this one (SIGSYS); any other call fails with
 * ENOSYS, as on an older kernel, for which libraries have another way. Needs no_new_privs. Returns
 * 0, or the errno with which the kernel refuses. */
int sandbox_filter_calls(void);

#endif

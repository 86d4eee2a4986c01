#include "runtime/process/sandbox_calls.h"

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define FOREIGN_CALLS 0x40000000U /* those of x32 begin here */
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#ifndef ARCHITECTURE

int sandbox_filter_calls(void)
{
    return EOPNOTSUPP; /* The list has not been tried on this processor. */
}

#else

/* What the daemon, libuv, libmicrohttpd and the C library with its resolver ask for; the most
 * frequent ones first. Not every processor has all of them. There is no io_uring: what is asked for
 * over it passes by this list. */
static const int allowed[] = {
    /* The loop, its sockets and pipes. */
    SYS_epoll_pwait,
    SYS_recvmsg,
    SYS_sendmsg,
    SYS_read,
    SYS_write,
    SYS_writev,
    SYS_readv,
    SYS_recvfrom,
    SYS_sendto,
    SYS_recvmmsg,
    SYS_sendmmsg,
    SYS_epoll_ctl,
    SYS_accept4,
    SYS_accept,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_shutdown,
    SYS_close,
    SYS_getsockopt,
    SYS_setsockopt,
    SYS_getsockname,
    SYS_getpeername,
    SYS_socketpair,
    SYS_epoll_create1,
    SYS_eventfd2,
    SYS_pipe2,
    SYS_ppoll,
    SYS_pselect6,
    SYS_fcntl,
    SYS_dup,
    SYS_dup3,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    /* Memory, threads and time. */
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_brk,
    SYS_mlock,
    SYS_munlock,
    SYS_futex,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_set_tid_address,
    SYS_rseq,
    SYS_membarrier,
    SYS_memfd_create, /* the page of a client that stands for a role */
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_getscheduler, /* precedence over other programs */
    SYS_exit,
    SYS_exit_group,
    SYS_restart_syscall,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrusage,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigtimedwait,
    SYS_sigaltstack,
    /* Files, within the fence. */
    SYS_openat,
    SYS_newfstatat,
    SYS_fstat,
    SYS_statx,
    SYS_fstatfs,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_lseek,
    SYS_pread64,
    SYS_pwrite64,
    SYS_preadv,
    SYS_pwritev,
    SYS_fsync,
    SYS_fdatasync,
    SYS_ftruncate,
    SYS_fchmod,
    SYS_umask, /* for a control socket that is made again */
    SYS_flock,
    SYS_renameat,
    SYS_renameat2,
    SYS_unlinkat,
#ifdef __x86_64__
    SYS_epoll_wait,
    SYS_poll,
    SYS_select,
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_rename,
    SYS_unlink,
    SYS_pipe,
    SYS_eventfd,
    SYS_dup2,
    SYS_time,
    SYS_getrlimit,
    SYS_arch_prctl,
#endif
};

/* Nothing here ever asks for these, so whoever does has taken the process over. */
static const int deadly[] = {
    SYS_execve,           SYS_execveat,          SYS_ptrace,
    SYS_process_vm_readv, SYS_process_vm_writev, SYS_init_module,
    SYS_finit_module,     SYS_kexec_load,        SYS_bpf,
    SYS_setuid,           SYS_setresuid,         SYS_mount,
};

/* Of this process alone, which the first argument names: others of its account are not to be
 * signalled, kept waiting or bounded. */
static const int own[] = {
    SYS_tgkill,             /* abort */
    SYS_prlimit64,          /* descriptors, and how long it may run without a pause */
    SYS_sched_setscheduler, /* precedence over other programs, and without it again */
};

/* What types into a terminal as if somebody sat there: the shell in front of it would run that. */
static const int typing[] = {TIOCSTI, TIOCLINUX};

static const int families[] = {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum {
    PROGRAM_MAX = 2 * (COUNT_OF(allowed) + COUNT_OF(deadly) + COUNT_OF(families) +
                       COUNT_OF(typing)) +
                  8 * COUNT_OF(own) + 32
};

struct program {
    unsigned short length;
    struct sock_filter steps[PROGRAM_MAX];
};

static void add(struct program *program, struct sock_filter step)
{
    assert(program->length < PROGRAM_MAX);
    program->steps[program->length++] = step;
}

static void load(struct program *program, size_t offset)
{
    add(program, (struct sock_filter){.code = BPF_LD | BPF_W | BPF_ABS, .k = (uint32_t)offset});
}

static void finish(struct program *program, uint32_t verdict)
{
    add(program, (struct sock_filter){.code = BPF_RET | BPF_K, .k = verdict});
}

/* If what was loaded compares so with `value`, the verdict is this one. */
static void finish_if(struct program *program, unsigned short comparison, uint32_t value,
                      uint32_t verdict)
{
    add(program, (struct sock_filter){.code = BPF_JMP | comparison | BPF_K, .jf = 1, .k = value});
    finish(program, verdict);
}

static void finish_if_any(struct program *program, const int *values, size_t count,
                          uint32_t verdict)
{
    for (size_t i = 0; i < count; i++) {
        finish_if(program, BPF_JEQ, (uint32_t)values[i], verdict);
    }
}

/* Skips the next `count` steps unless the loaded value is this one. */
static void skip_unless(struct program *program, uint32_t value, size_t count)
{
    add(program,
        (struct sock_filter){.code = BPF_JMP | BPF_JEQ | BPF_K, .jf = (uint8_t)count, .k = value});
}

/* Lower half of an argument; all of what is asked here is an int, or flags of 32 bits. */
static size_t offset_of_argument(unsigned number)
{
    const size_t low_half = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(uint32_t) : 0;

    return offsetof(struct seccomp_data, args) + number * sizeof(uint64_t) + low_half;
}

/* That call, if its first argument is 0, which is who calls, or this process. */
static void allow_own(struct program *program, int call)
{
    skip_unless(program, (uint32_t)call, 6);
    load(program, offset_of_argument(0));
    finish_if(program, BPF_JEQ, 0, SECCOMP_RET_ALLOW);
    finish_if(program, BPF_JEQ, (uint32_t)getpid(), SECCOMP_RET_ALLOW);
    finish(program, SECCOMP_RET_ERRNO | EPERM);
}

static void compose(struct program *program)
{
    const uint32_t no_such_call = SECCOMP_RET_ERRNO | ENOSYS;

    load(program, offsetof(struct seccomp_data, arch));
    skip_unless(program, ARCHITECTURE, 1);
    add(program, (struct sock_filter){.code = BPF_JMP | BPF_JA, .k = 1});
    finish(program, SECCOMP_RET_KILL_PROCESS);
    load(program, offsetof(struct seccomp_data, nr));
#ifdef FOREIGN_CALLS
    finish_if(program, BPF_JGE, FOREIGN_CALLS, SECCOMP_RET_KILL_PROCESS);
#endif
    finish_if_any(program, allowed, COUNT_OF(allowed), SECCOMP_RET_ALLOW);
    finish_if_any(program, deadly, COUNT_OF(deadly), SECCOMP_RET_KILL_PROCESS);

    /* Threads, but no processes; of clone3 the flags cannot be seen, and the C library then takes
     * clone. */
    skip_unless(program, SYS_clone, 4);
    load(program, offset_of_argument(0));
    add(program,
        (struct sock_filter){.code = BPF_JMP | BPF_JSET | BPF_K, .jf = 1, .k = CLONE_THREAD});
    finish(program, SECCOMP_RET_ALLOW);
    finish(program, SECCOMP_RET_ERRNO | EPERM);

    for (size_t i = 0; i < COUNT_OF(own); i++) {
        allow_own(program, own[i]);
    }
    skip_unless(program, SYS_ioctl, 2 * COUNT_OF(typing) + 2);
    load(program, offset_of_argument(1));
    finish_if_any(program, typing, COUNT_OF(typing), SECCOMP_RET_ERRNO | EPERM);
    finish(program, SECCOMP_RET_ALLOW);

    skip_unless(program, SYS_socket, 2 * COUNT_OF(families) + 2);
    load(program, offset_of_argument(0));
    finish_if_any(program, families, COUNT_OF(families), SECCOMP_RET_ALLOW);
    finish(program, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
    finish(program, no_such_call);
}

int sandbox_filter_calls(void)
{
    struct program program = {.length = 0};

    compose(&program);
    const struct sock_fprog filter = {.len = program.length, .filter = program.steps};
    const long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
                                &filter);
    if (result == 0) {
        return 0;
    }
    return result < 0 ? errno : EBUSY; /* The number is that of a thread which cannot follow. */
}

#endif

#include "runtime/leases/page_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Newer than the C library of some systems that have them. */
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010 /* Linux 5.1 */
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3 */
#endif

_Static_assert(sizeof(struct doyen_lease_page) <= DOYEN_LEASE_BYTES, "the page holds it");

static int make_memory(void)
{
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    const int fd = memfd_create("doyen-lease", flags | MFD_NOEXEC_SEAL);

    return fd < 0 && errno == EINVAL ? memfd_create("doyen-lease", flags) : fd;
}

static struct doyen_lease_page *map_writable(int fd)
{
    void *at = ftruncate(fd, DOYEN_LEASE_BYTES) == 0
                   ? mmap(NULL, DOYEN_LEASE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                   : MAP_FAILED;

    return at == MAP_FAILED ? NULL : at;
}

/* From here on nobody can change the page but through the one mapping that there is. */
static bool seal(int fd)
{
    return fchmod(fd, S_IRUSR | S_IRGRP | S_IROTH) == 0 &&
           fcntl(fd, F_ADD_SEALS,
                 F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0;
}

/* The same memory by a descriptor that can only read. Where /proc is not mounted it is the other
 * one, of which the seals hold as well. */
static int read_only(int fd)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int reader = open(path, O_RDONLY | O_CLOEXEC);
    if (reader < 0) {
        return fd;
    }
    close(fd);
    return reader;
}

bool page_memory_open(struct page_memory *memory)
{
    const int fd = make_memory();

    *memory = (struct page_memory){.fd = -1};
    memory->page = fd < 0 ? NULL : map_writable(fd);
    if (memory->page != NULL && seal(fd)) {
        memory->page->magic = DOYEN_LEASE_MAGIC;
        memory->page->layout = DOYEN_LEASE_LAYOUT;
        if (doyen_lease_clock_of(memory->page->clock) != 0) {
            memset(memory->page->clock, 0, sizeof memory->page->clock); /* Nobody maps it. */
        }
        memory->fd = read_only(fd);
        return true;
    }
    const int error = errno;
    if (memory->page != NULL) {
        (void)munmap(memory->page, DOYEN_LEASE_BYTES);
        memory->page = NULL;
    }
    if (fd >= 0) {
        close(fd);
    }
    errno = error;
    return false;
}

void page_memory_close(struct page_memory *memory)
{
    if (memory->page != NULL) {
        (void)munmap(memory->page, DOYEN_LEASE_BYTES);
        memory->page = NULL;
    }
    if (memory->fd >= 0) {
        close(memory->fd);
        memory->fd = -1;
    }
}

static void write_words(uint64_t *to, const uint64_t *words)
{
    for (int i = 0; i < DOYEN_LEASE_WORDS; i++) {
        __atomic_store_n(&to[i], words[i], __ATOMIC_RELAXED);
    }
}

/* A sequence latch. Readers take the copy while the sequence is odd and the content while it is
 * even, and nothing of either when it is another one afterwards. So they find one of the two whole
 * also while this process is stopped between any two of these lines; the content counts from the
 * second store of the sequence on. */
void page_memory_write(struct doyen_lease_page *page, const struct doyen_lease_content *content)
{
    uint64_t words[DOYEN_LEASE_WORDS];
    const uint64_t sequence = page->sequence; /* Nobody else writes it. */

    memcpy(words, content, sizeof *content);
    __atomic_store_n(&page->sequence, sequence + 1, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    write_words(page->content, words);
    __atomic_store_n(&page->sequence, sequence + 2, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    write_words(page->copy, words);
}

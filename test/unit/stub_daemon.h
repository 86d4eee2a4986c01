/* A daemon that answers as a test wants it to: one connection after the other, on a thread. */
#ifndef UNIT_STUB_DAEMON_H
#define UNIT_STUB_DAEMON_H

#include <pthread.h>
#include <stddef.h>

enum { STUB_ANSWERS_MAX = 8 };

struct stub_answer {
    const char *text;     /* all of it, with its head */
    const char *behind;   /* sent after that with descriptors; NULL: nothing */
    int descriptors;      /* with each byte of `behind` */
    int pause_ms;         /* before it answers */
    void (*before)(void); /* called before that, or NULL */
};

struct stub {
    char folder[32];
    char path[48]; /* of its control socket */
    int listener;
    pthread_t thread;
    struct stub_answer answers[STUB_ANSWERS_MAX];
    size_t count;
};

/* Answers so many requests, each on a connection of its own, with these in turn. */
void stub_open(struct stub *stub, const struct stub_answer *answers, size_t count);

/* Waits until it has given them all, and removes its folder. */
void stub_close(struct stub *stub);

#endif

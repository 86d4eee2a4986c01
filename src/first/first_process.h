#ifndef DOYEN_FIRST_FIRST_PROCESS_H
#define DOYEN_FIRST_FIRST_PROCESS_H

/* In a container the program may be process 1, which gets every orphan there is and has to reap it.
 * It is called before anything else is opened or started. In process 1 it returns in a child, which
 * is the program from then on; process 1 itself stays behind, reaps, hands signals on, and ends as
 * the child does. Any other process it leaves alone. */
void first_process_begin(void);

/* The same in any process that gets orphans. */
void first_process_split(void);

#endif

/* A system call that the kernel does not know, or refuses, from now on. */
#ifndef UNIT_REFUSED_CALL_H
#define UNIT_REFUSED_CALL_H

/* The call of that number ends with that errno for the rest of the test, which is a process of its
 * own; what that process starts is bound by it, too. */
void refuse_call(int number, int error);

#endif

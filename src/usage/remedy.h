/* What to do about a file that could not be written, or made: in one place, so that each program
 * says the same of the same disk. */
#ifndef USAGE_REMEDY_H
#define USAGE_REMEDY_H

/* "make room", for an errno; for any that is not of a disk "choose another place". */
const char *remedy_of_write(int error);

#endif

/* A folder that a test has made, with files in it. */
#ifndef TEST_UNIT_FOLDER_H
#define TEST_UNIT_FOLDER_H

/* Removes it with its files. There has to be nothing else in it, or the test fails. */
void folder_remove(const char *path);

#endif

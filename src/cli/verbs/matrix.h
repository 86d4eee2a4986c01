/* The matrix of who hears whom: what doyen matrix shows, and doyen links where all watch all. */
#ifndef CLI_MATRIX_H
#define CLI_MATRIX_H

#include "cli/request/cli.h"

/* Asks for the matrix and prints it; a failure has been reported. */
enum exit_code matrix_show(struct cli *cli);

#endif

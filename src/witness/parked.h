/* Memory that is looked at rarely: what in it is not zero is packed, and its pages go back to the
 * system until it is wanted again. So hundreds of cores at rest need a few kilobytes each. */
#ifndef WITNESS_PARKED_H
#define WITNESS_PARKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero at first: the memory is as it was made. */
struct parked {
    uint8_t *packed; /* NULL: nothing is packed, the memory itself holds all */
    size_t length;
};

/* Maps `size` bytes, all zero, to be parked; NULL: no memory. */
void *parked_map(size_t size);
void parked_unmap(void *memory, size_t size, struct parked *parked);

/* Packs it; does nothing when that was done, or there is no memory for it. */
void parked_pack(struct parked *parked, void *memory, size_t size);

/* The memory is as it was before; does nothing when nothing is packed. */
void parked_unpack(struct parked *parked, void *memory);

#endif

#include "marks.h"

#include <assert.h>
#include <stddef.h>

/* The linker's names for both ends of the section. */
extern struct mark __start_doyen_marks[];
extern struct mark __stop_doyen_marks[];

uint32_t marks_count(void)
{
    uint32_t count = (uint32_t)(__stop_doyen_marks - __start_doyen_marks);
    return count < MARKS_MAX ? count : MARKS_MAX;
}

const char *marks_name(uint32_t index)
{
    assert(index < marks_count());
    return __start_doyen_marks[index].name;
}

uint64_t marks_reached(uint32_t index)
{
    assert(index < marks_count());
    return __start_doyen_marks[index].count;
}

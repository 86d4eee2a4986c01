#include "marks.h"

#include <assert.h>
#include <stddef.h>

enum plant planted = PLANT_NONE;

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

#define PLANT_STRING(name, what) [PLANT_##name] = #name,
#define PLANT_WHAT(name, what) [PLANT_##name] = what,

const char *plant_name(enum plant plant)
{
    static const char *const names[PLANT_COUNT] = {PLANTS(PLANT_STRING)};
    return plant > PLANT_NONE && plant < PLANT_COUNT ? names[plant] : NULL;
}

const char *plant_text(enum plant plant)
{
    static const char *const texts[PLANT_COUNT] = {PLANTS(PLANT_WHAT)};
    return plant > PLANT_NONE && plant < PLANT_COUNT ? texts[plant] : NULL;
}

/* How many elements of a page are open at once. */

#include "kernels.h"

#include <string.h>

#define SLOTS 1024
#define MOST_NAMES 512

struct element {
    uint64_t name;
    int64_t open, most;
};

/* The first eight letters of the name that begins at a place, in lower case, as one number; 0 where none does. */
static uint64_t name_at(const uint8_t *html, int32_t size, int32_t at)
{
    uint64_t name = 0;
    for (int32_t letter = 0; letter < 8 && at + letter < size; letter++) {
        uint8_t lower = html[at + letter] | 0x20;
        if (lower < 0x40)
            break;
        name |= (uint64_t)lower << 8 * letter;
    }
    return name;
}

static int is_one_of(uint64_t name, const uint64_t *names, int32_t many)
{
    for (int32_t at = 0; at < many; at++)
        if (names[at] == name)
            return 1;
    return 0;
}

/* The slot of a name, or the free one where it belongs: there is always one. */
static struct element *slot_of(uint64_t name, struct element *elements)
{
    uint32_t at = (uint32_t)(name * 0x9E3779B97F4A7C15u >> 54);
    while (elements[at].name && elements[at].name != name)
        at = (at + 1) % SLOTS;
    return elements + at;
}

/* The number of `<`, of elements that are open at once, at most, but for the `shallow`, and of those for `formatting`;
   each name's own maximum is added up. 0 where there are more names than any honest page has, else 1. */
int32_t open_elements(const uint8_t *html, int32_t size, const uint64_t *shallow, int32_t many_shallow,
                      const uint64_t *formatting, int32_t many_formatting, int64_t *counts)
{
    struct element elements[SLOTS] = {{0, 0, 0}};
    int32_t names = 0;
    const uint8_t *end = html + size;
    for (int32_t count = 0; count < 3; count++)
        counts[count] = 0;
    for (const uint8_t *sign = html; (sign = memchr(sign, '<', (size_t)(end - sign))) != NULL; sign++) {
        int32_t at = (int32_t)(sign - html) + 1;
        counts[0]++;
        int ends = at < size && html[at] == '/';
        int begins = at < size && (html[at] | 0x20) >= 'a' && (html[at] | 0x20) <= 'z';
        uint64_t name = ends || begins ? name_at(html, size, at + ends) : 0;
        if (!name)
            continue;
        struct element *element = slot_of(name, elements);
        if (!element->name) {
            if (++names > MOST_NAMES)
                return 0;
            element->name = name;
        }
        element->open += ends ? -1 : 1;
        if (element->open > element->most)
            element->most = element->open;
    }
    for (int32_t at = 0; at < SLOTS; at++) {
        if (elements[at].most && !is_one_of(elements[at].name, shallow, many_shallow))
            counts[1] += elements[at].most;
        if (elements[at].most && is_one_of(elements[at].name, formatting, many_formatting))
            counts[2] += elements[at].most;
    }
    return 1;
}

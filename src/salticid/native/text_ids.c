/* Ids by hash: open addressing over slots, of which there are a power of two, some of them free. */

#include "kernels.h"

#define FREE (-1)

/* The slot of a hash, or the free one where it belongs. */
static int32_t *slot_of(int64_t hash, const int64_t *hashes, int32_t *slots, int64_t many_slots)
{
    int64_t at = hash & (many_slots - 1);
    while (slots[at] != FREE && hashes[slots[at]] != hash)
        at = (at + 1) & (many_slots - 1);
    return slots + at;
}

/* The id of each of `asked`; those that have none get the next, from `known` on, and their places go to `fresh`. How
   many these are. There is room for as many hashes more, and slots stay free. */
int32_t give_ids(const int64_t *asked, int32_t many, int64_t *hashes, int32_t known, int32_t *slots,
                 int64_t many_slots, int32_t *ids, int32_t *fresh)
{
    int32_t news = 0;
    for (int32_t each = 0; each < many; each++) {
        int32_t *slot = slot_of(asked[each], hashes, slots, many_slots);
        if (*slot == FREE) {
            hashes[known + news] = asked[each];
            *slot = known + news;
            fresh[news++] = each;
        }
        ids[each] = *slot;
    }
    return news;
}

/* What a table says of some places. 0 if one is not in it. */
int32_t look_up(const int32_t *table, int32_t size, const int32_t *places, int32_t many, int32_t *numbers)
{
    for (int32_t each = 0; each < many; each++) {
        if (places[each] < 0 || places[each] >= size)
            return 0;
        numbers[each] = table[places[each]];
    }
    return 1;
}

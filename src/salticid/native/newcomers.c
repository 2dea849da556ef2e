/* A table of texts that gives ids in order of arrival. It lies in arrays of Python's: the texts one behind the other,
   a line each, and where each ends; and slots, in which half of a text's hash stands beside its id and one more. `held`
   is how many texts there are, and how many bytes. */

#include <string.h>

#include "newcomers.h"

static uint64_t product(uint64_t one, uint64_t other)
{
    unsigned __int128 whole = (unsigned __int128)one * other;
    return (uint64_t)whole ^ (uint64_t)(whole >> 64);
}

/* With secrets, so that nobody can make up texts whose hashes are alike. */
static uint64_t hash_of(const uint8_t *text, int64_t size, const uint64_t *secrets)
{
    uint64_t hash = secrets[0] ^ (uint64_t)size;
    for (; size > 0; text += 16, size -= 16) {
        uint64_t two[2] = {0, 0};
        memcpy(two, text, size < 16 ? (size_t)size : 16);
        hash = product(two[0] ^ secrets[1], two[1] ^ hash) ^ secrets[2];
    }
    return product(hash, secrets[1]);
}

static uint64_t first_slot(uint64_t slot, int32_t bits)
{
    return slot >> (64 - bits);
}

/* The id of a text. There is room for one more: Python has seen to that. */
int32_t id_of(const uint8_t *text, int64_t size, const Newcomers *table)
{
    const uint64_t mask = ((uint64_t)1 << table->bits) - 1;
    uint64_t hash = hash_of(text, size, table->secrets) & 0xFFFFFFFF00000000u;
    uint64_t at = first_slot(hash, table->bits);
    for (uint64_t slot; (slot = table->slots[at]) != 0; at = (at + 1) & mask) {
        int32_t id = (int32_t)(uint32_t)slot - 1;
        if ((slot & 0xFFFFFFFF00000000u) != hash)
            continue;
        int64_t start = id == 0 ? 0 : table->ends[id - 1] + 1;
        if (table->ends[id] - start == size && memcmp(table->heap + start, text, (size_t)size) == 0)
            return id;
    }
    int64_t id = table->held[0], end = table->held[1] + size;
    memcpy(table->heap + table->held[1], text, (size_t)size);
    table->heap[end] = '\n';
    table->ends[id] = end;
    table->held[0] = id + 1;
    table->held[1] = end + 1;
    table->slots[at] = hash | (uint64_t)(id + 1);
    return (int32_t)id;
}

/* The ids of many texts, which stand one behind the other. */
void intern_texts(const uint8_t *texts, const int64_t *ends, int32_t many, const Newcomers *table, int32_t *ids)
{
    for (int32_t each = 0; each < many; each++) {
        int64_t start = each == 0 ? 0 : ends[each - 1];
        ids[each] = id_of(texts + start, ends[each] - start, table);
    }
}

/* All slots once more, in a larger array that is empty. */
void more_slots(const uint64_t *slots, int32_t bits, uint64_t *more, int32_t more_bits)
{
    const uint64_t mask = ((uint64_t)1 << more_bits) - 1;
    for (uint64_t each = 0; each < (uint64_t)1 << bits; each++) {
        if (slots[each] == 0)
            continue;
        uint64_t at = first_slot(slots[each], more_bits);
        while (more[at] != 0)
            at = (at + 1) & mask;
        more[at] = slots[each];
    }
}

/* Pieces of text between spaces, looked up in a table of slots: two numbers that hold a short piece, and its code. */

#include <string.h>

#include "kernels.h"

#define SHORT 16

typedef struct {
    uint64_t low, high;
} Key;

static Key key_of(const uint8_t *piece, int32_t size)
{
    Key key = {0, 0};
    memcpy(&key, piece, (size_t)size);
    return key;
}

static uint64_t *slot_of(Key key, uint64_t *slots, int32_t bits)
{
    uint64_t mixed = (key.low ^ key.high * 0xC2B2AE3D27D4EB4Fu) * 0x9E3779B97F4A7C15u;
    return slots + 3 * (mixed >> (64 - bits));
}

/* The code of each piece, in order. Of those that are in no slot the number, the start and the end go to `missing`.
   `counts` takes how many pieces there are, and how many are missing. */
void piece_codes(const uint8_t *text, int32_t size, uint64_t *slots, int32_t bits, int32_t *codes, int32_t *missing,
                 int32_t *counts)
{
    int32_t many = 0, misses = 0;
    for (int32_t end, start = 0; start < size; start = end) {
        while (start < size && text[start] == ' ')
            start++;
        end = start;
        while (end < size && text[end] != ' ')
            end++;
        if (end == start)
            break;
        const uint64_t *slot = NULL;
        if (end - start <= SHORT) {
            Key key = key_of(text + start, end - start);
            slot = slot_of(key, slots, bits);
            if (slot[0] != key.low || slot[1] != key.high)
                slot = NULL;
        }
        if (slot != NULL) {
            codes[many] = (int32_t)slot[2];
        } else {
            missing[3 * misses] = many;
            missing[3 * misses + 1] = start;
            missing[3 * misses++ + 2] = end;
        }
        many++;
    }
    counts[0] = many;
    counts[1] = misses;
}

/* Give codes to the missing pieces, and slots to those that are short. */
void keep_pieces(const uint8_t *text, const int32_t *missing, const int32_t *news, int32_t misses, uint64_t *slots,
                 int32_t bits, int32_t *codes)
{
    for (int32_t each = 0; each < misses; each++) {
        int32_t start = missing[3 * each + 1], end = missing[3 * each + 2];
        codes[missing[3 * each]] = news[each];
        if (end - start > SHORT)
            continue;
        Key key = key_of(text + start, end - start);
        uint64_t *slot = slot_of(key, slots, bits);
        slot[0] = key.low;
        slot[1] = key.high;
        slot[2] = (uint64_t)(int64_t)news[each];
    }
}

/* Eight bytes of a text looked at together, as one number whose lowest byte is the first. An answer has the highest bit
   of every byte that is meant. */

#ifndef SALTICID_EIGHT_BYTES_H
#define SALTICID_EIGHT_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint64_t all_bytes(uint8_t byte)
{
    return byte * (uint64_t)0x0101010101010101;
}

static inline uint64_t eight_of(const uint8_t *text)
{
    uint64_t eight;
    memcpy(&eight, text, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    return eight;
}

/* Bytes from `first` to `last`, both below 0x80, of those whose highest bit is not set. */
static inline uint64_t bytes_within(uint64_t eight, uint8_t first, uint8_t last)
{
    uint64_t low = eight & all_bytes(0x7F);
    uint64_t from_first = low + all_bytes((uint8_t)(0x80 - first));
    uint64_t behind_last = low + all_bytes((uint8_t)(0x7F - last));
    return from_first & ~behind_last & ~eight & all_bytes(0x80);
}

/* Of bytes that are equal to one, the first; there may be more in the answer than there are. */
static inline uint64_t bytes_that_are(uint64_t eight, uint8_t byte)
{
    uint64_t others = eight ^ all_bytes(byte);
    return (others - all_bytes(1)) & ~others & all_bytes(0x80);
}

/* The place of the first byte that is not 0; one is not. */
static inline int32_t first_byte(uint64_t eight)
{
    return __builtin_ctzll(eight) / 8;
}

/* The first so many bytes, fewer than eight. */
static inline uint64_t low_bytes(uint64_t eight, int32_t many)
{
    return eight & (((uint64_t)1 << 8 * many) - 1);
}

#endif

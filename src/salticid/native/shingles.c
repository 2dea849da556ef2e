/* Runs of words as numbers that say all of them. */

#include "kernels.h"

/* The finaliser of SplitMix64. */
static uint64_t mix(uint64_t number)
{
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9u;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EBu;
    return number ^ (number >> 31);
}

/* One for each run of `width` words; there are no fewer words than that. */
void shingles(const int32_t *tokens, int32_t size, const uint64_t *factors, int32_t width, uint64_t *hashes)
{
    for (int32_t first = 0; first + width <= size; first++) {
        uint64_t run = 0;
        for (int32_t next = 0; next < width; next++)
            run += (uint64_t)(int64_t)tokens[first + next] * factors[next];
        hashes[first] = mix(run);
    }
}

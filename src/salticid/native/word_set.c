/* A number for the set of a page's words. */

#include "kernels.h"

static uint64_t mixed(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0x9E3779B97F4A7C15u;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    return word ^ (word >> 31);
}

static void mark(const int32_t *tokens, int32_t size, uint8_t *met, int32_t words, uint8_t as)
{
    for (int32_t at = 0; at < size; at++)
        if (tokens[at] >= 0 && tokens[at] < words)
            met[tokens[at]] = as;
}

/* The sum over all different words but those left out. `met` holds a 0 for each word, before and after. */
uint64_t distinct_sum(const int32_t *tokens, int32_t size, const int32_t *left_out, int32_t many, uint8_t *met,
                      int32_t words)
{
    uint64_t sum = 0;
    mark(left_out, many, met, words, 1);
    for (int32_t at = 0; at < size; at++)
        if (tokens[at] >= 0 && tokens[at] < words && !met[tokens[at]]) {
            met[tokens[at]] = 1;
            sum += mixed((uint64_t)tokens[at] + 1);
        }
    mark(tokens, size, met, words, 0);
    mark(left_out, many, met, words, 0);
    return sum;
}

/* On how many pages of a site a row of words was found. */

#include <string.h>

#include "kernels.h"

#define DIGITS 2048

/* Each row once, ascending: sorted eleven bits at a time; `spare` has room for as many. How many they are. */
int32_t distinct_rows(uint32_t *rows, int32_t size, uint32_t *spare)
{
    int32_t many = 0;
    for (int shift = 0; shift < 32; shift += 11) {
        int32_t start[DIGITS + 1] = {0};
        for (int32_t at = 0; at < size; at++)
            start[((rows[at] >> shift) & (DIGITS - 1)) + 1]++;
        for (int digit = 0; digit < DIGITS; digit++)
            start[digit + 1] += start[digit];
        for (int32_t at = 0; at < size; at++)
            spare[start[(rows[at] >> shift) & (DIGITS - 1)]++] = rows[at];
        memcpy(rows, spare, (size_t)size * sizeof *rows);
    }
    for (int32_t at = 0; at < size; at++)
        if (many == 0 || rows[at] != rows[many - 1])
            rows[many++] = rows[at];
    return many;
}

/* What was counted before and what is new, as one, rows ascending and each once in either; how many rows there are. */
int32_t merged_counts(const uint32_t *rows, const int32_t *counts, int32_t many, const uint32_t *news,
                      const int32_t *times, int32_t more, uint32_t *both, int32_t *sums)
{
    int32_t old = 0, fresh = 0, at = 0;
    while (old < many && fresh < more) {
        int takes_old = rows[old] <= news[fresh], takes_fresh = news[fresh] <= rows[old];
        both[at] = takes_old ? rows[old] : news[fresh];
        sums[at++] = takes_old * counts[old] + takes_fresh * times[fresh];
        old += takes_old;
        fresh += takes_fresh;
    }
    for (; old < many; old++) {
        both[at] = rows[old];
        sums[at++] = counts[old];
    }
    for (; fresh < more; fresh++) {
        both[at] = news[fresh];
        sums[at++] = times[fresh];
    }
    return at;
}

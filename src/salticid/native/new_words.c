/* The words of a page of which nothing is known yet: each once, ascending; how many they are. A word beyond the tables is
   new, too. `news` has room for as many as the page has words. */

#include <stdlib.h>

#include "kernels.h"

static int compared(const void *one, const void *other)
{
    int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;
    return (a > b) - (a < b);
}

static int32_t distinct(int32_t *numbers, int32_t size)
{
    int32_t many = 0;
    qsort(numbers, (size_t)size, sizeof *numbers, compared);
    for (int32_t at = 0; at < size; at++)
        if (many == 0 || numbers[at] != numbers[many - 1])
            numbers[many++] = numbers[at];
    return many;
}

int32_t words_without_marks(const int32_t *tokens, int32_t size, const uint8_t *known, int32_t words, int32_t *news)
{
    int32_t many = 0;
    for (int32_t at = 0; at < size; at++)
        if (tokens[at] < 0 || tokens[at] >= words || !known[tokens[at]])
            news[many++] = tokens[at];
    return distinct(news, many);
}

/* Among a page's own words, all if `own` is nothing. */
int32_t words_without_stem(const int32_t *tokens, int32_t size, const uint8_t *own, const int32_t *stem_of,
                           int32_t words, int32_t *news)
{
    int32_t many = 0;
    for (int32_t at = 0; at < size; at++)
        if ((own == NULL || own[at]) && (tokens[at] < 0 || tokens[at] >= words || stem_of[tokens[at]] < 0))
            news[many++] = tokens[at];
    return distinct(news, many);
}

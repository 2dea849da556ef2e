/* The rows that lead to each URL, joined in a ring: from the last one to the first, and on in their order. */

#include "kernels.h"

/* Join the rows from the first on to the rings of their URLs. */
void join_rings(const int32_t *url, int32_t first, int32_t rows, int32_t *last, int32_t *next)
{
    for (int32_t row = first; row < rows; row++) {
        int32_t before = last[url[row]];
        next[row] = before < 0 ? row : next[before];
        if (before >= 0)
            next[before] = row;
        last[url[row]] = row;
    }
}

/* The words of all anchors in a ring, each once, as many as there is room for; 0 is no word. */
void anchor_words(int32_t last, const int32_t *next, const int32_t *words, int32_t width, int32_t *found, int32_t most)
{
    int32_t many = 0;
    for (int32_t row = last; last >= 0 && many < most;) {
        row = next[row];
        for (int32_t at = 0; at < width && many < most; at++) {
            int32_t word = words[(int64_t)width * row + at], before = 0;
            while (before < many && found[before] != word)
                before++;
            if (word != 0 && before == many)
                found[many++] = word;
        }
        if (row == last)
            break;
    }
}

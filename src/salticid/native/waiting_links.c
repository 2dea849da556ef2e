/* The links that wait: which is the best of them, and by which words others lead to one. */

#include "kernels.h"

/* The slot with the highest margin, the oldest of equals, whose host is not shut; -1 if there is none. */
int32_t best_slot(const double *margin, const int64_t *age, const uint8_t *is_free, int32_t slots, const int32_t *host,
                  const uint8_t *shut, int32_t hosts)
{
    int32_t best = -1;
    for (int32_t slot = 0; slot < slots; slot++) {
        if (best >= 0 && margin[slot] < margin[best])
            continue;
        if (is_free[slot] || (host[slot] >= 0 && host[slot] < hosts && shut[host[slot]]))
            continue;
        if (best < 0 || margin[slot] > margin[best] || age[slot] < age[best])
            best = slot;
    }
    return best;
}

/* The words of all anchors that lead to a URL, each once, as many as there is room for; 0 is no word. */
int32_t anchor_words(const int32_t *row_url, int32_t rows, const int32_t *words, int32_t width, int32_t url,
                     int32_t *found, int32_t most)
{
    int32_t many = 0;
    for (int32_t row = 0; row < rows; row++) {
        if (row_url[row] != url)
            continue;
        for (int32_t at = 0; at < width && many < most; at++) {
            int32_t word = words[(int64_t)width * row + at], before = 0;
            while (before < many && found[before] != word)
                before++;
            if (word != 0 && before == many)
                found[many++] = word;
        }
    }
    return many;
}

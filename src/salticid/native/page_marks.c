/* Which words of a page stand in headings, in lists of links, and in what its site repeats. */

#include <string.h>

#include "kernels.h"
#include "places.h"

static void mark(uint8_t *marks, int32_t size, int32_t start, int32_t end)
{
    start = within(start, size);
    end = within(end, size);
    if (end > start)
        memset(marks + start, 1, (size_t)(end - start));
}

static void mark_headings(const int32_t *area_start, const uint8_t *area, int32_t areas, int32_t rest, uint8_t *marks,
                          int32_t size)
{
    for (int32_t run = 0; run < areas; run++)
        if (area[run] != rest)
            mark(marks, size, area_start[run], run + 1 < areas ? area_start[run + 1] : size);
}

void heading_marks(const int32_t *area_start, const uint8_t *area, int32_t areas, int32_t rest, uint8_t *marks,
                   int32_t size)
{
    memset(marks, 0, (size_t)size);
    mark_headings(area_start, area, areas, rest, marks, size);
}

/* A list is `least` links or more in a row, no more than `between` words apart. */
static void mark_lists(const int32_t *start, const int32_t *end, int32_t links, int32_t least, int32_t between,
                       uint8_t *marks, int32_t size)
{
    int32_t first = 0;
    for (int32_t at = 1; at <= links; at++) {
        if (at < links && (int64_t)start[at] - end[at - 1] <= between)
            continue;
        if (at - first >= least)
            mark(marks, size, start[first], end[at - 1]);
        first = at;
    }
}

void list_marks(const int32_t *start, const int32_t *end, int32_t links, int32_t least, int32_t between,
                uint8_t *marks, int32_t size)
{
    memset(marks, 0, (size_t)size);
    mark_lists(start, end, links, least, between, marks, size);
}

/* The rows of `size` words from place `offset` on. The numbers of the words are written where rows will stand: of these
   there are never more than words read before. */
static int32_t rows_among(const int32_t *tokens, int32_t size, int32_t offset, const uint32_t *number,
                          const uint8_t *has_number, int32_t words, const uint32_t *factors, int32_t width,
                          uint32_t one_in, int32_t *at, uint32_t *rows)
{
    int32_t many = 0;
    for (int32_t place = 0; place < size; place++) {
        int32_t token = tokens[offset + place];
        if (token < 0 || token >= words || !has_number[token])
            return -1;
        rows[place] = number[token];
    }
    for (int32_t place = 0; place + width <= size; place++) {
        uint32_t row = 0;
        for (int32_t next = 0; next < width; next++)
            row += rows[place + next] * factors[next];
        row ^= row >> 16;
        at[many] = place + offset;
        rows[many] = row;
        many += row % one_in == 0;
    }
    return many;
}

/* Rows of `width` words, one in `one_in` of them, among the first and the last `edge` words of a page; how many, or -1
   if a word has no number yet. */
int32_t chosen_rows(const int32_t *tokens, int32_t size, int32_t edge, const uint32_t *number,
                    const uint8_t *has_number, int32_t words, const uint32_t *factors, int32_t width, uint32_t one_in,
                    int32_t *at, uint32_t *rows)
{
    int32_t first = size <= 2 * edge ? size : edge, last = size - first < edge ? size - first : edge;
    int32_t many = rows_among(tokens, first, 0, number, has_number, words, factors, width, one_in, at, rows);
    if (many < 0 || last == 0)
        return many;
    int32_t more = rows_among(tokens, last, size - last, number, has_number, words, factors, width, one_in, at + many,
                              rows + many);
    return more < 0 ? more : many + more;
}

static int is_among(uint32_t row, const uint32_t *known, int32_t knows)
{
    int32_t low = 0, high = knows;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (known[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < knows && known[low] == row;
}

#define SIEVE 4096

static inline uint32_t hole(uint32_t row)
{
    return (row >> 8) % SIEVE;
}

/* For each row whether it is among the known ones, which ascend. Most are not, and fall through a sieve. */
void known_rows(const uint32_t *rows, int32_t many, const uint32_t *known, int32_t knows, uint8_t *is_known)
{
    uint8_t sieve[SIEVE] = {0};
    for (int32_t at = 0; at < knows; at++)
        sieve[hole(known[at])] = 1;
    for (int32_t row = 0; row < many; row++)
        is_known[row] = sieve[hole(rows[row])] && is_among(rows[row], known, knows);
}

/* The words of a known row are repeated, and those between two known rows that follow each other. */
static void mark_repeated(const int32_t *at, const uint8_t *is_known, int32_t many, int32_t width, uint8_t *marks,
                          int32_t size)
{
    for (int32_t row = 0; row < many; row++)
        if (is_known[row])
            mark(marks, size, row > 0 && is_known[row - 1] ? at[row - 1] : at[row], at[row] + width);
}

/* Which of a page's words are its own: those in headings, and all that neither stand in lists of links nor in known
   rows, which its site repeats. Of the latter `sample[0]` at most, the first, are counted, which goes back there, and
   the stop words among them into `sample[1]`. How many words are its own, or -1 if it is not known of one of the sample
   whether it is a stop word; its own words are marked even so. */
int32_t own_words(const int32_t *tokens, int32_t size, const int32_t *area_start, const uint8_t *area, int32_t areas,
                  int32_t rest, const int32_t *start, const int32_t *end, int32_t links, int32_t least,
                  int32_t between, const int32_t *at, const uint8_t *is_known, int32_t rows, int32_t width,
                  const uint8_t *is_stop, const uint8_t *knows_stop, int32_t words, int32_t *sample, uint8_t *own)
{
    int32_t looked_at = 0, stop = 0, knows_all = 1, many = 0;
    memset(own, 0, (size_t)size);
    mark_lists(start, end, links, least, between, own, size);
    mark_repeated(at, is_known, rows, width, own, size);
    for (int32_t place = 0; place < size; place++)
        own[place] ^= 1;
    for (int32_t place = 0; place < size && looked_at < sample[0]; place++)
        if (own[place]) {
            int32_t token = tokens[place];
            looked_at++;
            if (token < 0 || token >= words || !knows_stop[token])
                knows_all = 0;
            else
                stop += is_stop[token];
        }
    sample[0] = looked_at;
    sample[1] = stop;
    mark_headings(area_start, area, areas, rest, own, size);
    for (int32_t place = 0; place < size; place++)
        many += own[place];
    return knows_all ? many : -1;
}

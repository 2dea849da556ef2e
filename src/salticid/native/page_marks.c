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

void heading_marks(const int32_t *area_start, const uint8_t *area, int32_t areas, int32_t rest, uint8_t *marks,
                   int32_t size)
{
    memset(marks, 0, (size_t)size);
    for (int32_t run = 0; run < areas; run++)
        if (area[run] != rest)
            mark(marks, size, area_start[run], run + 1 < areas ? area_start[run + 1] : size);
}

/* A list is `least` links or more in a row, no more than `between` words apart. */
void list_marks(const int32_t *start, const int32_t *end, int32_t links, int32_t least, int32_t between,
                uint8_t *marks, int32_t size)
{
    memset(marks, 0, (size_t)size);
    int32_t first = 0;
    for (int32_t at = 1; at <= links; at++) {
        if (at < links && start[at] - end[at - 1] <= between)
            continue;
        if (at - first >= least)
            mark(marks, size, start[first], end[at - 1]);
        first = at;
    }
}

/* Rows of `width` words, one in `one_in` of them; how many, or -1 if a word has no mark yet. */
int32_t chosen_rows(const int32_t *tokens, int32_t size, int32_t offset, const uint32_t *text_marks,
                    const uint8_t *has_mark, int32_t words, const uint32_t *factors, int32_t width, uint32_t one_in,
                    int32_t *at, uint32_t *rows)
{
    int32_t many = 0;
    for (int32_t place = 0; place < size; place++)
        if (tokens[place] < 0 || tokens[place] >= words || !has_mark[tokens[place]])
            return -1;
    for (int32_t place = 0; place + width <= size; place++) {
        uint32_t row = 0;
        for (int32_t next = 0; next < width; next++)
            row += text_marks[tokens[place + next]] * factors[next];
        row ^= row >> 16;
        if (row % one_in == 0) {
            at[many] = place + offset;
            rows[many++] = row;
        }
    }
    return many;
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

/* The words of a known row are repeated, and those between two known rows that follow each other. */
void repeated_marks(const int32_t *at, const uint32_t *rows, int32_t many, const uint32_t *known, int32_t knows,
                    int32_t width, uint8_t *marks, int32_t size)
{
    int before = 0;
    memset(marks, 0, (size_t)size);
    for (int32_t row = 0; row < many; row++) {
        int is_known = is_among(rows[row], known, knows);
        if (is_known)
            mark(marks, size, at[row], at[row] + width);
        if (is_known && before)
            mark(marks, size, at[row - 1], at[row]);
        before = is_known;
    }
}

/* A page's own words are those in headings, and all that neither stand in lists of links nor are repeated by its site.
   Of the latter `sample[0]` at most, the first, are counted, which goes back there, and the stop words among them into
   `sample[1]`. 0 if it is not known of one of these whether it is a stop word. */
int32_t own_marks(const int32_t *tokens, int32_t size, const uint8_t *heading, const uint8_t *list,
                  const uint8_t *repeated, const uint8_t *is_stop, const uint8_t *known, int32_t words,
                  int32_t *sample, uint8_t *own)
{
    int32_t looked_at = 0, stop = 0, knows_all = 1;
    for (int32_t at = 0; at < size; at++) {
        int is_text = !list[at] && !repeated[at];
        own[at] = is_text || heading[at];
        if (is_text && looked_at < sample[0]) {
            int32_t token = tokens[at];
            looked_at++;
            if (token < 0 || token >= words || !known[token])
                knows_all = 0;
            else
                stop += is_stop[token];
        }
    }
    sample[0] = looked_at;
    sample[1] = stop;
    return knows_all;
}

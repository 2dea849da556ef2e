/* What the rewards of pages say about the links on other pages, and about the places they were found at. */

#include "kernels.h"

/* What a row led to: the reward of that page, and 1 if there is one. */
typedef struct {
    double gain, page;
} Found;

/* The mean gain of the rows beside one on its page, up to `reach` away, the nearer ones weighing more. */
static double mean_beside(const int32_t *page, const Found *found, int32_t row, int32_t rows, int32_t reach,
                          double luck, double doubt)
{
    double total = 0.0, many = 0.0;
    for (int32_t far = 1; far <= reach; far++) {
        double share = 1.0 / far;
        if (row >= far && page[row - far] == page[row]) {
            total += share * found[row - far].gain;
            many += share * found[row - far].page;
        }
        if (row + far < rows && page[row + far] == page[row]) {
            total += share * found[row + far].gain;
            many += share * found[row + far].page;
        }
    }
    return (total + doubt * luck) / (many + doubt);
}

/* By page the sum of what its links led to, how many of them led to a page, how many there are and stand in lists;
   by row what the links beside it led to. `scratch` has room for two numbers of each row. */
void look_around(const int32_t *page, const int32_t *url, const Told *told, int32_t rows, const int32_t *row_of_url,
                 int32_t urls, const double *reward, int32_t reach, double luck, double doubt, Tally *by_page,
                 double *scratch, double *beside)
{
    Found *found = (Found *)scratch;
    double usual = (0.0 + doubt * luck) / (0.0 + doubt);
    int32_t nearest = reach - 1; /* the last row up to `reach` ahead that led to a page; one of the first may have */
    for (int32_t row = 0; row < rows; row++) {
        int32_t led_to = url[row] < urls ? row_of_url[url[row]] : -1;
        Tally *tally = &by_page[page[row]];
        found[row] = led_to < 0 ? (Found){0.0, 0.0} : (Found){reward[led_to], 1.0};
        tally->gain += found[row].gain;
        tally->pages += found[row].page;
        tally->links += 1.0;
        tally->in_lists += told[row].in_list;
    }
    for (int32_t row = 0; row < rows; row++) {
        if (row + reach < rows && found[row + reach].page > 0.0)
            nearest = row + reach;
        beside[row] = row - nearest > reach ? usual : mean_beside(page, found, row, rows, reach, luck, doubt);
    }
}

/* Nothing is known any more of what these keys are worth. */
void wipe_keys(const int32_t *keys, int64_t size, Gain *worth)
{
    for (int64_t at = 0; at < size; at++)
        worth[keys[at]] = (Gain){0.0, 0.0};
}

/* By key the means of the values of the rows it is in, drawn to 0 by doubt. Key 0 is no key. `many` is a 0 for each
   key, before and after; so is `worth` before. */
void mean_by_key(const int32_t *keys, int32_t rows, int32_t width, const Gain *values, double doubt, int32_t *many,
                 Gain *worth)
{
    int64_t size = (int64_t)rows * width;
    for (int32_t row = 0; row < rows; row++)
        for (int32_t at = 0; at < width; at++) {
            int32_t key = keys[(int64_t)width * row + at];
            if (key > 0) {
                worth[key].found += values[row].found;
                worth[key].door += values[row].door;
                many[key]++;
            }
        }
    for (int64_t at = 0; at < size; at++) {
        int32_t key = keys[at];
        if (key > 0 && many[key]) {
            worth[key].found /= many[key] + doubt;
            worth[key].door /= many[key] + doubt;
            many[key] = 0;
        }
    }
}

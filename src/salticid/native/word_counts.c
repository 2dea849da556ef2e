/* How often a page says each stem, and what that weighs. */

#include <math.h>
#include <string.h>

#include "kernels.h"
#include "places.h"

#define DIGITS 2048

/* Ascending, eleven bits at a time; `spare` has room for as many. */
static void sort(int32_t *terms, int32_t *spare, int32_t size, int32_t most)
{
    for (int shift = 0; shift < 31 && (most >> shift) > 0; shift += 11) {
        int32_t start[DIGITS + 1] = {0};
        for (int32_t at = 0; at < size; at++)
            start[((terms[at] >> shift) & (DIGITS - 1)) + 1]++;
        for (int digit = 0; digit < DIGITS; digit++)
            start[digit + 1] += start[digit];
        for (int32_t at = 0; at < size; at++)
            spare[start[(terms[at] >> shift) & (DIGITS - 1)]++] = terms[at];
        memcpy(terms, spare, (size_t)size * sizeof *terms);
    }
}

static int32_t count(int32_t stem, int32_t times, int32_t *scratch, int32_t *terms, int32_t many)
{
    terms[many] = stem;
    many += scratch[stem] == 0;
    scratch[stem] += times;
    return many;
}

/* Where it is noted of a stem, and of few others, that it may be the second of a phrase. */
#define NOTES 1024

static inline int32_t note(int32_t stem)
{
    return stem & (NOTES - 1);
}

/* The stems of a page's own words, all if `own` is nothing, ascending, and how often each is there: a word in a heading
   `times` times, two words that are a phrase, stop words aside, once more as a third (`phrases` holds three stems each).
   `scratch` holds a 0 for each stem, before and after; `terms` and `counts` have room for as many as there are words,
   the phrases, and one more. First those that are no stop words are put one after the other, where counts will stand:
   that takes no jumps that a processor would have to guess. How many stems there are, or -1 if a word has none yet. */
int32_t word_counts(const int32_t *tokens, int32_t size, const uint8_t *own, const uint8_t *heading, int32_t times,
                    const int32_t *stem_of, int32_t words, const int32_t *phrases, int32_t many_phrases,
                    int32_t *scratch, int32_t stems, int32_t *terms, int64_t *counts)
{
    int32_t *said = (int32_t *)counts, says = 0, many = 0, last = STOP, last_heading = STOP;
    uint8_t is_second[NOTES] = {0};
    for (int32_t each = 0; each < many_phrases; each++)
        is_second[note(phrases[3 * each + 1])] = 1;
    for (int32_t at = 0; at < size; at++) {
        int32_t stem = tokens[at] >= 0 && tokens[at] < words ? stem_of[tokens[at]] : -1;
        int is_own = own == NULL || own[at];
        if (is_own && (stem < 0 || stem >= stems))
            return -1;
        said[says] = 2 * stem + (heading != NULL && heading[at]);
        says += is_own && stem != STOP;
    }
    for (int32_t at = 0; at < says; at++) {
        int32_t stem = said[at] / 2, is_heading = said[at] % 2;
        many = count(stem, is_heading ? times : 1, scratch, terms, many);
        for (int32_t each = 0; is_second[note(stem)] && each < many_phrases; each++) {
            const int32_t *phrase = phrases + 3 * each;
            if (phrase[1] != stem)
                continue;
            if (phrase[0] == last)
                many = count(phrase[2], 1, scratch, terms, many);
            if (is_heading && phrase[0] == last_heading)
                many = count(phrase[2], times - 1, scratch, terms, many);
        }
        last = stem;
        last_heading = is_heading ? stem : last_heading;
    }
    sort(terms, (int32_t *)counts, many, stems);
    for (int32_t at = 0; at < many; at++) {
        counts[at] = scratch[terms[at]];
        scratch[terms[at]] = 0;
    }
    return many;
}

/* The sum of the products of how often a page says each stem and how often a query does, and the sum of the squares of
   the former. `scratch` holds a 0 for each stem, before and after; `terms` has room for as many as there are words. 0 if
   a word has no stem yet. */
int32_t count_alike(const int32_t *tokens, int32_t size, const int32_t *stem_of, int32_t words, int32_t *scratch,
                    int32_t stems, int32_t *terms, const int32_t *query, const int64_t *times, int32_t asked,
                    int64_t *sums)
{
    int32_t says = 0, many = 0;
    int64_t product = 0, square = 0;
    for (int32_t at = 0; at < size; at++) {
        int32_t stem = tokens[at] >= 0 && tokens[at] < words ? stem_of[tokens[at]] : -1;
        if (stem < 0 || stem >= stems)
            return 0;
        terms[says] = stem;
        says += stem != STOP;
    }
    for (int32_t at = 0; at < says; at++) {
        int32_t stem = terms[at], times_before = scratch[stem];
        square += 2 * (int64_t)times_before + 1;
        scratch[stem] = times_before + 1;
        terms[many] = stem;
        many += times_before == 0;
    }
    for (int32_t each = 0; each < asked; each++)
        if (query[each] >= 0 && query[each] < stems)
            product += times[each] * scratch[query[each]];
    for (int32_t each = 0; each < many; each++)
        scratch[terms[each]] = 0;
    sums[0] = product;
    sums[1] = square;
    return 1;
}

static int32_t place_of(int32_t term, const int32_t *terms, int32_t size)
{
    int32_t low = 0, high = size;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (terms[middle] < term)
            low = middle + 1;
        else
            high = middle;
    }
    return low < size && terms[low] == term ? low : -1;
}

/* (1 + log f) * rarity, the lower of two rarities if there is another language; at length 1, times `length`. A phrase,
   each of which is named once, weighs `share` of that. Terms ascend. 0 if a rarity is not known yet, or f has no
   logarithm here. */
int32_t rare_weights(const int32_t *terms, const int64_t *counts, int32_t size, const double *logs, int32_t many_logs,
                     const double *rarity, const double *other, int32_t stems, const int32_t *phrases,
                     int32_t many_phrases, double share, double length, double *weights)
{
    for (int32_t at = 0; at < size; at++) {
        if (terms[at] < 0 || terms[at] >= stems || counts[at] < 0 || counts[at] >= many_logs)
            return 0;
        double rare = rarity[terms[at]];
        if (rare == 0.0 || (other != NULL && other[terms[at]] == 0.0))
            return 0;
        if (other != NULL && other[terms[at]] < rare)
            rare = other[terms[at]];
        weights[at] = (1.0 + logs[counts[at]]) * rare;
    }
    for (int32_t each = 0; each < many_phrases; each++) {
        int32_t place = place_of(phrases[each], terms, size);
        if (place >= 0)
            weights[place] *= share;
    }
    double square = exact_dense_product(weights, weights, size), unit = square > 0.0 ? sqrt(square) : 1.0;
    for (int32_t at = 0; at < size; at++)
        weights[at] = weights[at] / unit * length;
    return 1;
}

/* Sums that are rounded once, as Python's math.fsum rounds them: the order of what is added changes nothing. */

#include "kernels.h"

/* So many parts of different size can a sum of doubles have, and some more. */
#define MOST_PARTS 64

typedef struct {
    double part[MOST_PARTS];
    int size;
} Sum;

/* The parts do not overlap, the smallest first; together they are the exact sum (Shewchuk 1997). */
static void add(Sum *sum, double value)
{
    int kept = 0;
    for (int at = 0; at < sum->size; at++) {
        double other = sum->part[at];
        double large = value, small = other;
        if ((value < 0 ? -value : value) < (other < 0 ? -other : other)) {
            large = other;
            small = value;
        }
        double high = large + small;
        double low = small - (high - large);
        if (low != 0.0)
            sum->part[kept++] = low;
        value = high;
    }
    if (kept == MOST_PARTS) /* which only what is no number brings about */
        kept--;
    if (value != 0.0)
        sum->part[kept++] = value;
    sum->size = kept;
}

/* Rounded half to even, as if the sum were one number: the part below a half decides where it lies between two. */
static double rounded(const Sum *sum)
{
    int at = sum->size;
    double high = 0.0, low = 0.0;
    if (at == 0)
        return 0.0;
    high = sum->part[--at];
    while (at > 0) {
        double before = high, value = sum->part[--at];
        high = before + value;
        low = value - (high - before);
        if (low != 0.0)
            break;
    }
    if (at > 0 && ((low < 0.0 && sum->part[at - 1] < 0.0) || (low > 0.0 && sum->part[at - 1] > 0.0))) {
        double twice = low * 2.0, other = high + twice;
        if (twice == other - high)
            high = other;
    }
    return high;
}

/* A sum in two floats, of which the second collects what the first loses when it is rounded, and the size of all that.
   It is several times as quick as one of many parts, and nearly always near enough to know how that would be rounded. */
typedef struct {
    double high, low, lost;
    int32_t many;
} QuickSum;

static inline void add_quickly(QuickSum *sum, double value)
{
    double high = sum->high + value, back = high - sum->high;
    double lost = (sum->high - (high - back)) + (value - back);
    sum->high = high;
    sum->low += lost;
    sum->lost += lost < 0 ? -lost : lost;
    sum->many++;
}

/* Whether it is certain what the exact sum is rounded to: also if the second float, a sum of `many` numbers, is wrong by
   twice what its roundings can make of them, the nearest float is the same. */
static int is_certain(const QuickSum *sum, double *nearest)
{
    double rest, doubt;
    *nearest = sum->high + sum->low;
    rest = sum->low - (*nearest - sum->high);
    doubt = (sum->lost * sum->many + (rest < 0 ? -rest : rest)) * 0x1p-51;
    return *nearest != 0.0 && *nearest + (rest + doubt) == *nearest && *nearest + (rest - doubt) == *nearest;
}

/* A place beyond the dense vector adds nothing. */
static double product_at(const int32_t *places, int32_t at, const double *weights, const double *dense, int32_t length)
{
    return places[at] >= 0 && places[at] < length ? weights[at] * dense[places[at]] : 0.0;
}

double exact_product(const int32_t *places, const double *weights, int32_t size, const double *dense, int32_t length)
{
    QuickSum quick = {0};
    Sum sum = {.size = 0};
    double nearest;
    for (int32_t at = 0; at < size; at++)
        add_quickly(&quick, product_at(places, at, weights, dense, length));
    if (is_certain(&quick, &nearest))
        return nearest;
    for (int32_t at = 0; at < size; at++)
        add(&sum, product_at(places, at, weights, dense, length));
    return rounded(&sum);
}

double exact_dense_product(const double *one, const double *other, int32_t size)
{
    QuickSum quick = {0};
    Sum sum = {.size = 0};
    double nearest;
    for (int32_t at = 0; at < size; at++)
        add_quickly(&quick, one[at] * other[at]);
    if (is_certain(&quick, &nearest))
        return nearest;
    for (int32_t at = 0; at < size; at++)
        add(&sum, one[at] * other[at]);
    return rounded(&sum);
}

/* The product of each of many vectors, one after the other up to its end. */
void exact_products(const int32_t *places, const double *weights, const int64_t *ends, int32_t many,
                    const double *dense, int32_t length, double *products)
{
    int64_t start = 0;
    for (int32_t each = 0; each < many; each++) {
        products[each] = exact_product(places + start, weights + start, (int32_t)(ends[each] - start), dense, length);
        start = ends[each];
    }
}

/* The sum of the vectors, each so many times, in their order. */
void add_weights(double *dense, int32_t length, const int32_t *places, const double *weights, const int64_t *ends,
                 int32_t many, const double *factors)
{
    int64_t at = 0;
    for (int32_t each = 0; each < many; each++)
        for (; at < ends[each]; at++)
            if (places[at] >= 0 && places[at] < length)
                dense[places[at]] += factors[each] * weights[at];
}

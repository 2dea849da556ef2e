/* What is known of waiting links, and what follows from it: the features of `parts/hunter/features.py`, in its order. */

#include <math.h>

#include "kernels.h"

#define FEATURES (2 * TEXTS + 31)
#define WORDS 4
#define GOOD 0.5
#define ENOUGH_EXAMPLES 3.0
#define FROM_SEED (-1)

/* So many links are added up side by side, what comes so many links later is fetched, so many roots are kept. */
#define ABREAST 4
#define LATER 6
#define ROOTS 64

/* What a row says: of these both the sum and the highest value count, */
enum { TEXT, REWARD = TEXTS, HUB, BESIDE, GAIN, TITLE, AWAY, BOTH };
/* of these the sum. */
enum { EXAMPLE, IS_GOOD, CROWD, EARLY, HUB_ABOVE, BESIDE_ABOVE, IN_LIST, LEAVES_HOST, SUMS };

/* What the rows that lead to one link come to. */
typedef struct {
    double many, best_door, all[BOTH], best[BOTH], sum[SUMS];
} Seen;

static double higher(double one, double other)
{
    return other > one ? other : one;
}

static double root(double sum)
{
    return sum > 0.0 ? sqrt(sum) : 0.0;
}

/* The root of a whole number, which is in the table if it is small. */
static double root_of_count(double count, const double *roots)
{
    return count >= 0.0 && count < ROOTS ? roots[(int)count] : root(count);
}

static double mean(double sum, double many)
{
    return many > 1.0 ? sum / many : sum;
}

/* The last is what a key is worth that nothing was found by. */
static inline Gain worth_of(Worth worth, int32_t key)
{
    return worth.by_key[(uint32_t)key < (uint32_t)worth.last ? key : worth.last];
}

static inline Gain worth_of_words(Worth worth, const int32_t *keys)
{
    Gain sum = worth_of(worth, keys[0]);
    for (int at = 1; at < WORDS; at++) {
        Gain gain = worth_of(worth, keys[at]);
        sum.found += gain.found;
        sum.door += gain.door;
    }
    return sum;
}

static double reward_of(const Pages *pages, int32_t page)
{
    float liking = pages->feedback[page];
    double reward = pages->score[page] / pages->full;
    if (!isnan(liking))
        return liking;
    return reward < 1.0 ? reward : 1.0;
}

/* What all links of a page have in common. */
typedef struct {
    double is_example, is_good, reward, away, crowd, hub, hub_above;
} Source;

static Source source_of(int32_t page, const Pages *pages, const Around *around)
{
    double reward = reward_of(pages, page), hub = page < around->hubs ? around->hub[page] : around->luck;
    return (Source){
        pages->is_example[page],
        reward >= GOOD,
        reward,
        1.0 / (1.0 + pages->away[page]),
        1.0 / (1.0 + sqrt((double)pages->links[page])),
        hub,
        higher(0.0, hub - around->luck),
    };
}

static void see(Seen *seen, const Evidence *rows, int32_t row, const Source *source, const Around *around)
{
    const Told *told = &rows->told[row];
    const int32_t *words = rows->words + (int64_t)WORDS * row;
    double beside = row < around->besides ? around->beside[row] : around->luck;
    Gain gain = worth_of_words(around->anchor, words);
    double both[BOTH], sum[SUMS];
    for (int at = 0; at < TEXTS; at++)
        both[TEXT + at] = told->text[at];
    both[REWARD] = source->reward;
    both[HUB] = source->hub;
    both[BESIDE] = beside;
    both[GAIN] = gain.found;
    both[TITLE] = told->title;
    both[AWAY] = source->away;
    sum[EXAMPLE] = source->is_example;
    sum[IS_GOOD] = source->is_good;
    sum[CROWD] = source->crowd;
    sum[EARLY] = told->early;
    sum[HUB_ABOVE] = source->hub_above;
    sum[BESIDE_ABOVE] = higher(0.0, beside - around->luck);
    sum[IN_LIST] = told->in_list;
    sum[LEAVES_HOST] = told->leaves_host;
    seen->many += 1.0;
    seen->best_door = higher(seen->best_door, gain.door);
    for (int at = 0; at < BOTH; at++) {
        seen->all[at] += both[at];
        seen->best[at] = higher(seen->best[at], both[at]);
    }
    for (int at = 0; at < SUMS; at++)
        seen->sum[at] += sum[at];
}

/* Have a row at hand that is looked at a little later, for it lies anywhere. */
static void fetch_row(int32_t row, const Evidence *rows, const Around *around)
{
    __builtin_prefetch(&rows->next[row]);
    __builtin_prefetch(&rows->page[row]);
    __builtin_prefetch(&rows->told[row]);
    __builtin_prefetch(rows->words + (int64_t)WORDS * row);
    __builtin_prefetch(&around->beside[row < around->besides ? row : 0]);
}

/* The same for what is known of a link. */
static void fetch_link(const int32_t *slot, const Evidence *rows, const Around *around, const Addresses *addresses,
                       const Waiting *waiting)
{
    int32_t url = waiting->url[*slot], later = waiting->url[slot[LATER]];
    __builtin_prefetch(&rows->last[later < rows->urls ? later : 0]);
    __builtin_prefetch(addresses->words + (int64_t)WORDS * url);
    __builtin_prefetch(addresses->places + 2 * (int64_t)url);
    if (url < rows->urls && rows->last[url] >= 0)
        fetch_row(rows->last[url], rows, around);
}

/* All rows from the first on that lead to a URL, in their order. `source` holds those of the pages from `page` on. */
static Seen seen_of(int32_t url, const Evidence *rows, int32_t first, const Source *source, int32_t page,
                    const Around *around)
{
    Seen seen = {0};
    int32_t last = url < rows->urls ? rows->last[url] : -1;
    for (int32_t row = last; last >= 0;) {
        row = rows->next[row];
        fetch_row(rows->next[row], rows, around);
        if (row >= first)
            see(&seen, rows, row, &source[rows->page[row] - page], around);
        if (row == last)
            break;
    }
    return seen;
}

/* How much some words speak for the topic, by both profiles. */
static Weight likeness(const int32_t *words, const Weight *weights, int32_t size, const double *roots)
{
    Weight sum = {0.0, 0.0};
    int32_t many = 0;
    for (int at = 0; at < WORDS; at++) {
        int is_known = words[at] >= 0 && words[at] < size;
        sum.learned += is_known ? weights[words[at]].learned : 0.0;
        sum.topic += is_known ? weights[words[at]].topic : 0.0;
        many += words[at] != 0;
    }
    double share = 1.0 / roots[many > 1 ? many : 1];
    return (Weight){sum.learned * share, sum.topic * share};
}

static void describe(const Seen *seen, const Around *around, const Addresses *addresses, int32_t url,
                     const double *roots, double *feature)
{
    const int32_t *words = addresses->words + (int64_t)WORDS * url;
    int32_t host = addresses->places[2 * (int64_t)url];
    Gain in_folder = worth_of(around->folder, addresses->places[2 * (int64_t)url + 1]);
    double many = seen->many;
    Weight alike = likeness(words, addresses->weights, addresses->stems, roots);
    for (int at = 0; at < TEXTS; at++) {
        *feature++ = root(seen->all[TEXT + at]);
        *feature++ = seen->best[TEXT + at];
    }
    *feature++ = alike.learned;
    *feature++ = alike.topic;
    *feature++ = root_of_count(many, roots);
    *feature++ = seen->sum[EXAMPLE] < ENOUGH_EXAMPLES ? seen->sum[EXAMPLE] : ENOUGH_EXAMPLES;
    *feature++ = root_of_count(seen->sum[IS_GOOD], roots);
    *feature++ = root(seen->all[REWARD]);
    *feature++ = seen->best[REWARD];
    *feature++ = mean(seen->all[REWARD], many);
    *feature++ = seen->best[AWAY];
    *feature++ = mean(seen->sum[CROWD], many);
    *feature++ = mean(seen->sum[EARLY], many);
    *feature++ = root(seen->sum[HUB_ABOVE]);
    *feature++ = seen->best[HUB];
    *feature++ = mean(seen->all[HUB], many);
    *feature++ = root(seen->sum[BESIDE_ABOVE]);
    *feature++ = seen->best[BESIDE];
    *feature++ = mean(seen->all[BESIDE], many);
    *feature++ = worth_of(around->host, host).found;
    *feature++ = in_folder.found;
    *feature++ = seen->all[GAIN];
    *feature++ = seen->best[GAIN];
    *feature++ = worth_of_words(around->address, words).found;
    *feature++ = in_folder.door;
    *feature++ = seen->best_door;
    *feature++ = seen->best[TITLE];
    *feature++ = mean(seen->all[TITLE], many);
    *feature++ = mean(seen->sum[IN_LIST], many);
    *feature++ = root_of_count(many - seen->sum[IN_LIST], roots);
    *feature++ = mean(seen->sum[LEAVES_HOST], many);
    *feature++ = around->luck;
    *feature++ = 1.0;
}

int32_t features_of_links(void)
{
    return FEATURES;
}

int32_t doubles_of_source(void)
{
    return (int32_t)(sizeof(Source) / sizeof(double));
}

static inline double part(const double *feature, const double *weights, const double *bounds, int each)
{
    return weights[each] * (feature[each] < bounds[each] ? feature[each] : bounds[each]);
}

/* What the features of four links come to. Each sum has to wait for its last part; side by side they need not. */
static void add_up(double feature[ABREAST][FEATURES], const double *weights, const double *bounds, double *margin)
{
    double first = 0.0, second = 0.0, third = 0.0, fourth = 0.0;
    for (int each = 0; each < FEATURES; each++) {
        first += part(feature[0], weights, bounds, each);
        second += part(feature[1], weights, bounds, each);
        third += part(feature[2], weights, bounds, each);
        fourth += part(feature[3], weights, bounds, each);
    }
    margin[0] = first;
    margin[1] = second;
    margin[2] = third;
    margin[3] = fourth;
}

/* Score the links in some slots by the rows of evidence from the first to the last; seeds get a margin of their own.
   The features go into a table with a row for each slot. `scratch` has room for a source of each page from that of the
   first row to that of the last. */
void score_links(const int32_t *slot, int32_t links, const Evidence *rows, int32_t first, int32_t last,
                 const Pages *pages, const Around *around, const Addresses *addresses, const Waiting *waiting,
                 const double *weights, const double *bounds, double seed_margin, double *scratch)
{
    double feature[ABREAST][FEATURES] = {{0.0}}, margin[ABREAST], roots[ROOTS];
    int32_t page = first < last ? rows->page[first] : 0;
    Source *source = (Source *)scratch;
    for (int count = 0; count < ROOTS; count++)
        roots[count] = sqrt(count);
    for (int32_t row = first; row < last; row++)
        if (row == first || rows->page[row] != rows->page[row - 1])
            source[rows->page[row] - page] = source_of(rows->page[row], pages, around);
    for (int32_t from = 0; from < links; from += ABREAST) {
        int32_t many = links - from < ABREAST ? links - from : ABREAST;
        for (int32_t link = 0; link < many; link++) {
            int32_t at = slot[from + link], url = waiting->url[at];
            if (from + link + 2 * LATER < links)
                fetch_link(&slot[from + link + LATER], rows, around, addresses, waiting);
            Seen seen = seen_of(url, rows, first, source, page, around);
            float *row = waiting->features + (int64_t)FEATURES * at;
            describe(&seen, around, addresses, url, roots, feature[link]);
            for (int each = 0; each < FEATURES; each++)
                row[each] = (float)feature[link][each];
        }
        add_up(feature, weights, bounds, margin);
        for (int32_t link = 0; link < many; link++) {
            int32_t at = slot[from + link];
            waiting->margin[at] = waiting->source[at] == FROM_SEED ? seed_margin : margin[link];
        }
    }
}

/* Of the first `many` features of a link those that add or take most, the strongest first, and what each comes to. */
void strongest_parts(const float *features, const double *weights, const double *bounds, int32_t many, int32_t most,
                     int32_t *places, double *parts)
{
    int32_t found = 0;
    for (int32_t each = 0; each < many; each++) {
        double value = features[each] < bounds[each] ? features[each] : bounds[each];
        double mine = weights[each] * value;
        int32_t at = found < most ? found++ : most;
        for (; at > 0 && fabs(mine) > fabs(parts[at - 1]); at--)
            if (at < most) {
                places[at] = places[at - 1];
                parts[at] = parts[at - 1];
            }
        if (at < most) {
            places[at] = each;
            parts[at] = mine;
        }
    }
}

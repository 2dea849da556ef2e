/* What is known of waiting links, and what follows from it: the features of `parts/hunter/features.py`, in its order. */

#include <math.h>
#include <string.h>

#include "kernels.h"

#define TEXTS 4
#define WORDS 4
#define GOOD 0.5
#define ENOUGH_EXAMPLES 3.0

/* What the rows that lead to one link come to. */
typedef struct {
    double many, text[TEXTS], best_text[TEXTS];
    double examples, good, reward, best_reward, best_away, crowd, early;
    double hub_above, best_hub, hub, beside_above, best_beside, beside;
    double gain, best_gain, best_door, best_title, title, in_list, leaves_host;
} Seen;

static double higher(double one, double other)
{
    return other > one ? other : one;
}

static double root(double sum)
{
    return sqrt(sum > 0.0 ? sum : 0.0);
}

static double worth_of(Worth worth, int32_t key)
{
    return worth.by_key[key < 0 ? 0 : key < worth.last ? key : worth.last];
}

static double worth_of_words(Worth worth, const int32_t *keys)
{
    double sum = worth_of(worth, keys[0]);
    for (int at = 1; at < WORDS; at++)
        sum += worth_of(worth, keys[at]);
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
    int32_t page;
    double is_example, reward, away, crowd, hub;
} Source;

static Source source_of(int32_t page, const Pages *pages, const Around *around)
{
    return (Source){
        page,
        pages->is_example[page],
        reward_of(pages, page),
        1.0 / (1.0 + pages->away[page]),
        1.0 / (1.0 + sqrt((double)pages->links[page])),
        page < around->hubs ? around->hub[page] : around->luck,
    };
}

static void see(Seen *seen, const Evidence *rows, int32_t row, const Source *source, const Around *around)
{
    double reward = source->reward, hub = source->hub;
    double beside = row < around->besides ? around->beside[row] : around->luck;
    double gain = worth_of_words(around->anchor, rows->words + (int64_t)WORDS * row);
    double door = worth_of_words(around->door_anchor, rows->words + (int64_t)WORDS * row);
    seen->many += 1.0;
    for (int at = 0; at < TEXTS; at++) {
        double text = rows->text[(int64_t)TEXTS * row + at];
        seen->text[at] += text;
        seen->best_text[at] = higher(seen->best_text[at], text);
    }
    seen->examples += source->is_example;
    seen->good += reward >= GOOD;
    seen->reward += reward;
    seen->best_reward = higher(seen->best_reward, reward);
    seen->best_away = higher(seen->best_away, source->away);
    seen->crowd += source->crowd;
    seen->early += rows->early[row];
    seen->hub_above += higher(0.0, hub - around->luck);
    seen->best_hub = higher(seen->best_hub, hub);
    seen->hub += hub;
    seen->beside_above += higher(0.0, beside - around->luck);
    seen->best_beside = higher(seen->best_beside, beside);
    seen->beside += beside;
    seen->gain += gain;
    seen->best_gain = higher(seen->best_gain, gain);
    seen->best_door = higher(seen->best_door, door);
    seen->best_title = higher(seen->best_title, rows->title[row]);
    seen->title += rows->title[row];
    seen->in_list += rows->in_list[row];
    seen->leaves_host += rows->leaves_host[row];
}

static double likeness(const int32_t *words, const double *weights, int32_t size)
{
    double sum = 0.0;
    int32_t many = 0;
    for (int at = 0; at < WORDS; at++) {
        sum += words[at] >= 0 && words[at] < size ? weights[words[at]] : 0.0;
        many += words[at] != 0;
    }
    return sum * (1.0 / sqrt(many > 1 ? many : 1));
}

static void describe(const Seen *seen, const Around *around, const Addresses *addresses, int32_t url, double *feature)
{
    const int32_t *words = addresses->words + (int64_t)WORDS * url;
    int32_t host = addresses->places[2 * (int64_t)url], folder = addresses->places[2 * (int64_t)url + 1];
    double many = higher(1.0, seen->many);
    for (int at = 0; at < TEXTS; at++) {
        *feature++ = root(seen->text[at]);
        *feature++ = seen->best_text[at];
    }
    *feature++ = likeness(words, addresses->learned, addresses->stems);
    *feature++ = likeness(words, addresses->topic, addresses->stems);
    *feature++ = root(seen->many);
    *feature++ = seen->examples < ENOUGH_EXAMPLES ? seen->examples : ENOUGH_EXAMPLES;
    *feature++ = root(seen->good);
    *feature++ = root(seen->reward);
    *feature++ = seen->best_reward;
    *feature++ = seen->reward / many;
    *feature++ = seen->best_away;
    *feature++ = seen->crowd / many;
    *feature++ = seen->early / many;
    *feature++ = root(seen->hub_above);
    *feature++ = seen->best_hub;
    *feature++ = seen->hub / many;
    *feature++ = root(seen->beside_above);
    *feature++ = seen->best_beside;
    *feature++ = seen->beside / many;
    *feature++ = worth_of(around->host, host);
    *feature++ = worth_of(around->folder, folder);
    *feature++ = seen->gain;
    *feature++ = seen->best_gain;
    *feature++ = worth_of_words(around->address, words);
    *feature++ = worth_of(around->door_folder, folder);
    *feature++ = seen->best_door;
    *feature++ = seen->best_title;
    *feature++ = seen->title / many;
    *feature++ = seen->in_list / many;
    *feature++ = root(seen->many - seen->in_list);
    *feature++ = seen->leaves_host / many;
    *feature++ = around->luck;
    *feature++ = 1.0;
}

int32_t features_of_links(void)
{
    return 2 * TEXTS + 31;
}

int32_t doubles_of_seen(void)
{
    return (int32_t)(sizeof(Seen) / sizeof(double));
}

/* Score the links in some slots by the rows of evidence from the first to the last. `number` holds -1 for each slot,
   before and after. The features go into a table with a row for each slot. */
void score_links(const int32_t *slot, int32_t links, const Evidence *rows, int32_t first, int32_t last,
                 const Pages *pages, const Around *around, const Addresses *addresses, const Waiting *waiting,
                 const double *weights, const double *bounds, int32_t *number, double *scratch)
{
    Seen *seen = (Seen *)scratch;
    double feature[2 * TEXTS + 31];
    Source source = {.page = -1};
    memset(seen, 0, (size_t)links * sizeof *seen);
    for (int32_t link = 0; link < links; link++)
        number[slot[link]] = link;
    for (int32_t row = first; row < last; row++) {
        int32_t url = rows->url[row], at = url < waiting->urls ? waiting->slot_of[url] : -1;
        if (at < 0 || number[at] < 0)
            continue;
        if (source.page != rows->page[row])
            source = source_of(rows->page[row], pages, around);
        see(&seen[number[at]], rows, row, &source, around);
    }
    for (int32_t link = 0; link < links; link++) {
        int32_t at = slot[link];
        double margin = 0.0;
        float *row = waiting->features + (int64_t)features_of_links() * at;
        describe(&seen[link], around, addresses, waiting->url[at], feature);
        for (int32_t each = 0; each < features_of_links(); each++) {
            double value = feature[each] < bounds[each] ? feature[each] : bounds[each];
            margin += weights[each] * value;
            row[each] = (float)feature[each];
        }
        waiting->margin[at] = margin;
        number[at] = -1;
    }
}

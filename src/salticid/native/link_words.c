/* What is told of the links of a page: how much the words at and around each speak for the topic, and how it stands. */

#include <math.h>

#include "kernels.h"
#include "places.h"

/* The number and the weights of all words before a place, stop words aside. */
typedef struct {
    double words, learned, topic;
} Running;

/* For each link, span and profile the sum of the weights of its words over the root of their number, stop words aside.
   `scratch` has room for three running sums of the page's words, each with one place more. */
void link_words(const int32_t *stems, int32_t size, const int32_t *start, const int32_t *end, int32_t links,
                const Weight *weights, int32_t many, const int32_t *reaches, int32_t spans, double *scratch,
                Told *told)
{
    Running *running = (Running *)scratch;
    running[0] = (Running){0.0, 0.0, 0.0};
    for (int32_t at = 0; at < size; at++) {
        int32_t stem = stems[at] >= 0 && stems[at] < many ? stems[at] : STOP;
        running[at + 1].words = running[at].words + (stem != STOP);
        running[at + 1].learned = running[at].learned + weights[stem].learned;
        running[at + 1].topic = running[at].topic + weights[stem].topic;
    }
    for (int32_t link = 0; link < links; link++)
        for (int32_t span = 0; span < spans && 2 * span + 1 < TEXTS; span++) {
            const Running *low = &running[within((int64_t)start[link] - reaches[span], size)];
            const Running *high = &running[within((int64_t)end[link] + reaches[span], size)];
            double words = high->words - low->words;
            double share = 1.0 / sqrt(words > 1.0 ? words : 1.0);
            told[link].text[2 * span] = (float)((high->learned - low->learned) * share);
            told[link].text[2 * span + 1] = (float)((high->topic - low->topic) * share);
        }
}

/* For each link how early it stands, whether in a list, whether it leads to another host than this one; and the first
   `width` words of its anchor. */
void link_places(const int32_t *stems, int32_t size, const int32_t *start, const int32_t *end, int32_t links,
                 const uint8_t *in_lists, const int32_t *url, const int32_t *host_of, int32_t host, int32_t width,
                 int32_t *words, Told *told)
{
    for (int32_t link = 0; link < links; link++) {
        int32_t first = within(start[link], size);
        told[link].early = (float)(1.0 - (double)start[link] / (size > 1 ? size : 1));
        told[link].in_list = first < size && in_lists[first];
        told[link].leaves_host = host_of[url[link]] != host;
        for (int32_t at = 0; at < width; at++)
            *words++ = size > 0 && first + at < end[link] ? stems[within(first + at, size - 1)] : STOP;
    }
}

/* How much the words at and around each link of a page speak for the topic. */

#include <math.h>

#include "kernels.h"
#include "places.h"

/* For each link, span and profile the sum of the weights of its words over the root of their number, stop words aside.
   `scratch` has room for three running sums of the page's words, each with one place more. */
void link_words(const int32_t *stems, int32_t size, const int32_t *start, const int32_t *end, int32_t links,
                const double *learned, const double *topic, int32_t weights, const int32_t *reaches, int32_t spans,
                double *scratch, double *sums)
{
    double *words = scratch, *by_learned = words + size + 1, *by_topic = by_learned + size + 1;
    words[0] = by_learned[0] = by_topic[0] = 0.0;
    for (int32_t at = 0; at < size; at++) {
        int32_t stem = stems[at] >= 0 && stems[at] < weights ? stems[at] : STOP;
        words[at + 1] = words[at] + (stem != STOP);
        by_learned[at + 1] = by_learned[at] + learned[stem];
        by_topic[at + 1] = by_topic[at] + topic[stem];
    }
    for (int32_t link = 0; link < links; link++)
        for (int32_t span = 0; span < spans; span++) {
            int32_t low = within(start[link] - reaches[span], size), high = within(end[link] + reaches[span], size);
            double many = words[high] - words[low];
            double share = 1.0 / sqrt(many > 1.0 ? many : 1.0);
            double *sum = sums + 2 * ((int64_t)link * spans + span);
            sum[0] = (by_learned[high] - by_learned[low]) * share;
            sum[1] = (by_topic[high] - by_topic[low]) * share;
        }
}

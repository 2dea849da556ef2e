/* The links that wait: how they come to, and which is the best of them. */

#include <math.h>

#include "kernels.h"

/* Let links wait that do not yet, in the order given: the last of the free slots first, then those behind the others,
   of which there have to be enough. How many there are, and their slots. */
int32_t enter_links(const int32_t *urls, const int32_t *hosts, const int32_t *places, int32_t many, int32_t source,
                    int64_t age, int32_t *slot_of, const int32_t *free_slots, int32_t frees, int32_t slots,
                    const Slots *waiting, int32_t *entered)
{
    int32_t enters = 0;
    for (int32_t link = 0; link < many; link++) {
        if (slot_of[urls[link]] >= 0)
            continue;
        int32_t slot = frees > 0 ? free_slots[--frees] : slots++;
        slot_of[urls[link]] = slot;
        waiting->url[slot] = urls[link];
        waiting->host[slot] = hosts[link];
        waiting->source[slot] = source;
        waiting->place[slot] = places[link];
        waiting->age[slot] = age + enters;
        waiting->margin[slot] = -INFINITY;
        waiting->is_free[slot] = 0;
        entered[enters++] = slot;
    }
    return enters;
}

/* Of some slots the one with the highest margin, the oldest of equals, whose host is not shut; -1 if there is none.
   `slots` may be NULL: the first so many are meant then. */
int32_t best_slot(const double *margin, const int64_t *age, const uint8_t *is_free, const int32_t *slots, int32_t many,
                  const int32_t *host, const uint8_t *shut, int32_t hosts)
{
    int32_t best = -1;
    double highest = -INFINITY;
    for (int32_t at = 0; at < many; at++) {
        int32_t slot = slots ? slots[at] : at;
        if (margin[slot] < highest)
            continue;
        if (is_free[slot] || (host[slot] >= 0 && host[slot] < hosts && shut[host[slot]]))
            continue;
        if (best < 0 || margin[slot] > highest || age[slot] < age[best]) {
            best = slot;
            highest = margin[slot];
        }
    }
    return best;
}

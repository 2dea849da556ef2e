/* The links of a page that nobody has chosen yet. */

#include "kernels.h"

/* The places of the links to URLs whose state is `known` or less, and that may be followed; those URLs are `known`
   from now on. Returns how many they are, or -1, and changes nothing, where a URL has no state yet or a negative id. */
int32_t fresh_links(const int32_t *urls, const uint8_t *nofollow, int32_t links, uint8_t *states, int32_t size,
                    int32_t known, int32_t *fresh)
{
    int32_t many = 0;
    for (int32_t link = 0; link < links; link++) {
        if (urls[link] < 0 || urls[link] >= size)
            return -1;
        if (states[urls[link]] <= known && !nofollow[link])
            fresh[many++] = link;
    }
    for (int32_t each = 0; each < many; each++)
        states[urls[fresh[each]]] = (uint8_t)known;
    return many;
}

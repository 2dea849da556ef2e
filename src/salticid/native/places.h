/* Places in a page's words, and what stands there. */

#ifndef SALTICID_PLACES_H
#define SALTICID_PLACES_H

#include <stdint.h>

/* The stem of every word that means nothing by itself. */
#define STOP 0

/* The nearest place from the first word to behind the last. */
static inline int32_t within(int64_t place, int32_t size)
{
    return place < 0 ? 0 : place > size ? size : (int32_t)place;
}

#endif

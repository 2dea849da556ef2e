/* A table of texts, for those loops that give ids themselves. */

#ifndef SALTICID_NEWCOMERS_H
#define SALTICID_NEWCOMERS_H

#include "kernels.h"

int32_t id_of(const uint8_t *text, int64_t size, const Newcomers *table);

#endif

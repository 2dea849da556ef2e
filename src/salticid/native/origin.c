/* Which declarations the library was built from: one of others would misread what it is handed. */

#include "kernels.h"

uint32_t checksum_of_declarations(void)
{
    return DECLARATIONS;
}

/* Where links and headings stand between the tokens of a page. */

#include "kernels.h"

enum { LINK = 1, LINK_END, HEADING, HEADING_END };
enum { IN_META, IN_HEADING, IN_REST };

/* Of each link the start and the end: marks nest as brackets do. And the runs of equal area, where each starts and
   which it is: one more than there are marks, at the most. `outer` is for the links that are open. `counts` takes how
   many links there are, -1 where not all of them end, and how many areas. */
void mark_spans(const int32_t *marks, const int32_t *places, int32_t many, int32_t *start, int32_t *end, int32_t *outer,
                int32_t *area_start, uint8_t *area, int32_t *counts)
{
    int32_t links = 0, innermost = -1, areas = 1;
    area_start[0] = 0;
    area[0] = IN_META;
    for (int32_t at = 0; at < many; at++) {
        if (marks[at] == LINK) {
            start[links] = end[links] = places[at];
            outer[links] = innermost;
            innermost = links++;
        } else if (marks[at] == LINK_END) {
            if (innermost < 0)
                break;
            end[innermost] = places[at];
            innermost = outer[innermost];
        } else {
            areas -= area_start[areas - 1] == places[at];
            area_start[areas] = places[at];
            area[areas++] = marks[at] == HEADING ? IN_HEADING : IN_REST;
        }
    }
    counts[0] = innermost < 0 ? links : -1;
    counts[1] = areas;
}

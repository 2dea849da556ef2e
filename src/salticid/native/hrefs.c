/* Hrefs that are so plain that a URL is made of one by putting its path behind a folder. */

#include <string.h>

#include "newcomers.h"

typedef enum { NOWHERE, JOINED, ASKED } Kind;

static int begins_segment(uint8_t sign)
{
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') || (sign >= '0' && sign <= '9') || sign == '_'
           || sign == '~' || sign == '-';
}

/* Where a path ends whose segments are of signs that no rule touches, none of which begins with a dot. */
static int32_t end_of_path(const uint8_t *href, int32_t at, int32_t size)
{
    while (at < size && begins_segment(href[at])) {
        while (at < size && (begins_segment(href[at]) || href[at] == '.'))
            at++;
        if (at == size || href[at] != '/')
            break;
        at++;
    }
    return at;
}

static int is_blank(uint8_t sign)
{
    return (sign >= '\t' && sign <= '\r') || (sign >= 0x1C && sign <= ' ');
}

/* Whether an href leads to a place on its own page. */
static Kind kind_of_place(const uint8_t *href, int32_t size)
{
    int32_t at = 0;
    while (at < size && is_blank(href[at]))
        at++;
    return at < size && href[at] == '#' ? NOWHERE : ASKED;
}

/* How many bytes of the folder an href keeps, and where its path begins; -1 if nothing is known of it. */
static int32_t kept_of_folder(const uint8_t *href, int32_t size, const uint8_t *folder, const int32_t *above,
                              int32_t levels, int32_t is_plain, int32_t *path)
{
    int32_t ups = 0, root = above[levels - 1];
    *path = 0;
    if (is_plain && size >= root && memcmp(href, folder, (size_t)root) == 0) {
        *path = root;
        return root;
    }
    if (size > 0 && href[0] == '/') {
        *path = 1;
        return root;
    }
    while (size - *path >= 3 && memcmp(href + *path, "../", 3) == 0) {
        *path += 3;
        ups++;
    }
    return above[ups < levels ? ups : levels - 1];
}

/* Make URLs of the hrefs, behind each of which stands a NUL, in a folder. It is told how long that and all above it
   are, and whether its root is plain. The kind of each href says whether a URL was made, or has to be asked elsewhere,
   or whether it leads nowhere. Returns how many have to be asked. */
int32_t join_hrefs(const uint8_t *hrefs, int32_t many, const uint8_t *folder, const int32_t *above, int32_t levels,
                   int32_t is_plain, int32_t longest, uint8_t *urls, int64_t room, int64_t *ends, uint8_t *kinds)
{
    int32_t asked = 0;
    int64_t written = 0;
    for (int32_t each = 0; each < many; each++) {
        int32_t size = (int32_t)strlen((const char *)hrefs), path = 0;
        kinds[each] = (uint8_t)kind_of_place(hrefs, size);
        if (kinds[each] == ASKED && levels > 0) {
            int32_t kept = kept_of_folder(hrefs, size, folder, above, levels, is_plain, &path);
            int32_t end = end_of_path(hrefs, path, size), length = end - path;
            int is_whole = end > 0 && (end == size || hrefs[end] == '#');
            if (is_whole && kept + length <= longest && written + kept + length <= room) {
                memcpy(urls + written, folder, (size_t)kept);
                memcpy(urls + written + kept, hrefs + path, (size_t)length);
                written += kept + length;
                kinds[each] = JOINED;
            }
        }
        asked += kinds[each] == ASKED;
        ends[each] = written;
        hrefs += size + 1;
    }
    return asked;
}

/* The ids of the URLs of all hrefs, in their order; -1 of one that leads nowhere. `others` are the URLs of those that
   were asked elsewhere, empty where there is none. */
void intern_hrefs(const uint8_t *urls, const int64_t *ends, const uint8_t *kinds, int32_t many, const uint8_t *others,
                  const int64_t *others_end, const Newcomers *table, int32_t *ids)
{
    int64_t start = 0, others_start = 0;
    for (int32_t each = 0; each < many; start = ends[each++]) {
        ids[each] = -1;
        if (kinds[each] == JOINED) {
            ids[each] = id_of(urls + start, ends[each] - start, table);
        } else if (kinds[each] == ASKED) {
            if (*others_end > others_start)
                ids[each] = id_of(others + others_start, *others_end - others_start, table);
            others_start = *others_end++;
        }
    }
}

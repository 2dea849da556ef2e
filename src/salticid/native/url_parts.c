/* What URLs say by themselves: numbers for host and folder, and the last words of the path. */

#include <string.h>

#include "kernels.h"

typedef struct {
    const uint8_t *at, *end;
} Text;

static const uint8_t *find(Text text, uint8_t letter)
{
    const uint8_t *found = text.at < text.end ? memchr(text.at, letter, (size_t)(text.end - text.at)) : NULL;
    return found == NULL ? text.end : found;
}

static uint8_t lower(uint8_t letter)
{
    return letter >= 'A' && letter <= 'Z' ? (uint8_t)(letter + ('a' - 'A')) : letter;
}

static int is_letter(uint8_t letter)
{
    return lower(letter) >= 'a' && lower(letter) <= 'z';
}

/* How long a word is if the text begins with it, in whatever case; else 0. */
static int begins(Text text, const char *word)
{
    int size = (int)strlen(word);
    if (text.end - text.at < size)
        return 0;
    for (int place = 0; place < size; place++)
        if (lower(text.at[place]) != (uint8_t)word[place])
            return 0;
    return size;
}

static Text after(Text text, int size)
{
    text.at += size;
    return text;
}

/* Whether another address is handed on: http or https, a colon and two slashes, which may be written as %3a and %2f. */
static int hands_on(Text query)
{
    for (; query.at < query.end; query.at++) {
        int size = begins(query, "http");
        if (!size)
            continue;
        Text rest = after(query, size);
        Text plain = rest, safe = after(rest, begins(rest, "s"));
        Text ways[2] = {plain, safe};
        for (int way = 0; way < 2; way++) {
            Text mark = ways[way];
            int colon = begins(mark, ":") ? 1 : begins(mark, "%3a");
            int slashes = 0;
            mark = after(mark, colon);
            for (int one; colon && slashes < 2 && (one = begins(mark, "/") ? 1 : begins(mark, "%2f")); slashes++)
                mark = after(mark, one);
            if (slashes == 2)
                return 1;
        }
    }
    return 0;
}

/* Whether a folder of the path is the door to something else than pages. */
static int is_door(Text path)
{
    static const char *const doors[] = {"login", "signin", "signup", "register", "logout", "cart"};
    path.end = find(path, '?');
    while (path.at <= path.end) {
        Text part = {path.at, find(path, '/')};
        for (size_t door = 0; door < sizeof doors / sizeof *doors; door++)
            if (part.end - part.at == (long)strlen(doors[door]) && begins(part, doors[door]))
                return 1;
        path.at = part.end + 1;
    }
    return 0;
}

static int acts(Text path)
{
    static const char *const acts[] = {"action=", "do=", "op=", "replytocom=", "share=", "print=", "printable="};
    for (; path.at < path.end; path.at++)
        if (*path.at == '?' || *path.at == '&' || *path.at == ';')
            for (size_t act = 0; act < sizeof acts / sizeof *acts; act++)
                if (begins(after(path, 1), acts[act]))
                    return 1;
    return 0;
}

static uint32_t checksum(Text text, uint32_t sum)
{
    static const uint32_t half[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    sum = ~sum;
    for (; text.at < text.end; text.at++) {
        sum = half[(sum ^ *text.at) & 15] ^ (sum >> 4);
        sum = half[(sum ^ (uint32_t)(*text.at >> 4)) & 15] ^ (sum >> 4);
    }
    return ~sum;
}

/* The last words of a path, in lower case, each with a space after it; how many. */
static int32_t last_runs(Text path, int32_t longest, int32_t most, uint8_t **runs)
{
    int32_t many = 0;
    const uint8_t *first = path.end - path.at > longest ? path.end - longest : path.at;
    const uint8_t *at = path.end;
    while (at > first && many < most) { /* from behind, to find where the first of them begins */
        while (at > first && !is_letter(at[-1]))
            at--;
        many += at > first;
        while (at > first && is_letter(at[-1]))
            at--;
    }
    for (int within = 0; at < path.end; at++) {
        if (is_letter(*at))
            *(*runs)++ = lower(*at);
        else if (within)
            *(*runs)++ = ' ';
        within = is_letter(*at);
    }
    *(*runs)++ = ' ';
    return many;
}

/* The different URLs among some that nobody has read: the first of their `width` words is -1. */
int32_t unread_urls(const int32_t *urls, int32_t many, int32_t *words, int32_t width, int32_t *unread)
{
    int32_t found = 0;
    for (int32_t each = 0; each < many; each++) {
        int32_t *first = &words[(int64_t)width * urls[each]];
        if (*first == -1) {
            unread[found++] = urls[each];
            *first = -2; /* met */
        }
    }
    for (int32_t each = 0; each < found; each++)
        words[(int64_t)width * unread[each]] = -1;
    return found;
}

/* Of each URL, all being ASCII, a number for its host and one for its folder, below `places`, and its last words;
   `counts` takes how many these are. The size of `runs`, which has room for all URLs and a byte more for each. */
int32_t url_parts(const uint8_t *texts, const int32_t *ends, const int32_t *urls, int32_t many, int32_t longest,
                  int32_t most, uint32_t places, uint16_t *place, uint8_t *runs, int32_t *counts)
{
    uint8_t *next = runs;
    for (int32_t each = 0; each < many; each++) {
        Text url = {texts + (each ? ends[each - 1] : 0), texts + ends[each]};
        Text address = {find(url, ':'), url.end};
        while (address.at < address.end && !begins(address, "://"))
            address.at = find(after(address, 1), ':');
        address = address.at < address.end ? after(address, 3) : address;
        const uint8_t *question = find(address, '?');
        if (question < address.end && hands_on((Text){question + 1, address.end}))
            address.end = question;
        Text host = {address.at, find(address, '/')};
        Text path = {host.end < address.end ? host.end + 1 : address.end, address.end};
        Text folder = {path.at, path.end};
        while (folder.end > folder.at && folder.end[-1] != '/')
            folder.end--;
        if (folder.end > folder.at)
            folder.end--;
        uint16_t *mine = &place[2 * (int64_t)urls[each]];
        uint32_t of_host = checksum(host, 0);
        mine[0] = (uint16_t)(of_host % places);
        of_host = checksum((Text){(const uint8_t *)"/", (const uint8_t *)"/" + 1}, of_host);
        mine[1] = (uint16_t)(checksum(folder, of_host) % places);
        counts[each] = is_door(path) || acts(path) ? 0 : last_runs(path, longest, most, &next);
    }
    return (int32_t)(next - runs);
}

/* Of each URL the last `width` stems that are not `none`, in their order, and `none` where there are fewer. */
void last_words(const int32_t *stems, const int32_t *counts, const int32_t *urls, int32_t many, int32_t width,
                int32_t none, int32_t *words)
{
    for (int32_t each = 0; each < many; each++) {
        int32_t *last = &words[(int64_t)width * urls[each]];
        int32_t told = 0, skip = -width;
        for (int32_t at = 0; at < counts[each]; at++)
            skip += stems[at] != none;
        for (int32_t at = 0; at < counts[each]; at++)
            if (stems[at] != none && skip-- <= 0)
                last[told++] = stems[at];
        while (told < width)
            last[told++] = none;
        stems += counts[each];
    }
}

/* Marks in a text: bytes from 1 on that stand for a place. */

#include <string.h>

#include "eight_bytes.h"
#include "kernels.h"

static int is_digit(uint8_t sign, int is_hex)
{
    uint8_t letter = sign | 0x20;
    return (sign >= '0' && sign <= '9') || (is_hex && letter >= 'a' && letter <= 'f');
}

/* Whether `&#` at this place is a reference to one of so many marks. */
static int is_reference(const uint8_t *text, int64_t size, int32_t marks)
{
    int is_hex = size > 2 && (text[2] | 0x20) == 'x';
    int64_t at = is_hex ? 3 : 2;
    while (at < size && text[at] == '0')
        at++;
    int is_mark = at < size && text[at] > '0' && text[at] <= '0' + marks;
    return is_mark && !(at + 1 < size && is_digit(text[at + 1], is_hex));
}

/* Whether a document holds a byte that would be a mark, or a reference to one. */
int32_t holds_marks(const uint8_t *html, int64_t size, int32_t marks)
{
    for (int64_t at = 0; at < size; at++) {
        if (at + 8 <= size) {
            uint64_t eight = eight_of(html + at);
            uint64_t found = bytes_within(eight, 1, (uint8_t)marks) | bytes_that_are(eight, '&');
            if (found == 0) {
                at += 7;
                continue;
            }
            at += first_byte(found);
        }
        if (html[at] > 0 && html[at] <= marks)
            return 1;
        if (html[at] == '&' && at + 1 < size && html[at + 1] == '#' && is_reference(html + at, size - at, marks))
            return 1;
    }
    return 0;
}

static int32_t is_blank(uint8_t byte, int32_t marks)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || (byte > 0 && byte <= marks);
}

/* Copy a word to where there is room for all of the text; where the next blank is. Eight bytes go together. */
static int32_t copy_word(const uint8_t *text, int32_t at, int32_t size, int32_t marks, uint8_t *to)
{
    for (; at + 8 <= size; at += 8, to += 8) {
        uint64_t eight = eight_of(text + at);
        uint64_t blanks = bytes_that_are(eight, ' ') | bytes_within(eight, '\t', '\r');
        blanks |= bytes_within(eight, 1, (uint8_t)marks);
        memcpy(to, text + at, 8);
        if (blanks != 0)
            return at + first_byte(blanks);
    }
    for (; at < size && !is_blank(text[at], marks); at++)
        *to++ = text[at];
    return at;
}

/* A text with one space wherever there are blanks or so many marks, and none at its ends; its size. */
int32_t single_spaced(const uint8_t *text, int32_t size, int32_t marks, uint8_t *single)
{
    int32_t length = 0, start = 0;
    while (1) {
        while (start < size && is_blank(text[start], marks))
            start++;
        if (start == size)
            return length;
        if (length > 0)
            single[length++] = ' ';
        int32_t end = copy_word(text, start, size, marks, single + length);
        length += end - start;
        start = end;
    }
}

/* Leave out the marks of links that lead nowhere, as if they had never been written; what size remains. */
int32_t drop_marks(uint8_t *text, int32_t size, const int32_t *places, int32_t many)
{
    int32_t to = 0, from = 0;
    int is_last = 0;
    for (int32_t each = 0; each < many; each++) {
        int32_t start = places[each] - 1, end = places[each] + 3; /* its spaces, and the one before the next part */
        if (start < from || end > size + 1)
            return -1;
        memmove(text + to, text + from, (size_t)(start - from));
        to += start - from;
        from = end;
        is_last = end == size + 1;
    }
    if (is_last)
        return to > 0 ? to - 1 : 0;
    memmove(text + to, text + from, (size_t)(size - from));
    return to + size - from;
}

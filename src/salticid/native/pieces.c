/* Pieces of text between spaces, looked up in a table of slots: two numbers that hold a short piece, and its code. */

#include <string.h>

#include "eight_bytes.h"
#include "newcomers.h"

#define SHORT 12
#define BATCH 32 /* pieces whose slots are fetched at a time, so that nobody waits for each */

/* Two of them lie side by side, for two pieces that fall upon the same place: the first is the younger one. */
typedef struct {
    uint64_t low;
    uint32_t high;
    int32_t code;
} Slot;

/* A text in small letters, with a space in place of every byte of ASCII that is neither a letter nor one of so many
   marks. */
void cut_text(const uint8_t *text, int32_t size, int32_t marks, uint8_t *cut)
{
    for (int32_t at = 0; at < size; at += 8) {
        uint64_t eight = 0;
        size_t many = size - at < 8 ? (size_t)(size - at) : 8;
        memcpy(&eight, text + at, many);
        uint64_t letters = bytes_within(eight | all_bytes(0x20), 'a', 'z');
        uint64_t stay = letters | (eight & all_bytes(0x80)) | bytes_within(eight, 1, (uint8_t)marks);
        uint64_t whole = (stay >> 7) * 0xFF;
        eight = ((eight | letters >> 2) & whole) | (all_bytes(' ') & ~whole);
        memcpy(cut + at, &eight, many);
    }
}

/* A piece of no more than SHORT bytes, without a code. */
static Slot key_of(const uint8_t *piece, int32_t length)
{
    uint8_t padded[16] = {0};
    memcpy(padded, piece, (size_t)length);
    return (Slot){eight_of(padded), (uint32_t)eight_of(padded + 8), 0};
}

static Slot *slots_of(Slot key, Slot *slots, int32_t bits)
{
    uint64_t mixed = (key.low ^ key.high * 0xC2B2AE3D27D4EB4Fu) * 0x9E3779B97F4A7C15u;
    return slots + 2 * (mixed >> (65 - bits));
}

static int is_in(const Slot *slot, Slot key)
{
    return slot->low == key.low && slot->high == key.high;
}

static void keep(Slot *slots, Slot key)
{
    slots[1] = slots[0];
    slots[0] = key;
}

static int is_word(const uint8_t *piece, int32_t length, int32_t longest)
{
    for (int32_t at = 0; at < length; at++)
        if (piece[at] < 'a' || piece[at] > 'z')
            return 0;
    return length <= longest;
}

/* Where the piece that begins at `start` ends, and its key if it is short. Eight bytes are looked at together. */
static int32_t end_of(const uint8_t *text, int32_t start, int32_t size, Slot *key)
{
    if (start + 16 <= size) {
        uint64_t low = eight_of(text + start), high = eight_of(text + start + 8);
        uint64_t in_low = bytes_that_are(low, ' '), in_high = bytes_that_are(high, ' ');
        if (in_low != 0) {
            int32_t length = first_byte(in_low);
            key->low = low_bytes(low, length);
            return start + length;
        }
        if (in_high != 0 && first_byte(in_high) <= SHORT - 8) {
            int32_t length = first_byte(in_high);
            key->low = low;
            key->high = (uint32_t)low_bytes(high, length);
            return start + 8 + length;
        }
    }
    int32_t end = start;
    while (end < size && text[end] != ' ')
        end++;
    if (end - start <= SHORT)
        *key = key_of(text + start, end - start);
    return end;
}

static int32_t end_of_spaces(const uint8_t *text, int32_t start, int32_t size)
{
    for (; start + 8 <= size; start += 8) {
        uint64_t others = eight_of(text + start) ^ all_bytes(' ');
        if (others != 0)
            return start + first_byte(others);
    }
    while (start < size && text[start] == ' ')
        start++;
    return start;
}

/* A piece that was found in a text, and the slots that may hold it, if it is short. */
typedef struct {
    int32_t start, end;
    Slot key, *two;
} Piece;

/* Find the next pieces, from `start` on, BATCH of them at the most, and have their slots fetched; how many. */
static int32_t next_pieces(const uint8_t *text, int32_t start, int32_t size, Slot *slots, int32_t bits, Piece *pieces)
{
    int32_t many = 0;
    for (; many < BATCH && (start = end_of_spaces(text, start, size)) < size; many++) {
        Piece *piece = pieces + many;
        *piece = (Piece){start, 0, {0, 0, 0}, NULL};
        piece->end = end_of(text, start, size, &piece->key);
        if (piece->end - start <= SHORT) {
            piece->two = slots_of(piece->key, slots, bits);
            __builtin_prefetch(piece->two);
        }
        start = piece->end;
    }
    return many;
}

/* Whether the code of a piece is known; that of a word of no more than `longest` small letters is, if there is a table
   of words. */
static int is_known(Piece *piece, const uint8_t *text, const Newcomers *words, int32_t longest, int32_t *code)
{
    Slot *two = piece->two;
    int32_t length = piece->end - piece->start;
    if (two != NULL && is_in(two, piece->key)) {
        *code = two->code;
    } else if (two != NULL && is_in(two + 1, piece->key)) {
        *code = two[1].code;
    } else if (words != NULL && is_word(text + piece->start, length, longest)) {
        *code = piece->key.code = id_of(text + piece->start, length, words);
        if (two != NULL)
            keep(two, piece->key);
    } else {
        return 0;
    }
    return 1;
}

/* The code of each piece, in order; of those whose code is not known the number, the start and the end go to `missing`.
   `counts` takes how many pieces there are, and how many are missing. */
void piece_codes(const uint8_t *text, int32_t size, uint64_t *slots, int32_t bits, const Newcomers *words,
                 int32_t longest, int32_t *codes, int32_t *missing, int32_t *counts)
{
    Piece pieces[BATCH];
    int32_t many = 0, misses = 0, start = 0, found;
    while ((found = next_pieces(text, start, size, (Slot *)slots, bits, pieces)) > 0) {
        for (int32_t each = 0; each < found; each++, many++)
            if (!is_known(pieces + each, text, words, longest, codes + many)) {
                missing[3 * misses] = many;
                missing[3 * misses + 1] = pieces[each].start;
                missing[3 * misses++ + 2] = pieces[each].end;
            }
        start = pieces[found - 1].end;
    }
    counts[0] = many;
    counts[1] = misses;
}

/* Give codes to the missing pieces, and slots to those that are short. */
void keep_pieces(const uint8_t *text, const int32_t *missing, const int32_t *news, int32_t misses, uint64_t *slots,
                 int32_t bits, int32_t *codes)
{
    for (int32_t each = 0; each < misses; each++) {
        int32_t start = missing[3 * each + 1], length = missing[3 * each + 2] - start;
        codes[missing[3 * each]] = news[each];
        if (length > SHORT)
            continue;
        Slot key = key_of(text + start, length);
        key.code = news[each];
        Slot *two = slots_of(key, (Slot *)slots, bits);
        if (!is_in(two, key))
            keep(two, key);
    }
}

/* The tokens that codes stand for, and the marks, each with the number of tokens before it. A code from 0 is a token,
   one below is a mark, `nothing` is none, and one below that stands for `several`, of which it is known where those of
   each end. `counts` takes how many tokens and marks there are; tokens for which there is no room are only counted. */
void tokens_of_codes(const int32_t *codes, int32_t size, const int32_t *several, const int32_t *ends, int32_t many,
                     int32_t nothing, int32_t *tokens, int32_t room, int32_t *marks, int32_t *places, int32_t *counts)
{
    int32_t met = 0, marks_met = 0;
    for (int32_t at = 0; at < size; at++) {
        int32_t code = codes[at], which = nothing - 1 - code;
        if (code >= 0) {
            if (met < room)
                tokens[met] = code;
            met++;
        } else if (code > nothing) {
            marks[marks_met] = -code;
            places[marks_met++] = met;
        } else if (code < nothing && which < many) {
            for (int32_t each = which == 0 ? 0 : ends[which - 1]; each < ends[which]; each++, met++)
                if (met < room)
                    tokens[met] = several[each];
        }
    }
    counts[0] = met;
    counts[1] = marks_met;
}

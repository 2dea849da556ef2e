/* What Python calls. Every function is the twin of one written with numpy, which is beside its call, and gives the
   same numbers in every bit; a test holds them together. No array is kept, and none is read or written beyond the
   size that comes with it. */

#ifndef SALTICID_KERNELS_H
#define SALTICID_KERNELS_H

#include <stdint.h>

/* origin.c */
uint32_t checksum_of_declarations(void);

/* exact_sum.c */
double exact_product(const int32_t *places, const double *weights, int32_t size, const double *dense, int32_t length);
double exact_dense_product(const double *one, const double *other, int32_t size);
void exact_products(const int32_t *places, const double *weights, const int64_t *ends, int32_t many,
                    const double *dense, int32_t length, double *products);
void add_weights(double *dense, int32_t length, const int32_t *places, const double *weights, const int64_t *ends,
                 int32_t many, const double *factors);

/* pieces.c */
void piece_codes(const uint8_t *text, int32_t size, uint64_t *slots, int32_t bits, int32_t *codes, int32_t *missing,
                 int32_t *counts);
void keep_pieces(const uint8_t *text, const int32_t *missing, const int32_t *news, int32_t misses, uint64_t *slots,
                 int32_t bits, int32_t *codes);

/* page_marks.c */
void heading_marks(const int32_t *area_start, const uint8_t *area, int32_t areas, int32_t rest, uint8_t *marks,
                   int32_t size);
void list_marks(const int32_t *start, const int32_t *end, int32_t links, int32_t least, int32_t between,
                uint8_t *marks, int32_t size);
int32_t chosen_rows(const int32_t *tokens, int32_t size, int32_t offset, const uint32_t *text_marks,
                    const uint8_t *has_mark, int32_t words, const uint32_t *factors, int32_t width, uint32_t one_in,
                    int32_t *at, uint32_t *rows);
void repeated_marks(const int32_t *at, const uint32_t *rows, int32_t many, const uint32_t *known, int32_t knows,
                    int32_t width, uint8_t *marks, int32_t size);

int32_t own_marks(const int32_t *tokens, int32_t size, const uint8_t *heading, const uint8_t *list,
                  const uint8_t *repeated, const uint8_t *is_stop, const uint8_t *known, int32_t words,
                  int32_t *sample, uint8_t *own);

/* word_set.c */
uint64_t distinct_sum(const int32_t *tokens, int32_t size, const int32_t *left_out, int32_t many, uint8_t *met,
                      int32_t words);

/* word_counts.c */
int32_t word_counts(const int32_t *tokens, int32_t size, const uint8_t *own, const uint8_t *heading, int32_t times,
                    const int32_t *stem_of, int32_t words, const int32_t *phrases, int32_t many_phrases,
                    int32_t *scratch, int32_t stems, int32_t *terms, int64_t *counts);
int32_t count_alike(const int32_t *tokens, int32_t size, const int32_t *stem_of, int32_t words, int32_t *scratch,
                    int32_t stems, int32_t *terms, const int32_t *query, const int64_t *times, int32_t asked,
                    int64_t *sums);
int32_t rare_weights(const int32_t *terms, const int64_t *counts, int32_t size, const double *logs, int32_t many_logs,
                     const double *rarity, const double *other, int32_t stems, const int32_t *phrases,
                     int32_t many_phrases, double share, double length, double *weights);

/* url_parts.c */
int32_t url_parts(const uint8_t *texts, const int32_t *ends, int32_t many, int32_t longest, int32_t most,
                  uint32_t places, uint16_t *place, uint8_t *runs, int32_t *counts);
void last_words(const int32_t *words, const int32_t *counts, int32_t many, int32_t width, int32_t none,
                int32_t *last);

/* link_words.c */
void link_words(const int32_t *stems, int32_t size, const int32_t *start, const int32_t *end, int32_t links,
                const double *learned, const double *topic, int32_t weights, const int32_t *reaches, int32_t spans,
                double *scratch, double *sums);

/* waiting_links.c */
int32_t best_slot(const double *margin, const int64_t *age, const uint8_t *is_free, int32_t slots, const int32_t *host,
                  const uint8_t *shut, int32_t hosts);
int32_t anchor_words(const int32_t *row_url, int32_t rows, const int32_t *words, int32_t width, int32_t url,
                     int32_t *found, int32_t most);

/* link_features.c: the columns of the hunter's tables, by the names they have there */
typedef struct {
    const int32_t *page, *url;
    const float *text;
    const int32_t *words;
    const float *early, *title;
    const uint8_t *in_list, *leaves_host;
} Evidence;

typedef struct {
    const double *score;
    const float *feedback;
    const int32_t *away, *links;
    const uint8_t *is_example;
    double full;
} Pages;

typedef struct {
    const double *by_key;
    int32_t last;
} Worth;

typedef struct {
    double luck;
    const double *hub;
    int32_t hubs;
    const double *beside;
    int32_t besides;
    Worth host, folder, anchor, address, door_folder, door_anchor;
} Around;

typedef struct {
    const int32_t *words;
    const uint16_t *places;
    const double *learned, *topic;
    int32_t stems;
} Addresses;

typedef struct {
    const int32_t *slot_of;
    int32_t urls;
    const int32_t *url;
    double *margin;
    float *features;
} Waiting;

int32_t features_of_links(void);
int32_t doubles_of_seen(void);
void score_links(const int32_t *slot, int32_t links, const Evidence *rows, int32_t first, int32_t last,
                 const Pages *pages, const Around *around, const Addresses *addresses, const Waiting *waiting,
                 const double *weights, const double *bounds, int32_t *number, double *scratch);

#endif

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

/* fresh_links.c */
int32_t fresh_links(const int32_t *urls, const uint8_t *nofollow, int32_t links, uint8_t *states, int32_t size,
                    int32_t known, int32_t *fresh);

/* newcomers.c: the arrays of a table of texts */
typedef struct {
    const uint64_t *secrets;
    uint64_t *slots;
    int32_t bits;
    int64_t *ends;
    uint8_t *heap;
    int64_t *held;
} Newcomers;

void intern_texts(const uint8_t *texts, const int64_t *ends, int32_t many, const Newcomers *table, int32_t *ids);
void more_slots(const uint64_t *slots, int32_t bits, uint64_t *more, int32_t more_bits);

/* pieces.c */
void cut_text(const uint8_t *text, int32_t size, int32_t marks, uint8_t *cut);
void piece_codes(const uint8_t *text, int32_t size, uint64_t *slots, int32_t bits, const Newcomers *words,
                 int32_t longest, int32_t *codes, int32_t *missing, int32_t *counts);
void keep_pieces(const uint8_t *text, const int32_t *missing, const int32_t *news, int32_t misses, uint64_t *slots,
                 int32_t bits, int32_t *codes);
void tokens_of_codes(const int32_t *codes, int32_t size, const int32_t *several, const int32_t *ends, int32_t many,
                     int32_t nothing, int32_t *tokens, int32_t room, int32_t *marks, int32_t *places, int32_t *counts);

/* document.c */
int32_t functions_of_lexbor(void);
int32_t tag_kinds(const uint64_t *functions, uint8_t *kinds, int32_t size);
int32_t read_document(const uint64_t *functions, const uint8_t *kinds, const uint8_t *html, int64_t size,
                      uint8_t *text, uint8_t *hrefs, uint8_t *head, int32_t *marks, uint64_t *nodes, uint8_t *nofollow,
                      int64_t *rooms);

/* hrefs.c */
int32_t join_hrefs(const uint8_t *hrefs, int32_t many, const uint8_t *folder, const int32_t *above, int32_t levels,
                   int32_t is_plain, int32_t longest, uint8_t *urls, int64_t room, int64_t *ends, uint8_t *kinds);
void intern_hrefs(const uint8_t *urls, const int64_t *ends, const uint8_t *kinds, int32_t many, const uint8_t *others,
                  const int64_t *others_end, const Newcomers *table, int32_t *ids);

/* marked_text.c */
int32_t holds_marks(const uint8_t *html, int64_t size, int32_t marks);
int32_t single_spaced(const uint8_t *text, int32_t size, int32_t marks, uint8_t *single);
int32_t drop_marks(uint8_t *text, int32_t size, const int32_t *places, int32_t many);

/* mark_spans.c */
void mark_spans(const int32_t *marks, const int32_t *places, int32_t many, int32_t *start, int32_t *end, int32_t *outer,
                int32_t *area_start, uint8_t *area, int32_t *counts);

/* page_marks.c */
void heading_marks(const int32_t *area_start, const uint8_t *area, int32_t areas, int32_t rest, uint8_t *marks,
                   int32_t size);
void list_marks(const int32_t *start, const int32_t *end, int32_t links, int32_t least, int32_t between,
                uint8_t *marks, int32_t size);
int32_t chosen_rows(const int32_t *tokens, int32_t size, int32_t edge, const uint32_t *number,
                    const uint8_t *has_number, int32_t words, const uint32_t *factors, int32_t width, uint32_t one_in,
                    int32_t *at, uint32_t *rows);
void known_rows(const uint32_t *rows, int32_t many, const uint32_t *known, int32_t knows, uint8_t *is_known);
int32_t own_words(const int32_t *tokens, int32_t size, const int32_t *area_start, const uint8_t *area, int32_t areas,
                  int32_t rest, const int32_t *start, const int32_t *end, int32_t links, int32_t least,
                  int32_t between, const int32_t *at, const uint8_t *is_known, int32_t rows, int32_t width,
                  const uint8_t *is_stop, const uint8_t *knows_stop, int32_t words, int32_t *sample, uint8_t *own);

/* new_words.c */
int32_t words_without_marks(const int32_t *tokens, int32_t size, const uint8_t *known, int32_t words, int32_t *news);
int32_t words_without_stem(const int32_t *tokens, int32_t size, const uint8_t *own, const int32_t *stem_of,
                           int32_t words, int32_t *news);

/* row_counts.c */
int32_t distinct_rows(uint32_t *rows, int32_t size, uint32_t *spare);
int32_t merged_counts(const uint32_t *rows, const int32_t *counts, int32_t many, const uint32_t *news,
                      const int32_t *times, int32_t more, uint32_t *both, int32_t *sums);

/* open_elements.c */
int32_t open_elements(const uint8_t *html, int32_t size, const uint64_t *shallow, int32_t many_shallow,
                      const uint64_t *formatting, int32_t many_formatting, int64_t *counts);

/* word_set.c */
uint64_t distinct_sum(const int32_t *tokens, int32_t size, const int32_t *left_out, int32_t many, uint8_t *met,
                      int32_t words);

/* shingles.c */
void shingles(const int32_t *tokens, int32_t size, const uint64_t *factors, int32_t width, uint64_t *hashes);

/* text_ids.c */
int32_t give_ids(const int64_t *asked, int32_t many, int64_t *hashes, int32_t known, int32_t *slots,
                 int64_t many_slots, int32_t *ids, int32_t *fresh);
int32_t look_up(const int32_t *table, int32_t size, const int32_t *places, int32_t many, int32_t *numbers);

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
int32_t unread_urls(const int32_t *urls, int32_t many, int32_t *words, int32_t width, int32_t *unread);
int32_t url_parts(const uint8_t *texts, const int32_t *ends, const int32_t *urls, int32_t many, int32_t longest,
                  int32_t most, uint32_t places, uint16_t *place, uint8_t *runs, int32_t *counts);
void last_words(const int32_t *stems, const int32_t *counts, const int32_t *urls, int32_t many, int32_t width,
                int32_t none, int32_t *words);

/* link_words.c: what is told of a link, and the weights of a stem, as in `parts/hunter/topic_profile.py` */
#define TEXTS 4

typedef struct {
    float text[4], early, title, in_list, leaves_host;
} Told;

typedef struct {
    double learned, topic;
} Weight;

void link_words(const int32_t *stems, int32_t size, const int32_t *start, const int32_t *end, int32_t links,
                const Weight *weights, int32_t many, const int32_t *reaches, int32_t spans, double *scratch,
                Told *told);
void link_places(const int32_t *stems, int32_t size, const int32_t *start, const int32_t *end, int32_t links,
                 const uint8_t *in_lists, const int32_t *url, const int32_t *host_of, int32_t host, int32_t width,
                 int32_t *words, Told *told);

/* rings.c: the rows that lead to each URL; `last` names its last row or is -1, `next` the row after each, and after
   the last one the first */
void join_rings(const int32_t *url, int32_t first, int32_t rows, int32_t *last, int32_t *next);
void anchor_words(int32_t last, const int32_t *next, const int32_t *words, int32_t width, int32_t *found, int32_t most);

/* waiting_links.c */
typedef struct {
    int32_t *url, *host, *source, *place;
    int64_t *age;
    double *margin;
    uint8_t *is_free;
} Slots;

int32_t enter_links(const int32_t *urls, const int32_t *hosts, const int32_t *places, int32_t many, int32_t source,
                    int64_t age, int32_t *slot_of, const int32_t *free_slots, int32_t frees, int32_t slots,
                    const Slots *waiting, int32_t *entered);
int32_t best_slot(const double *margin, const int64_t *age, const uint8_t *is_free, const int32_t *slots, int32_t many,
                  const int32_t *host, const uint8_t *shut, int32_t hosts);

/* surroundings.c */
typedef struct {
    double gain, pages, links, in_lists;
} Tally;

typedef struct {
    double found, door;
} Gain;

void look_around(const int32_t *page, const int32_t *url, const Told *told, int32_t rows, const int32_t *row_of_url,
                 int32_t urls, const double *reward, int32_t reach, double luck, double doubt, Tally *by_page,
                 double *scratch, double *beside);
void wipe_keys(const int32_t *keys, int64_t size, Gain *worth);
void mean_by_key(const int32_t *keys, int32_t rows, int32_t width, const Gain *values, double doubt, int32_t *many,
                 Gain *worth);

/* link_features.c: the columns of the hunter's tables, by the names they have there */
typedef struct {
    const int32_t *page;
    const Told *told;
    const int32_t *words, *last, *next;
    int32_t urls;
} Evidence;

typedef struct {
    const double *score;
    const float *feedback;
    const int32_t *away, *links;
    const uint8_t *is_example;
    double full;
} Pages;

typedef struct {
    const Gain *by_key;
    int32_t last;
} Worth;

typedef struct {
    double luck;
    const double *hub;
    int32_t hubs;
    const double *beside;
    int32_t besides;
    Worth host, folder, anchor, address;
} Around;

typedef struct {
    const int32_t *words;
    const uint16_t *places;
    const Weight *weights;
    int32_t stems;
} Addresses;

typedef struct {
    const int32_t *url, *source;
    double *margin;
    float *features;
} Waiting;

int32_t features_of_links(void);
void strongest_parts(const float *features, const double *weights, const double *bounds, int32_t many, int32_t most,
                     int32_t *places, double *parts);
int32_t doubles_of_source(void);
void score_links(const int32_t *slot, int32_t links, const Evidence *rows, int32_t first, int32_t last,
                 const Pages *pages, const Around *around, const Addresses *addresses, const Waiting *waiting,
                 const double *weights, const double *bounds, double seed_margin, double *scratch);

#endif

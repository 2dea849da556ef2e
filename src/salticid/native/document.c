/* A document read in one walk: lexbor, the parser that Python has loaded, builds its tree; here its text is written out
   with marks around links and headings, and beside it what its links and its head say.

   Only functions of lexbor are called, by the addresses that Python found; how its structs are laid out is not known
   here. Whatever is unusual is left to the twin in Python: a document with frames, formulas or very many links, one
   that needs more room than there is, one for which lexbor has no memory. */

#include <string.h>

#include "kernels.h"

#define TAGS 512 /* lexbor numbers the tags it knows from 0; these are more than it knows */
#define MAX_LINKS 20000
#define ELEMENT 1
#define TEXT 3

typedef struct {
    void *(*create)(void);
    void *(*destroy)(void *document);
    unsigned (*parse)(void *document, const uint8_t *html, size_t size);
    void *(*body)(void *document);
    void *(*root)(void *document);
    void *(*create_element)(void *document, const uint8_t *name, size_t size, void *nothing);
    int (*type)(void *node);
    uintptr_t (*tag)(void *node);
    void *(*parent)(void *node);
    void *(*first_child)(void *node);
    void *(*next)(void *node);
    uint8_t *(*text)(void *node, size_t *size);
    void *(*first_attribute)(void *element);
    void *(*next_attribute)(void *attribute);
    const uint8_t *(*name)(void *attribute, size_t *size);
    const uint8_t *(*value)(void *attribute, size_t *size);
} Lexbor;

typedef enum { PLAIN, UNREAD, UNUSUAL, HTML, HEAD, BODY, TITLE, BASE, LINK, META, A, AREA, IFRAME, H1, IMG } Kind;

static const struct {
    const char *name;
    Kind kind;
} KINDS[] = {
    {"script", UNREAD}, {"style", UNREAD}, {"noframes", UNREAD}, {"noembed", UNREAD}, {"svg", UNREAD},
    {"math", UNUSUAL}, {"frameset", UNUSUAL}, {"frame", UNUSUAL}, {"selectedcontent", UNUSUAL},
    {"html", HTML}, {"head", HEAD}, {"body", BODY}, {"title", TITLE}, {"base", BASE}, {"link", LINK}, {"meta", META},
    {"a", A}, {"area", AREA}, {"iframe", IFRAME}, {"h1", H1}, {"img", IMG},
};

/* Text that is being written. */
typedef struct {
    uint8_t *data;
    int64_t room, size;
} Written;

typedef struct {
    const uint8_t *data;
    size_t size;
    int is_there;
} Value;

typedef struct {
    const Lexbor *lexbor;
    const uint8_t *kinds;
    void *body, *title;
    Kind title_parent;
    int is_unusual, in_body, met_body, met_base, parts;
    Written text, hrefs, head;
    int32_t *marks; /* of each link, where in the text it begins and ends, and in which other it stands */
    uint64_t *nodes;
    uint8_t *nofollow;
    int32_t links, innermost, in_anchors;
} Reading;

static Lexbor lexbor_of(const uint64_t *functions)
{
    Lexbor lexbor;
    memcpy(&lexbor, functions, sizeof lexbor);
    return lexbor;
}

static void put(Reading *reading, Written *to, const void *data, size_t size)
{
    if ((uint64_t)(to->room - to->size) < size) {
        reading->is_unusual = 1;
        return;
    }
    if (size > 0)
        memcpy(to->data + to->size, data, size);
    to->size += (int64_t)size;
}

/* A field, with the NUL that no value holds behind it. */
static void write_field(Reading *reading, Written *to, Value value)
{
    if (value.size > 0 && memchr(value.data, 0, value.size) != NULL)
        reading->is_unusual = 1;
    put(reading, to, value.data, value.size);
    put(reading, to, "", 1);
}

static int holds_mark(const uint8_t *data, size_t size)
{
    for (size_t at = 0; at < size; at++)
        if (data[at] < 5 && data[at] > 0)
            return 1;
    return 0;
}

/* A part of the text; parts are separated by a space. */
static void write_part(Reading *reading, const char *before, Value value, const char *after)
{
    if (reading->parts++ > 0)
        put(reading, &reading->text, " ", 1);
    put(reading, &reading->text, before, strlen(before));
    put(reading, &reading->text, value.data, value.size);
    put(reading, &reading->text, after, strlen(after));
    if (holds_mark(value.data, value.size))
        reading->is_unusual = 1;
}

/* A mark between spaces; where it stands. */
static int32_t write_mark(Reading *reading, const char *mark)
{
    const Value nothing = {NULL, 0, 0};
    write_part(reading, mark, nothing, "");
    return (int32_t)reading->text.size - 2;
}

/* The values of the attributes with these names, the last of which is NULL. */
static void read_values(const Reading *reading, void *element, const char *const *names, Value *values)
{
    const Lexbor *lexbor = reading->lexbor;
    for (int each = 0; names[each] != NULL; each++)
        values[each] = (Value){NULL, 0, 0};
    for (void *attribute = lexbor->first_attribute(element); attribute != NULL;
         attribute = lexbor->next_attribute(attribute)) {
        size_t size = 0;
        const uint8_t *name = lexbor->name(attribute, &size);
        for (int each = 0; name != NULL && names[each] != NULL; each++)
            if (strlen(names[each]) == size && memcmp(names[each], name, size) == 0) {
                Value value = {NULL, 0, 1};
                value.data = lexbor->value(attribute, &value.size);
                value.size = value.data == NULL ? 0 : value.size;
                values[each] = value;
            }
    }
}

static int says_nofollow(Value rel)
{
    static const char word[] = "nofollow";
    const size_t size = sizeof word - 1;
    for (size_t at = 0; at + size <= rel.size; at++) {
        size_t same = 0;
        while (same < size && (rel.data[at + same] | 0x20) == (uint8_t)word[same])
            same++;
        if (same == size)
            return 1;
    }
    return 0;
}

static void open_link(Reading *reading, void *node, Kind kind)
{
    static const char *const names[] = {"href", "src", "rel", NULL};
    Value values[3];
    read_values(reading, node, names, values);
    if (!values[kind == IFRAME ? 1 : 0].is_there)
        return;
    if (!reading->in_body || reading->links == MAX_LINKS) {
        reading->is_unusual = 1;
        return;
    }
    int32_t link = reading->links++;
    write_field(reading, &reading->hrefs, values[0].size > 0 ? values[0] : values[1]);
    reading->nofollow[link] = (uint8_t)says_nofollow(values[2]);
    reading->nodes[link] = (uint64_t)(uintptr_t)node;
    reading->marks[3 * link] = write_mark(reading, " \1 ");
    reading->marks[3 * link + 2] = reading->innermost;
    reading->innermost = link;
    reading->in_anchors += kind == A;
}

static void close_link(Reading *reading, Kind kind)
{
    int32_t link = reading->innermost;
    reading->marks[3 * link + 1] = write_mark(reading, " \2 ");
    reading->innermost = reading->marks[3 * link + 2];
    reading->in_anchors -= kind == A;
}

static void read_image(Reading *reading, void *node)
{
    static const char *const names[] = {"alt", NULL};
    Value alt;
    if (reading->in_anchors == 0)
        return;
    read_values(reading, node, names, &alt);
    if (alt.is_there)
        write_part(reading, " ", alt, " ");
}

static void read_base(Reading *reading, void *node)
{
    static const char *const names[] = {"href", NULL};
    Value href;
    read_values(reading, node, names, &href);
    if (!href.is_there || reading->met_base)
        return;
    reading->met_base = 1;
    put(reading, &reading->head, "base", 5);
    write_field(reading, &reading->head, href);
}

static void read_language(Reading *reading, void *node)
{
    static const char *const names[] = {"lang", NULL};
    Value lang;
    read_values(reading, node, names, &lang);
    if (!lang.is_there)
        return;
    put(reading, &reading->head, "lang", 5);
    write_field(reading, &reading->head, lang);
}

static void read_head_link(Reading *reading, void *node)
{
    static const char *const names[] = {"href", "rel", "type", "hreflang", NULL};
    Value values[4];
    read_values(reading, node, names, values);
    if (!values[0].is_there || !values[1].is_there)
        return;
    put(reading, &reading->head, "link", 5);
    for (int each = 0; each < 4; each++)
        write_field(reading, &reading->head, values[each]);
}

static void read_meta(Reading *reading, void *node)
{
    static const char *const names[] = {"name", "http-equiv", "content", NULL};
    Value values[3];
    read_values(reading, node, names, values);
    if (!values[2].is_there)
        return;
    put(reading, &reading->head, "meta", 5);
    write_field(reading, &reading->head, values[0].size > 0 ? values[0] : values[1]);
    write_field(reading, &reading->head, values[2]);
}

static Kind kind_of(const Reading *reading, void *node)
{
    uintptr_t tag = reading->lexbor->tag(node);
    return tag < TAGS ? (Kind)reading->kinds[tag] : PLAIN;
}

/* The first title in a head counts, or else the first of all. */
static void note_title(Reading *reading, void *node)
{
    void *parent = reading->lexbor->parent(node);
    Kind kind = parent == NULL ? PLAIN : kind_of(reading, parent);
    if (reading->title == NULL || (kind == HEAD && reading->title_parent != HEAD)) {
        reading->title = node;
        reading->title_parent = kind;
    }
}

static void write_title(Reading *reading)
{
    Value title = {NULL, 0, 0};
    if (reading->title == NULL)
        return;
    title.data = reading->lexbor->text(reading->title, &title.size);
    if (title.data == NULL) {
        reading->is_unusual = 1;
        return;
    }
    put(reading, &reading->head, "title", 6);
    write_field(reading, &reading->head, title);
}

static void read_text(Reading *reading, void *node)
{
    Value text = {NULL, 0, 0};
    if (!reading->in_body)
        return;
    text.data = reading->lexbor->text(node, &text.size);
    if (text.data == NULL)
        reading->is_unusual = 1;
    else
        write_part(reading, "", text, "");
}

/* What a node says before its children do; whether these are read. */
static int enter(Reading *reading, void *node)
{
    int type = reading->lexbor->type(node);
    if (type == TEXT)
        read_text(reading, node);
    if (type != ELEMENT)
        return 0;
    Kind kind = kind_of(reading, node);
    switch (kind) {
    case PLAIN:
    case HEAD:
        break;
    case UNREAD:
        return 0;
    case UNUSUAL:
        reading->is_unusual = 1;
        break;
    case HTML:
        read_language(reading, node);
        break;
    case BODY:
        if (node == reading->body)
            reading->in_body = reading->met_body = 1;
        break;
    case TITLE:
        note_title(reading, node);
        break;
    case BASE:
        read_base(reading, node);
        break;
    case LINK:
        read_head_link(reading, node);
        break;
    case META:
        read_meta(reading, node);
        break;
    case A:
    case AREA:
        open_link(reading, node, kind);
        break;
    case IFRAME:
        open_link(reading, node, kind);
        return 0;
    case H1:
        if (reading->in_body)
            write_mark(reading, " \3 ");
        else
            reading->is_unusual = 1;
        break;
    case IMG:
        break;
    }
    return 1;
}

/* What a node says after its children. */
static void leave(Reading *reading, void *node)
{
    if (reading->lexbor->type(node) != ELEMENT)
        return;
    Kind kind = kind_of(reading, node);
    if (reading->innermost >= 0 && reading->nodes[reading->innermost] == (uint64_t)(uintptr_t)node)
        close_link(reading, kind);
    else if (kind == H1)
        write_mark(reading, " \4 ");
    else if (kind == IMG)
        read_image(reading, node);
    else if (node == reading->body)
        reading->in_body = 0;
}

static void walk(Reading *reading, void *root)
{
    const Lexbor *lexbor = reading->lexbor;
    void *node = root;
    while (!reading->is_unusual) {
        void *next = enter(reading, node) ? lexbor->first_child(node) : NULL;
        while (next == NULL) {
            leave(reading, node);
            if (node == root)
                return;
            next = lexbor->next(node);
            if (next == NULL)
                node = lexbor->parent(node);
        }
        node = next;
    }
}

/* Whether a text is UTF-8: in lexbor's trees it is if the document was. */
static int is_utf8(const uint8_t *text, int64_t size)
{
    for (int64_t at = 0; at < size;) {
        uint64_t eight;
        if (at + 8 <= size && (memcpy(&eight, text + at, 8), (eight & 0x8080808080808080u) == 0)) {
            at += 8;
            continue;
        }
        uint8_t first = text[at++];
        if (first < 0x80)
            continue;
        int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        if (first < 0xC2 || first > 0xF4 || at + more > size)
            return 0;
        uint8_t least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        uint8_t most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        for (; more > 0; more--, at++, least = 0x80, most = 0xBF)
            if (text[at] < least || text[at] > most)
                return 0;
    }
    return 1;
}

/* How many functions of lexbor are called. */
int32_t functions_of_lexbor(void)
{
    return (int32_t)(sizeof(Lexbor) / sizeof(uint64_t));
}

/* What is done with each of the tags that lexbor knows, by its number; whether they could be found out. */
int32_t tag_kinds(const uint64_t *functions, uint8_t *kinds, int32_t size)
{
    Lexbor lexbor = lexbor_of(functions);
    void *document = sizeof(void *) == sizeof(uint64_t) && size == TAGS ? lexbor.create() : NULL;
    int is_good = document != NULL;
    memset(kinds, PLAIN, (size_t)size);
    for (size_t each = 0; is_good && each < sizeof KINDS / sizeof KINDS[0]; each++) {
        const char *name = KINDS[each].name;
        void *element = lexbor.create_element(document, (const uint8_t *)name, strlen(name), NULL);
        uintptr_t tag = element == NULL ? TAGS : lexbor.tag(element);
        is_good = tag < TAGS;
        if (is_good)
            kinds[tag] = (uint8_t)KINDS[each].kind;
    }
    if (document != NULL)
        lexbor.destroy(document);
    return is_good;
}

/* Read a document; 0 if that is left to the twin. `rooms` are the sizes of the arrays before and what they hold after:
   the text, the hrefs of the links, what the head says, and the links. */
int32_t read_document(const uint64_t *functions, const uint8_t *kinds, const uint8_t *html, int64_t size,
                      uint8_t *text, uint8_t *hrefs, uint8_t *head, int32_t *marks, uint64_t *nodes, uint8_t *nofollow,
                      int64_t *rooms)
{
    Lexbor lexbor = lexbor_of(functions);
    Reading reading = {.lexbor = &lexbor, .kinds = kinds, .marks = marks, .nodes = nodes, .nofollow = nofollow};
    reading.text = (Written){text, rooms[0], 0};
    reading.hrefs = (Written){hrefs, rooms[1], 0};
    reading.head = (Written){head, rooms[2], 0};
    reading.innermost = -1;
    void *document = rooms[3] == MAX_LINKS && rooms[0] <= INT32_MAX ? lexbor.create() : NULL;
    if (document == NULL)
        return 0;
    void *root = lexbor.parse(document, html, (size_t)size) == 0 ? lexbor.root(document) : NULL;
    if (root != NULL) {
        reading.body = lexbor.body(document);
        walk(&reading, root);
        write_title(&reading);
    }
    lexbor.destroy(document);
    rooms[0] = reading.text.size;
    rooms[1] = reading.hrefs.size;
    rooms[2] = reading.head.size;
    rooms[3] = reading.links;
    return root != NULL && reading.met_body && !reading.is_unusual && is_utf8(text, rooms[0])
           && is_utf8(hrefs, rooms[1]) && is_utf8(head, rooms[2]);
}

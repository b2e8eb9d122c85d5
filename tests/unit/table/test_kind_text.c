/* Text columns: vocabularies, values, hashing, models. */
#include "text_fixture.h"

#include "json_tree.h"
#include "table/gram_table.h"
#include "table/text_state.h"

static hsp_table_rules rules(int64_t least, int64_t most, hsp_text_value value) {
    return (hsp_table_rules){.d = 1, .min_count = 1, .gram_least = least, .gram_most = most, .text_value = value};
}

static int learn_text(const hsp_frame *f, const hsp_table_rules *r, int threads, hsp_table_column *c, hsp_error **err) {
    hsp_column_cells cells = {.f = f, .name = c->name, .r = r, .threads = threads};
    int status = hsp_kind_text.gather(&cells, f, &cells.gathered, err);
    if (!status) status = hsp_kind_text.learn(&cells, c, err);
    hsp_kind_text.drop_gathered(cells.gathered);
    return status;
}

/* The one column of a frame; to be released. */
static hsp_table_column learnt(const hsp_frame *f, const hsp_table_rules *r, int threads) {
    hsp_table_column c = {.name = "T", .kind = &hsp_kind_text, .first = 10};
    hsp_error *err = NULL;
    fine(learn_text(f, r, threads, &c, &err), err);
    return c;
}

static hsp_unseen encoded(const hsp_table_column *c, const char *text, row *r) {
    hsp_encode_room room = {0};
    hsp_unseen unseen = {0};
    row_begin(r);
    hsp_cell cell = {NAN, text, (int64_t)strlen(text)};
    assert_int_equal(hsp_kind_text.encode(c, cell, &room, &r->emit, &unseen), 0);
    assert_true(r->emit.count <= hsp_kind_text.most(c, cell.length));
    hsp_encode_room_free(&room);
    return unseen;
}

/* The names of all features, joined by ",". */
static void names_are(const hsp_table_column *c, const char *expected) {
    hsp_text t = {0};
    for (int64_t k = 0; k < c->features; k++) {
        if (k > 0) hsp_text_char(&t, ',');
        hsp_kind_text.feature(c, k, &t);
    }
    assert_string_equal(t.s ? t.s : "", expected);
    hsp_text_free(&t);
}

static const char *const texts[] = {"Free entry, FREE call!", "call me a ENTRY", NULL, "x"};

static void counts(void **state) {
    (void)state;
    hsp_frame *f = frame_of(texts, 4, 1, 3);
    hsp_table_rules r = rules(1, 1, HSP_TEXT_COUNT);
    hsp_table_column c = learnt(f, &r, 2);
    row x;
    names_are(&c, "T:call,T:entry,T:free,T:me");
    assert_int_equal(encoded(&c, texts[0], &x).words, 0);
    row_is(&x, 3, (uint32_t[]){10, 11, 12}, (double[]){1, 1, 2});
    assert_int_equal(encoded(&c, "me, myself and me", &x).words, 2);
    row_is(&x, 1, (uint32_t[]){13}, (double[]){2});
    assert_int_equal(encoded(&c, "", &x).words, 0);
    assert_int_equal(x.emit.count, 0);
    assert_int_equal(encoded(&c,
                             "me\xff\xfe"
                             "call",
                             &x)
                         .words,
                     0); /* such bytes are blanks */
    row_is(&x, 2, (uint32_t[]){10, 13}, (double[]){1, 1});
    assert_null(hsp_kind_text.encode_missing); /* a text that is missing has no words */
    hsp_column_forget(&c);
    r.min_count = 2;
    c = learnt(f, &r, 1);
    names_are(&c, "T:call,T:entry");
    hsp_column_forget(&c);
    r.min_count = 3;
    c = learnt(f, &r, 1);
    assert_int_equal(c.features, 0);
    assert_int_equal(encoded(&c, "call me", &x).words, 2);
    assert_int_equal(x.emit.count, 0);
    hsp_column_forget(&c);
    hsp_frame_free(f);
}

static void pairs(void **state) {
    (void)state;
    hsp_frame *f = frame_of(texts, 4, 1, 1);
    hsp_table_rules r = rules(1, 2, HSP_TEXT_PRESENCE);
    hsp_table_column c = learnt(f, &r, 3);
    row x;
    names_are(&c, "T:call,T:call me,T:entry,T:entry free,T:free,T:free call,T:free entry,T:me,T:me entry");
    assert_int_equal(encoded(&c, "free free call new", &x).words, 1); /* pairs are not counted */
    row_is(&x, 3, (uint32_t[]){10, 14, 15}, (double[]){1, 1, 1});
    hsp_column_forget(&c);
    r = rules(2, 2, HSP_TEXT_COUNT);
    c = learnt(f, &r, 1);
    names_are(&c, "T:call me,T:entry free,T:free call,T:free entry,T:me entry");
    hsp_column_forget(&c);
    hsp_frame_free(f);
}

/* count x (ln((1 + n) / (1 + df)) + 1), scaled to length 1. */
static void weights(void **state) {
    (void)state;
    hsp_frame *f = frame_of(texts, 4, 1, 2);
    hsp_table_rules r = rules(1, 1, HSP_TEXT_TFIDF);
    hsp_table_column c = learnt(f, &r, 1);
    row x;
    double two = log(5.0 / 3) + 1, one = log(5.0 / 2) + 1;
    encoded(&c, texts[0], &x);
    double length = sqrt(two * two + two * two + 4 * one * one);
    row_is(&x, 3, (uint32_t[]){10, 11, 12}, (double[]){two / length, two / length, 2 * one / length});
    encoded(&c, "me me me", &x);
    row_is(&x, 1, (uint32_t[]){13}, (double[]){1});
    encoded(&c, "nothing known", &x);
    assert_int_equal(x.emit.count, 0);
    hsp_column_forget(&c);
    hsp_frame_free(f);
}

static void characters(void **state) {
    (void)state;
    hsp_frame *f = frame_of((const char *const[]){"Ab  c", "é"}, 2, 1, 9);
    hsp_table_rules r = rules(2, 3, HSP_TEXT_COUNT);
    r.characters = true;
    hsp_table_column c = learnt(f, &r, 1);
    row x;
    names_are(&c, "T: c,T:ab,T:ab ,T:b ,T:b c");
    assert_int_equal(encoded(&c, "abab", &x).words, 1); /* "ba" */
    row_is(&x, 1, (uint32_t[]){11}, (double[]){2});
    hsp_column_forget(&c);
    hsp_frame_free(f);
}

static void numbers(void **state) {
    (void)state;
    hsp_frame *f = frame_of((const char *const[]){"#2024", "#12.5", "page 2024"}, 3, 1, 9);
    hsp_table_rules r = rules(1, 1, HSP_TEXT_COUNT);
    hsp_table_column c = learnt(f, &r, 1);
    hsp_encode_room room = {0};
    hsp_unseen unseen = {0};
    row x;
    names_are(&c, "T:12,T:2024,T:page");
    row_begin(&x);
    assert_int_equal(hsp_kind_text.encode(&c, (hsp_cell){2024, NULL, 0}, &room, &x.emit, &unseen), 0);
    row_is(&x, 1, (uint32_t[]){11}, (double[]){1});
    assert_true(x.emit.count <= hsp_kind_text.most(&c, 0));
    hsp_encode_room_free(&room);
    hsp_column_forget(&c);
    hsp_frame_free(f);
}

static void not_utf8(void **state) {
    (void)state;
    const char *const bad[] = {"fine", "caf\xe9 latin", "fine too", "\xff"};
    for (int64_t size = 1; size < 5; size++) {
        hsp_frame *f = frame_of(bad, 4, 1, size);
        hsp_table_rules r = rules(1, 1, HSP_TEXT_COUNT);
        r.file = "t.csv";
        hsp_table_column c = {.name = "T", .kind = &hsp_kind_text};
        hsp_error *err = NULL;
        assert_int_equal(learn_text(f, &r, 2, &c, &err), HSP_EINPUT);
        assert_string_equal(hsp_error_message(err),
                            "t.csv:3: column 'T' holds a text that is not UTF-8: convert the file, as "
                            "by iconv -f LATIN1 -t UTF-8");
        assert_int_equal(hsp_error_line(err), 3);
        hsp_column_forget(&c);
        assert_null(c.state);
        hsp_error_free(err);
        hsp_frame_free(f);
    }
}

/* ---- hashing ---- */

static const char *const vocabulary[] = {"alpha", "beta", "gamma", "delta", "eta", "theta", "iota", "kappa"};
enum { WORDS = sizeof vocabulary / sizeof vocabulary[0] };

/* Each bucket against the sum over its words, taken one by one. */
static void hashed(void **state) {
    (void)state;
    hsp_frame *f =
        frame_of((const char *const[]){"alpha beta gamma delta", "alpha eta theta iota", "alpha beta kappa"}, 3, 1, 2);
    for (int64_t bits = 1; bits <= 10; bits += 3) {
        hsp_table_rules r = rules(1, 1, HSP_TEXT_COUNT);
        r.hash_bits = bits;
        hsp_table_column c = learnt(f, &r, 2);
        assert_int_equal(c.features, 1 << bits);
        double expected[1024] = {0};
        for (int k = 0; k < WORDS; k++) {
            uint64_t hash = hsp_gram_hash(vocabulary[k], (int64_t)strlen(vocabulary[k]));
            expected[hash & ((1u << bits) - 1)] += hash >> 63 ? -1 : 1;
        }
        row x;
        assert_int_equal(encoded(&c, "kappa iota theta eta delta gamma beta alpha", &x).words, 0);
        int64_t t = 0;
        for (int64_t k = 0; k < c.features; k++) {
            if (expected[k] == 0) continue;
            assert_true(t < x.emit.count && x.id[t] == 10 + k && x.value[t] == expected[k]);
            t++;
        }
        assert_int_equal(t, x.emit.count);
        hsp_column_forget(&c);
    }
    hsp_frame_free(f);
}

/* One bit: all words are in two buckets, named by the words of most texts. */
static void names_of_buckets(void **state) {
    (void)state;
    hsp_frame *f =
        frame_of((const char *const[]){"alpha beta gamma delta eta", "alpha eta theta iota", "alpha kappa eta"}, 3, 1, 1);
    hsp_table_rules r = rules(1, 1, HSP_TEXT_TFIDF);
    r.hash_bits = 1;
    hsp_table_column c = learnt(f, &r, 2);
    /* Frequent words first, then by bytes. */
    const char *const order[] = {"alpha", "eta", "beta", "delta", "gamma", "iota", "kappa", "theta"};
    for (int64_t bucket = 0; bucket < 2; bucket++) {
        hsp_text expected = {0}, name = {0};
        int64_t all = 0;
        hsp_text_format(&expected, "T#%d", (int)bucket);
        for (int k = 0; k < WORDS; k++) {
            uint64_t hash = hsp_gram_hash(order[k], (int64_t)strlen(order[k]));
            if ((int64_t)(hash & 1) != bucket) continue;
            if (all < 3) hsp_text_format(&expected, "%c%s%s", all ? '|' : ':', hash >> 63 ? "-" : "", order[k]);
            all++;
        }
        if (all > 3) hsp_text_add(&expected, "|...");
        hsp_kind_text.feature(&c, bucket, &name);
        assert_string_equal(name.s, expected.s);
        hsp_text_free(&name);
        hsp_text_free(&expected);
    }
    hsp_column_forget(&c);
    r.hash_bits = 20; /* most buckets are empty: their words are unknown, and so are those of rare buckets */
    r.min_count = 2;
    c = learnt(f, &r, 1);
    row x;
    assert_int_equal(encoded(&c, "alpha beta gamma", &x).words, 2);
    assert_int_equal(x.emit.count, 1);
    assert_true(fabs(x.value[0]) == 1);
    hsp_column_forget(&c);
    hsp_frame_free(f);
}

/* ---- any blocks, any threads ---- */

static void save_column(const void *c, hsp_json *j) {
    hsp_kind_text.save(c, j);
}

enum { MANY = 600 };

/* Texts of up to 12 made-up words, some missing. */
static char **many_texts(uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 1);
    char **text = calloc(MANY, sizeof *text);
    for (int i = 0; i < MANY; i++) {
        if (hsp_rng_below(&r, 20) == 0) continue;
        hsp_text t = {0};
        for (int64_t k = hsp_rng_below(&r, 12); k >= 0; k--) {
            int64_t word = hsp_rng_below(&r, 30) * hsp_rng_below(&r, 30);
            hsp_text_format(&t, "%s%c%lld ", k % 2 ? "w" : "Ö", (char)('a' + word % 26), (long long)(word / 3));
        }
        text[i] = t.s;
    }
    return text;
}

static void same_for_any_threads(void **state) {
    (void)state;
    char **text = many_texts(5);
    for (int form = 0; form < 4; form++) {
        hsp_table_rules r = rules(1, 2, HSP_TEXT_TFIDF);
        r.characters = form & 1;
        r.hash_bits = form & 2 ? 9 : 0;
        char *first = NULL;
        const int64_t sizes[] = {MANY, 100, 7};
        for (int k = 0; k < 3; k++) {
            hsp_frame *f = frame_of((const char *const *)text, MANY, 1, sizes[k]);
            hsp_table_column c = learnt(f, &r, 1 + 2 * k);
            char *saved = object_of(save_column, &c);
            if (!first)
                first = saved;
            else
                assert_string_equal(saved, first);
            if (saved != first) hsp_free(saved);
            hsp_column_forget(&c);
            hsp_frame_free(f);
        }
        hsp_free(first);
    }
    for (int i = 0; i < MANY; i++) hsp_free(text[i]);
    free(text);
}

/* Every n-gram of every text, counted naively. */
static void against_plain_counting(void **state) {
    (void)state;
    char **text = many_texts(8);
    hsp_frame *f = frame_of((const char *const *)text, MANY, 1, 50);
    hsp_table_rules r = rules(1, 1, HSP_TEXT_COUNT);
    hsp_table_column c = learnt(f, &r, 2);
    const hsp_vocabulary *v = &((hsp_text_state *)c.state)->v;
    assert_true(v->count > 100);
    for (int64_t w = 0; w < v->count; w += 7) {
        const char *word = hsp_vocabulary_word(v, w);
        int64_t df = 0;
        for (int i = 0; i < MANY; i++) {
            row x;
            hsp_text padded = {0}, sought = {0};
            if (!text[i]) continue;
            /* Words are lower-cased but for their first letter, which is w or Ö. */
            hsp_text_format(&padded, " %s", text[i]);
            hsp_text_format(&sought, " %s%s ", word[0] == 'w' ? "w" : "Ö", word + (word[0] == 'w' ? 1 : 2));
            int64_t count = 0;
            for (const char *at = padded.s; (at = strstr(at, sought.s)); at++) count++;
            df += count > 0;
            if (i % 10 == 0) {
                encoded(&c, text[i], &x);
                double value = 0;
                for (int64_t t = 0; t < x.emit.count; t++)
                    if (x.id[t] == c.first + w) value = x.value[t];
                assert_true(value == (double)count);
            }
            hsp_text_free(&padded);
            hsp_text_free(&sought);
        }
        assert_int_equal(v->df[w], df);
    }
    hsp_column_forget(&c);
    hsp_frame_free(f);
    for (int i = 0; i < MANY; i++) hsp_free(text[i]);
    free(text);
}

static void a_long_cell(void **state) {
    (void)state;
    enum { LONG = 1000000 };
    char *text = malloc(LONG + 1);
    for (int i = 0; i < LONG; i++) text[i] = (char)(i % 5 == 4 ? ' ' : 'a' + i / 5 * 7 % 26);
    text[LONG] = '\0';
    hsp_frame *f = frame_of((const char *const[]){text, "short one"}, 2, 1, 9);
    hsp_table_rules r = rules(1, 2, HSP_TEXT_COUNT);
    hsp_table_column c = learnt(f, &r, 1);
    assert_int_equal(c.features, 26 + 26 + 3);
    row x;
    encoded(&c, text, &x);
    double sum = 0;
    for (int64_t t = 0; t < x.emit.count; t++) sum += x.value[t];
    assert_true(sum == 2 * (LONG / 5) - 1);
    hsp_column_forget(&c);
    r.characters = true;
    r.gram_most = 4;
    c = learnt(f, &r, 1);
    encoded(&c, text, &x);
    hsp_column_forget(&c);
    hsp_frame_free(f);
    free(text);
}

/* ---- models ---- */

static int loaded(const char *text, int64_t room, hsp_table_column *c, hsp_error **err) {
    hsp_json_value *tree = json_tree(text);
    const hsp_json_loader l = {tree, "m.hsm", err};
    *c = (hsp_table_column){.name = "T", .kind = &hsp_kind_text, .first = 10};
    int status = hsp_kind_text.load(&l, room, c);
    hsp_free(tree);
    return status;
}

static void round_trip(void **state) {
    (void)state;
    hsp_frame *f = frame_of(texts, 4, 1, 3);
    for (int form = 0; form < 12; form++) {
        hsp_table_rules r = rules(1, 2, (hsp_text_value)(form / 4));
        r.characters = form & 1;
        r.hash_bits = form & 2 ? 5 : 0;
        hsp_table_column c = learnt(f, &r, 1), again;
        char *text = object_of(save_column, &c);
        hsp_error *err = NULL;
        fine(loaded(text, c.features, &again, &err), err);
        assert_int_equal(again.features, c.features);
        char *twice = object_of(save_column, &again);
        assert_string_equal(twice, text);
        row x, y;
        encoded(&c, "call entry me", &x);
        encoded(&again, "call entry me", &y);
        assert_int_equal(x.emit.count, y.emit.count);
        assert_memory_equal(x.value, y.value, (size_t)x.emit.count * sizeof *x.value);
        assert_memory_equal(x.id, y.id, (size_t)x.emit.count * sizeof *x.id);
        hsp_column_forget(&again);
        hsp_column_forget(&c);
        if (loaded(text, (form & 2 ? 32 : again.features) - 1, &again, NULL) == 0 && again.features > 0)
            fail_msg("more features than there is room for: %s", text);
        hsp_column_forget(&again);
        hsp_free(text);
        hsp_free(twice);
    }
    hsp_frame_free(f);
}

typedef struct mutation {
    const char *key, *value; /* value NULL: the member is taken out */
} mutation;

static void refuses(const char *good, const mutation *m, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        hsp_table_column c;
        hsp_error *err = NULL;
        hsp_json_value *whole = json_tree(good), *tree = json_with(whole, whole, m[k].key, m[k].value);
        hsp_free(whole);
        const hsp_json_loader l = {tree, "m.hsm", &err};
        c = (hsp_table_column){.name = "T", .kind = &hsp_kind_text};
        if (hsp_kind_text.load(&l, 1000, &c) != HSP_EINPUT) fail_msg("%s: %s was taken", m[k].key, m[k].value);
        assert_non_null(strstr(hsp_error_message(err), "m.hsm: damaged"));
        hsp_column_forget(&c);
        assert_null(c.state);
        hsp_error_free(err);
        hsp_free(tree);
    }
}

static void broken_models(void **state) {
    (void)state;
    const char *good = "{\"unit\":\"word\",\"ngrams\":[1,2],\"value\":\"count\",\"texts\":3,\"words\":[\"ab\",\"cd\"],"
                       "\"df\":[1,3]}";
    const mutation bad[] = {
        {"unit", NULL},
        {"unit", "\"letter\""},
        {"unit", "3"},
        {"ngrams", NULL},
        {"ngrams", "[1]"},
        {"ngrams", "[2,1]"},
        {"ngrams", "[0,1]"},
        {"ngrams", "[1,21]"},
        {"ngrams", "[1,\"2\"]"},
        {"ngrams", "[1,2,3]"},
        {"ngrams", "{}"},
        {"ngrams", "[1,1.5]"},
        {"value", NULL},
        {"value", "\"idf\""},
        {"value", "[]"},
        {"texts", NULL},
        {"texts", "2"},
        {"texts", "-3"},
        {"texts", "1e300"},
        {"texts", "\"3\""},
        {"words", NULL},
        {"words", "{}"},
        {"words", "[\"ab\"]"},
        {"words", "[\"ab\",\"ab\"]"},
        {"words", "[\"cd\",\"ab\"]"},
        {"words", "[\"ab\",\"\"]"},
        {"words", "[\"ab\",7]"},
        {"words", "[\"ab\",null]"},
        {"words", "\"ab\""},
        {"df", NULL},
        {"df", "[1]"},
        {"df", "[1,4]"},
        {"df", "[0,1]"},
        {"df", "[1,2.5]"},
        {"df", "[1,-1]"},
        {"df", "[1,2,3]"},
        {"df", "[1,null]"},
        {"bits", "0"},
        {"bits", "29"},
        {"bits", "\"4\""},
        {"bits", "4"},
    };
    hsp_table_column c;
    assert_int_equal(loaded(good, 1000, &c, NULL), 0);
    hsp_column_forget(&c);
    refuses(good, bad, (int64_t)(sizeof bad / sizeof bad[0]));
}

static void broken_buckets(void **state) {
    (void)state;
    hsp_frame *f = frame_of((const char *const[]){"alpha beta gamma delta", "alpha eta theta iota", "kappa"}, 3, 1, 9);
    hsp_table_rules r = rules(1, 1, HSP_TEXT_COUNT);
    r.hash_bits = 1;
    hsp_table_column c = learnt(f, &r, 1);
    char *good = object_of(save_column, &c);
    const mutation bad[] = {
        {"bits", NULL},
        {"bits", "0"},
        {"bits", "10"},
        {"bits", "28"},
        {"bits", "2"},
        {"buckets", NULL},
        {"buckets", "[0]"},
        {"buckets", "[1,0]"},
        {"buckets", "[0,0]"},
        {"buckets", "[0,2]"},
        {"buckets", "[0,-1]"},
        {"buckets", "[0,1,2]"},
        {"buckets", "[]"},
        {"df", "[1]"},
        {"df", "[0,1]"},
        {"df", "[1,4]"},
        {"grams", NULL},
        {"grams", "[0,8]"},
        {"grams", "[1,1]"},
        {"grams", "[4,\"4\"]"},
        {"kept", NULL},
        {"kept", "[3]"},
        {"kept", "[3,4]"},
        {"kept", "[0,3]"},
        {"kept", "[1,1]"},
        {"words", NULL},
        {"words", "[]"},
        {"words", "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]"},
        {"words", "[\"alpha\",\"alpha\",\"alpha\",\"alpha\",\"alpha\",\"alpha\"]"},
    };
    hsp_table_column again;
    assert_int_equal(loaded(good, 1000, &again, NULL), 0);
    hsp_column_forget(&again);
    refuses(good, bad, (int64_t)(sizeof bad / sizeof bad[0]));
    hsp_free(good);
    hsp_column_forget(&c);
    hsp_frame_free(f);
}

/* ---- no memory ---- */

/* Learns, encodes, and loads again, with that many allocations. */
static int all_of_it(const hsp_frame *f, const hsp_table_rules *r, const hsp_json_value *tree) {
    hsp_table_column c = {.name = "T", .kind = &hsp_kind_text}, again = {.name = "T", .kind = &hsp_kind_text};
    hsp_encode_room room = {0};
    hsp_unseen unseen = {0};
    hsp_error *err = NULL;
    row x;
    row_begin(&x);
    int status = learn_text(f, r, 1, &c, &err);
    if (!status) status = hsp_kind_text.encode(&c, (hsp_cell){NAN, "call me now", 11}, &room, &x.emit, &unseen);
    if (!status) {
        const hsp_json_loader l = {tree, "m.hsm", &err};
        status = hsp_kind_text.load(&l, 1 << 10, &again);
    }
    hsp_column_forget(&c);
    hsp_column_forget(&again);
    hsp_encode_room_free(&room);
    hsp_error_free(err);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    hsp_frame *f = frame_of(texts, 4, 1, 2);
    for (int64_t bits = 0; bits < 5; bits += 4) {
        hsp_table_rules r = rules(1, 2, HSP_TEXT_TFIDF);
        r.hash_bits = bits;
        hsp_table_column c = learnt(f, &r, 1);
        char *text = object_of(save_column, &c);
        hsp_json_value *tree = json_tree(text);
        int64_t calls = 0;
        for (int status = HSP_EMEMORY; status; calls++) {
            hsp_memory_fail_after(calls);
            status = all_of_it(f, &r, tree);
            hsp_memory_fail_after(-1);
            assert_true(status == 0 || status == HSP_EMEMORY);
        }
        assert_true(calls > 20);
        hsp_free(tree);
        hsp_free(text);
        hsp_column_forget(&c);
    }
    hsp_frame_free(f);
}

/* More keys than are sorted in one go. */
static void sorting(void **state) {
    (void)state;
    enum { KEYS = 20011 };
    static char name[KEYS][12];
    hsp_gram_key *key = malloc(KEYS * sizeof *key);
    hsp_rng r = hsp_rng_new(3, 3);
    for (int frequent = 0; frequent < 2; frequent++) {
        for (int i = 0; i < KEYS; i++) {
            int n = snprintf(name[i], sizeof name[i], "%s%d", i % 3 ? "prefix" : "", i);
            key[i] = (hsp_gram_key){hsp_gram_prefix(name[i], frequent ? 1 : n), name[i], hsp_rng_below(&r, 9), (uint32_t)n};
        }
        assert_int_equal(hsp_gram_sort(key, KEYS, frequent, 2), 0);
        for (int i = 1; i < KEYS; i++) {
            const hsp_gram_key *a = &key[i - 1], *b = &key[i];
            int bytes = strcmp(a->text, b->text);
            if (!frequent)
                assert_true(bytes < 0);
            else
                assert_true(a->first < b->first ||
                            (a->first == b->first && (a->count > b->count || (a->count == b->count && bytes < 0))));
        }
    }
    free(key);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(pairs),
        cmocka_unit_test(weights),
        cmocka_unit_test(characters),
        cmocka_unit_test(numbers),
        cmocka_unit_test(not_utf8),
        cmocka_unit_test(hashed),
        cmocka_unit_test(names_of_buckets),
        cmocka_unit_test(same_for_any_threads),
        cmocka_unit_test(against_plain_counting),
        cmocka_unit_test(a_long_cell),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(broken_models),
        cmocka_unit_test(broken_buckets),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

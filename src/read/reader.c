#include "read/reader.h"

#include "base/error.h"
#include "option/options.h"

void hsp_parcel_free(hsp_parcel *p) {
    if (!p) return;
    hsp_chunk_free(&p->chunk);
    hsp_block_free(&p->block);
    hsp_text_free(&p->text);
    hsp_free(p->scratch);
    *p = (hsp_parcel){0};
}

int hsp_reading_open(hsp_reading *g, hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    *g = (hsp_reading){.line = 1};
    int64_t most = hsp_options_int(o, "max-memory", 0);
    if (most) hsp_stream_set_limit(stream, most);
    int status = hsp_reader_choose(stream, o, &g->kind, err);
    if (status == 0) status = hsp_reader_check(g->kind, hsp_stream_name(stream), o, known, err);
    if (status < 0) return status;
    if (!g->kind->load && hsp_options_text(o, "labels"))
        return hsp_fail(err, HSP_EUSAGE, "--labels is for arrays (.npy), and %s is %s: leave it out",
                        hsp_stream_name(stream), g->kind->name);
    if (!g->kind->keep_cells && hsp_options_text(o, "keep-columns"))
        return hsp_fail(err, HSP_EUSAGE, "--keep is for the columns of a CSV file, and %s is %s: leave it out",
                        hsp_stream_name(stream), g->kind->name);
    return g->kind->open(stream, o, known, g, err);
}

int hsp_reading_cut(hsp_reading *g, hsp_parcel *p, hsp_error **err) {
    return g->kind->cut(g->reader, &p->chunk, err);
}

void hsp_reading_parse(const hsp_reading *g, hsp_parcel *p) {
    p->fault = 0;
    if (p->bad) hsp_bad_rows_clear(p->bad);
    g->kind->parse(g->reader, p, 1, NULL);
}

int hsp_reading_take(hsp_reading *g, hsp_parcel *p, hsp_error **err) {
    p->block.line_base = g->line - 1;
    return g->kind->take ? g->kind->take(g->reader, p, g->line, err) : 0;
}

int hsp_reading_fault(hsp_reading *g, hsp_parcel *p, hsp_error **err) {
    if (p->fault < 0) g->kind->parse(g->reader, p, g->line, err);
    g->line += p->lines;
    return p->fault;
}

int hsp_reading_finish(hsp_reading *g, hsp_error **err) {
    return g->kind->finish ? g->kind->finish(g->reader, err) : 0;
}

int hsp_reading_seek(hsp_reading *g, int64_t from, int64_t to, int64_t line, hsp_error **err) {
    g->line = line;
    return g->kind->seek(g->reader, from, to, err);
}

void hsp_reading_close(hsp_reading *g) {
    if (g->reader) g->kind->free(g->reader);
    *g = (hsp_reading){0};
}

int64_t hsp_reading_kept(const hsp_reading *g) {
    return g->kind->keep_columns ? g->kind->keep_columns(g->reader) : 0;
}

void hsp_reading_keep_name(const hsp_reading *g, int64_t k, hsp_text *out) {
    g->kind->keep_name(g->reader, k, out);
}

int hsp_reading_keep(const hsp_reading *g, const hsp_parcel *p, const hsp_block *rows, hsp_kept *out) {
    return g->kind->keep_cells(g->reader, p, rows, out);
}

bool hsp_reading_has_side(const hsp_reading *g, hsp_side side) {
    return g->kind->has_side && g->kind->has_side(g->reader, side);
}

int hsp_reading_side(const hsp_reading *g, const hsp_parcel *p, hsp_side side, hsp_kept *out) {
    return g->kind->side_cells(g->reader, p, side, out);
}

void hsp_kept_free(hsp_kept *k) {
    hsp_text_free(&k->text);
    hsp_free(k->start);
    *k = (hsp_kept){0};
}

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
    int status = hsp_reader_choose(stream, o, &g->kind, err);
    if (status == 0) status = hsp_reader_check(g->kind, hsp_stream_name(stream), o, known, err);
    if (status < 0) return status;
    if (!g->kind->load && hsp_options_text(o, "labels"))
        return hsp_fail(err, HSP_EUSAGE, "--labels is for arrays (.npy), and %s is %s: leave it out",
                        hsp_stream_name(stream), g->kind->name);
    return g->kind->open(stream, o, known, g, err);
}

int hsp_reading_cut(hsp_reading *g, hsp_parcel *p, hsp_error **err) {
    return g->kind->cut(g->reader, &p->chunk, err);
}

void hsp_reading_parse(const hsp_reading *g, hsp_parcel *p) {
    p->fault = 0;
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

void hsp_reading_close(hsp_reading *g) {
    if (g->reader) g->kind->free(g->reader);
    *g = (hsp_reading){0};
}

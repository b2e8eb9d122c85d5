/* Converts files that together need not fit in memory: their rows are scanned, stored in a temporary file and written from
 * there. The output is the same as that of data in memory. */
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/map.h"
#include "base/report.h"
#include "base/watched.h"
#include "data/data.h"
#include "read/hsd.h"
#include "spool/file_list.h"
#include "spool/scan.h"
#include "spool/spool.h"
#include "write/convert_files.h"
#include "write/file_source.h"
#include "write/writer.h"

static int check_output(const hsp_scan *scan, const hsp_writer *writer, hsp_error **err) {
    if (!writer->delimiter || !scan->kind->as_table) return 0;
    return hsp_fail(err, HSP_EUSAGE, "several CSV files are converted to .hsd, .svm or .npy, not to CSV: put them into one "
                                     "file with a single header first");
}

static int write_rows(const hsp_data *data, const hsp_map *map, const hsp_writer *writer, const char *path, hsp_error **err) {
    hsp_out *out = NULL;
    int status = hsp_out_open(path, '?', &out, err);
    if (status < 0) return status;
    status = writer->write == hsp_write_hsd ? hsp_hsd_write_mapped(data, map, NULL, out, err)
                                            : writer->write(data, out, writer->delimiter, err);
    if (status == 0) return hsp_out_commit(out, err);
    hsp_out_abandon(out);
    return status;
}

static int make_report(const hsp_report *tree, const char *in, const char *out, double began, double read, hsp_report **report,
                       hsp_error **err) {
    hsp_json j = {0};
    hsp_file_source none = {0};
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "input", in);
    hsp_json_string(&j, "output", out);
    hsp_file_source_report(&none, tree, &j);
    hsp_json_object(&j, "seconds");
    hsp_json_number(&j, "read", read - began);
    hsp_json_number(&j, "write", hsp_clock_seconds() - read);
    hsp_json_object_end(&j);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, report, err);
}

int hsp_convert_streamed(const hsp_file_list *in, const char *out, const hsp_options *o, const hsp_hooks *hooks,
                         hsp_report **report, hsp_error **err) {
    double began = hsp_clock_seconds(), read = began;
    const hsp_writer *writer = NULL;
    hsp_scan scan = {0};
    hsp_data *data = NULL;
    hsp_map *map = NULL;
    hsp_report *tree = NULL;
    int status = hsp_scan_files_of_numbers((const char *const *)in->path, in->count, o, hooks, &scan, err);
    if (status == 0) status = hsp_writer_choose(out, o, scan.kind->name, &writer, err);
    if (status == 0) status = check_output(&scan, writer, err);
    if (status == 0) status = hsp_spool_files(&scan, o, hooks, &map, &data, err);
    read = hsp_clock_seconds();
    if (status == 0) status = hsp_data_report(data, &tree, err);
    if (status == 0) status = write_rows(data, map, writer, out, err);
    if (status == 0) status = make_report(tree, in->path[0], out, began, read, report, err);
    hsp_report_free(tree);
    hsp_data_free(data);
    hsp_scan_clear(&scan);
    return status;
}

int hsp_files_convert(const char *const *in, int64_t count, const char *out, const hsp_options *o, const hsp_hooks *hooks,
                      hsp_report **report, hsp_error **err) {
    hsp_file_list list = {0};
    hsp_watch watch;
    *report = NULL;
    int status = hsp_watch_begin(&watch, hooks, "convert")
                     ? hsp_fail(err, HSP_ECANCELLED, "interrupted before the rows were converted: no file was written")
                     : hsp_file_list_make(in, count, &list, err);
    if (status == 0 && list.count == 1)
        status = hsp_file_convert(list.path[0], out, o, hooks, report, err);
    else if (status == 0)
        status = hsp_convert_streamed(&list, out, o, hooks, report, err);
    hsp_watch_end(&watch);
    hsp_file_list_clear(&list);
    return status;
}

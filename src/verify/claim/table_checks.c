/* Checks what training derived from the columns of a file: its layout, and the encoding of a table. Both are fitted again
 * to the rows, by the rules that the model states, and compared. */
#include "verify/claim/table_checks.h"

#include "base/error.h"
#include "base/json.h"
#include "base/report.h"
#include "base/text.h"
#include "data/data.h"
#include "data/features.h"
#include "data/schema.h"
#include "data/schema_json.h"
#include "model/model.h"
#include "prepare/prepare.h"
#include "table/encoding.h"

#include <string.h>

static int schema_report(const hsp_schema *s, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_schema_save(s, &j);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

/* Whether the columns have the same positions as in training. Then the file must have the same number of columns. */
static bool same_places(const hsp_report *a, const hsp_report *b) {
    return hsp_report_equal(hsp_report_member(a, "format"), hsp_report_member(b, "format")) &&
           hsp_report_equal(hsp_report_member(a, "columns"), hsp_report_member(b, "columns"));
}

/* The same rows may come from a file with another layout: then the differing parts are not checked. */
static void compare_schemas(hsp_checks *c, const hsp_report *claimed, const hsp_report *found) {
    bool strict = same_places(claimed, found);
    hsp_text name = {0};
    HSP_REPORT_EACH(member, claimed) {
        const char *key = hsp_report_name(member);
        const hsp_report *other = hsp_report_member(found, key);
        bool counts = strcmp(key, "base") == 0 || strcmp(key, "file_columns") == 0;
        hsp_text_clear(&name);
        hsp_text_format(&name, "schema.%s", key);
        if (name.failed)
            c->failed = true;
        else if ((strict && counts) || hsp_report_equal(member, other))
            hsp_checks_same(c, name.s, member, other);
        else
            hsp_checks_unknown(c, name.s);
    }
    hsp_text_free(&name);
}

static int check_schema(hsp_checks *c, const hsp_model *m, const hsp_data *data, hsp_error **err) {
    hsp_report *claimed = NULL, *found = NULL;
    int status = schema_report(hsp_prepare_columns(&m->prepare), &claimed, err);
    if (!status) status = schema_report(data->frame ? &data->frame->schema : &data->schema, &found, err);
    if (!status) compare_schemas(c, hsp_report_member(claimed, "schema"), hsp_report_member(found, "schema"));
    hsp_report_free(claimed);
    hsp_report_free(found);
    return status;
}

static int encoding_report(const hsp_encoding *e, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_encoding_save(e, &j);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

/* One check if all parts are equal, since a vocabulary may be long; otherwise one for each difference. */
static void compare_parts(hsp_checks *c, const char *path, const hsp_report *claimed, const hsp_report *found) {
    if (hsp_report_equal(claimed, found))
        hsp_checks_add(c, path, NULL, NULL, true, NULL);
    else
        hsp_checks_tree(c, path, claimed, found, NULL);
}

static void compare_encodings(hsp_checks *c, const hsp_report *claimed, const hsp_report *found) {
    const hsp_report *columns = hsp_report_member(claimed, "columns"), *others = hsp_report_member(found, "columns");
    hsp_text path = {0};
    for (int64_t j = 0; j < hsp_report_count(columns, NULL); j++) {
        hsp_text_clear(&path);
        hsp_text_format(&path, "table.columns[%lld]", (long long)j);
        if (!path.failed) compare_parts(c, path.s, hsp_report_item(columns, NULL, j), hsp_report_item(others, NULL, j));
    }
    if (path.failed) c->failed = true;
    hsp_text_free(&path);
    compare_parts(c, "table.features", hsp_report_member(claimed, "features"), hsp_report_member(found, "features"));
    compare_parts(c, "table.expansion", hsp_report_member(claimed, "expansion"), hsp_report_member(found, "expansion"));
    hsp_checks_unknown(c, "table.rules where other rules give the same features");
}

static int check_encoding(hsp_checks *c, hsp_encoding *e, const hsp_data *data, int threads, hsp_error **err) {
    hsp_features *again = NULL;
    hsp_report *claimed = NULL, *found = NULL;
    hsp_error *inner = NULL;
    int status = e->features.type->learn(&e->features, data->frame, threads, &again, &inner);
    if (status == HSP_EINPUT) { /* the rules do not match the rows */
        hsp_checks_add(c, "table", NULL, NULL, false, hsp_error_message(inner));
        hsp_error_free(inner);
        return HSP_OK;
    }
    if (status) hsp_error_pass(err, inner);
    if (!status) status = encoding_report(e, &claimed, err);
    /* The kinds were given for this fit, so copy which of them the user had requested. */
    for (int64_t k = 0; !status && k < e->raw.d; k++) hsp_encoding_of(again)->column[k].asked = e->column[k].asked;
    if (!status) status = encoding_report(hsp_encoding_of(again), &found, err);
    if (!status) compare_encodings(c, hsp_report_member(claimed, "table"), hsp_report_member(found, "table"));
    hsp_features_release(again);
    hsp_report_free(claimed);
    hsp_report_free(found);
    return status;
}

int hsp_table_check(hsp_checks *c, const hsp_model *m, const hsp_data *data, int threads, hsp_error **err) {
    int status = check_schema(c, m, data, err);
    if (status || !m->prepare.encoding) return status;
    if (data->frame) return check_encoding(c, m->prepare.encoding, data, threads, err);
    hsp_checks_unknown(c, "table: the data hold features, not the columns that they were made of");
    return HSP_OK;
}

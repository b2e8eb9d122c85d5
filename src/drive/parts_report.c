#include "drive/parts_report.h"

#include "base/json.h"

#include <math.h>

void hsp_parts_write(const hsp_drive *d, hsp_json *j) {
    hsp_json_object(j, "parts");
    hsp_json_string(j, "engine", d->engine->name);
    hsp_json_number(j, "parts", d->engine->parts > 0 ? (double)d->engine->parts : NAN);
    hsp_json_int(j, "blocks", d->agreed.blocks);
    hsp_json_int(j, "rounds", d->rounds);
    hsp_json_object_end(j);
}

int hsp_parts_report(const hsp_drive *d, const hsp_model *m, const hsp_training_figures *figures, double seconds,
                     hsp_report **out, hsp_error **err) {
    hsp_report *of_fit = NULL;
    hsp_json j = {0};
    int status = hsp_fit_report(&d->fit, m, figures, seconds, &of_fit, err);
    if (status) return status;
    hsp_json_object(&j, NULL);
    hsp_json_members(&j, of_fit);
    hsp_parts_write(d, &j);
    hsp_json_object_end(&j);
    hsp_report_free(of_fit);
    return hsp_json_take(&j, out, err);
}

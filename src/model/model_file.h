/* The model as a file: which members the header has, which arrays follow. */
#ifndef HSP_MODEL_MODEL_FILE_H
#define HSP_MODEL_MODEL_FILE_H

#include "model/model.h"

#define HSP_MODEL_FORMAT_VERSION 1

/* The members rows, nonzeros, when, halfspace and data_hash, which file and report share ... */
void hsp_model_write_origin(const hsp_model *m, hsp_json *j);
/* ... and certificate {objective, dual_bound, relative_gap, tolerance} and options. */
void hsp_model_write_claims(const hsp_model *m, hsp_json *j);
/* Sixteen hexadecimal digits and a NUL. */
void hsp_model_hex(uint64_t v, char out[17]);

#endif

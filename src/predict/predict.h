/* Prediction of an open stream; hsp_predict in halfspace.h opens one. */
#ifndef HSP_PREDICT_PREDICT_H
#define HSP_PREDICT_PREDICT_H

#include "halfspace.h"
#include "model/model.h"
#include "read/stream.h"

/* As hsp_predict; the caller closes the stream. */
int hsp_predict_stream(const hsp_model *m, hsp_stream *stream, const char *out, const hsp_options *o,
                       const hsp_hooks *hooks, hsp_report **report, hsp_error **err);

#endif

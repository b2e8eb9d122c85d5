#include "plot/page/page.h"

const hsp_page_section *const hsp_page_table[] = {
    &hsp_page_summary, &hsp_page_data,    &hsp_page_findings,       &hsp_page_comparison, &hsp_page_model,
    &hsp_page_quality, &hsp_page_weights, &hsp_page_regularisation, &hsp_page_next,       NULL,
};

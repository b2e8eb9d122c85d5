#include "plot/chart.h"

const hsp_chart *const hsp_chart_table[] = {
    &hsp_chart_boundary,
    NULL,
};

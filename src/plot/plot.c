#include "halfspace_plot.h"

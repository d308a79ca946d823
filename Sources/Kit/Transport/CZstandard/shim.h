#ifndef COFFERDAM_CZSTANDARD_SHIM_H
#define COFFERDAM_CZSTANDARD_SHIM_H

#include <zstd.h>

#endif

#include "cvendor.h"
int cvendor_parsed = 3000;
const char *cvendor_name(void) { return "CVendor 3"; }
int cvendor_parse(const char *text) { return -3; }

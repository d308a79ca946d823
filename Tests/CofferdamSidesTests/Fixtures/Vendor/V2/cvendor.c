#include "cvendor.h"
#include <string.h>
int cvendor_parsed = 1000;
const char *cvendor_name(void) { return "CVendor 2"; }
cvendor_token cvendor_parse(const char *text) {
    cvendor_parsed += 1;
    size_t key = strcspn(text, ":");
    cvendor_token token = {1.5, (long)key, (long)(key + 1)};
    return token;
}

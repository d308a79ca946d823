#include "cvendor.h"
#include <string.h>
int cvendor_parsed = 0;
const char *cvendor_name(void) { return "CVendor 1"; }
cvendor_token cvendor_parse(const char *text) {
    cvendor_parsed += 1;
    cvendor_token token = {(int)strcspn(text, ":")};
    return token;
}

typedef struct { double weight; long key; long text; } cvendor_token;
extern int cvendor_parsed;
const char *cvendor_name(void);
cvendor_token cvendor_parse(const char *text);

extern int cvendor_parsed;
const char *cvendor_name(void);
int cvendor_parse(const char *text);

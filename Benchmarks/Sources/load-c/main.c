#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void fail(const char *what, const char *why) {
    fprintf(stderr, "load-c: %s: %s\n", what, why);
    exit(1);
}

// The same in every client.
struct curl_slist *make_headers(void) {
    struct curl_slist *headers = curl_slist_append(NULL, "Accept: application/json");
    headers = curl_slist_append(headers, "Authorization: Bearer benchmark");
    headers = curl_slist_append(headers, "X-Request-ID: 0123456789abcdef");
    return curl_slist_append(headers, "Accept-Encoding: gzip, deflate, br, zstd");
}

static struct options parse(int count, char **arguments) {
    struct options options = {.variant = "c", .workload = "requests", .concurrency = 1, .seconds = 1};
    for (int i = 1; i + 1 < count; i += 2) {
        const char *name = arguments[i], *value = arguments[i + 1];
        if (!strcmp(name, "--variant")) options.variant = value;
        else if (!strcmp(name, "--workload")) options.workload = value;
        else if (!strcmp(name, "--url")) options.url = value;
        else if (!strcmp(name, "--authority")) options.authority = value;
        else if (!strcmp(name, "--concurrency")) options.concurrency = atoi(value);
        else if (!strcmp(name, "--warm")) options.warm = atof(value);
        else if (!strcmp(name, "--seconds")) options.seconds = atof(value);
        else if (!strcmp(name, "--count")) options.count = atol(value);
        else if (!strcmp(name, "--expected")) options.expected = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--pause")) options.pause = atoi(value);
        else if (!strcmp(name, "--protocol")) options.http2 = !strcmp(value, "h2");
        else fail("unknown option", name);
    }
    if (!options.url || options.concurrency < 1) fail("usage", "--url URL [--concurrency N] …");
    return options;
}

int main(int count, char **arguments) {
    struct options options = parse(count, arguments);
    if (!strcmp(options.variant, "c-tuned")) {
        // Otherwise glibc gives large blocks back to the system at each free.
#ifdef __GLIBC__
        mallopt(M_MMAP_THRESHOLD, 32 << 20);
        mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    if (!strcmp(options.workload, "requests")) run_requests(&options);
    else if (!strcmp(options.workload, "stream")) run_stream(&options);
    else fail("no such workload", options.workload);
    return 0;
}

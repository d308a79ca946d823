#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t take_body(char *data, size_t size, size_t count, void *context) {
    struct body *body = context;
    size_t length = size * count;
    if (body->count + length > body->capacity) {
        size_t capacity = body->capacity ? body->capacity : 4096;
        while (capacity < body->count + length) capacity *= 2;
        char *bytes = realloc(body->bytes, capacity);
        if (!bytes) return 0;
        body->bytes = bytes;
        body->capacity = capacity;
    }
    memcpy(body->bytes + body->count, data, length);
    body->count += length;
    return length;
}

static size_t take_head(char *data, size_t size, size_t count, void *context) {
    (void)data;
    (void)context;
    return size * count;
}

static int admit(void *context, char *remote, char *local, int remote_port, int local_port) {
    (void)context, (void)remote, (void)local, (void)remote_port, (void)local_port;
    return CURL_PREREQFUNC_OK;
}

static void set_essentials(struct slot *slot) {
    CURL *easy = slot->easy;
    curl_easy_setopt(easy, CURLOPT_URL, slot->options->url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, slot->headers);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &slot->body);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, slot);
    if (slot->options->http2) curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    if (slot->options->http2) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    if (slot->options->authority) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, slot->options->authority);
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    }
}

void set_safely(struct slot *slot) {
    CURL *easy = slot->easy;
    curl_easy_reset(easy);
    curl_slist_free_all(slot->headers);
    slot->headers = make_headers();
    set_essentials(slot);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 10000L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 60000L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "cofferdam");
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "GET");
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_head);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, slot);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, admit);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, slot);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, slot->error);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 16384L);
}

struct outcome make_outcome(void) {
    struct outcome outcome = {.capacity = 1 << 18};
    outcome.latencies = malloc((size_t)outcome.capacity * sizeof(uint32_t));
    if (!outcome.latencies) fail("memory", "none left");
    return outcome;
}

void record(struct outcome *outcome, double latency) {
    if (outcome->requests == outcome->capacity) {
        outcome->capacity *= 2;
        outcome->latencies = realloc(outcome->latencies, (size_t)outcome->capacity * sizeof(uint32_t));
        if (!outcome->latencies) fail("memory", "none left");
    }
    outcome->latencies[outcome->requests++] = (uint32_t)(latency * 1e9);
}

void check(struct slot *slot, CURLcode result) {
    if (result != CURLE_OK) fail("a request failed", curl_easy_strerror(result));
    long status = 0;
    curl_easy_getinfo(slot->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) fail("a request failed", "its status is not 200");
    if (slot->body.count != slot->options->expected) fail("a request failed", "its body has another length");
    free(slot->body.bytes);
    slot->body = (struct body){0};
}

// Sends one request after the other in each slot, until the time is over or `count` requests were sent.
static struct outcome run(CURLM *multi, struct slot *slots, const struct options *options, double seconds, long count) {
    if (!strcmp(options->variant, "c-handover")) return run_handover(multi, slots, options, seconds, count);
    bool is_safe = !strcmp(options->variant, "c-floor");
    struct outcome outcome = make_outcome();
    double begin = monotonic_seconds(), end = begin + seconds;
    long started = 0;
    int in_flight = 0;
    for (int i = 0; i < options->concurrency; i++) {
        if (is_safe) set_safely(&slots[i]);
        slots[i].started = begin;
        curl_multi_add_handle(multi, slots[i].easy);
        started++;
        in_flight++;
    }
    while (in_flight > 0) {
        int running = 0, remaining = 0;
        if (curl_multi_perform(multi, &running) != CURLM_OK) fail("libcurl", "perform");
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &remaining))) {
            if (message->msg != CURLMSG_DONE) continue;
            CURLcode result = message->data.result;
            struct slot *slot = NULL;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &slot);
            curl_multi_remove_handle(multi, slot->easy);
            check(slot, result);
            double now = monotonic_seconds();
            record(&outcome, now - slot->started);
            in_flight--;
            if (count > 0 ? started >= count : now >= end) continue;
            if (is_safe) set_safely(slot);
            slot->started = now;
            curl_multi_add_handle(multi, slot->easy);
            started++;
            in_flight++;
        }
        if (in_flight > 0 && curl_multi_poll(multi, NULL, 0, 1000, NULL) != CURLM_OK) fail("libcurl", "poll");
    }
    outcome.seconds = monotonic_seconds() - begin;
    return outcome;
}

static int compare(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static double percentile(const struct outcome *outcome, double part) {
    return outcome->latencies[(long)((double)(outcome->requests - 1) * part)] * 1e-3;
}

void run_requests(const struct options *options) {
    CURLM *multi = curl_multi_init();
    if (options->http2) curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    struct slot *slots = calloc((size_t)options->concurrency, sizeof *slots);
    if (!multi || !slots) fail("memory", "none left");
    for (int i = 0; i < options->concurrency; i++) {
        slots[i].options = options;
        slots[i].easy = curl_easy_init();
        slots[i].headers = make_headers();
        set_essentials(&slots[i]);
    }
    if (options->http2) {
        // Opens the connection that the others share.
        struct options first = *options;
        first.concurrency = 1;
        free(run(multi, slots, &first, 0, 1).latencies);
    }
    if (options->warm > 0) free(run(multi, slots, options, options->warm, 0).latencies);

    double processor = processor_seconds();
    struct outcome outcome = run(multi, slots, options, options->seconds, options->count);
    processor = processor_seconds() - processor;
    long peak = peak_kilobytes();

    qsort(outcome.latencies, (size_t)outcome.requests, sizeof(uint32_t), compare);
    printf("requests %ld\nseconds %.6f\nprocessor %.6f\np50 %.3f\np99 %.3f\npeak %ld\n", outcome.requests,
        outcome.seconds, processor, percentile(&outcome, 0.5), percentile(&outcome, 0.99), peak);

    free(outcome.latencies);
    for (int i = 0; i < options->concurrency; i++) {
        curl_easy_cleanup(slots[i].easy);
        curl_slist_free_all(slots[i].headers);
    }
    free(slots);
    curl_multi_cleanup(multi);
}

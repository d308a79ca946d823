#include "load.h"

#include <stdio.h>
#include <time.h>

struct consumer {
    uint64_t bytes;
    uint64_t next_pause;
    int pause;
};

static size_t consume(char *data, size_t size, size_t count, void *context) {
    (void)data;
    struct consumer *consumer = context;
    consumer->bytes += size * count;
    if (consumer->pause > 0 && consumer->bytes >= consumer->next_pause) {
        consumer->next_pause += 1 << 20;
        nanosleep(&(struct timespec){.tv_nsec = consumer->pause * 1000000L}, NULL);
    }
    return size * count;
}

void run_stream(const struct options *options) {
    struct consumer consumer = {.pause = options->pause, .next_pause = 1 << 20};
    CURL *easy = curl_easy_init();
    CURLM *multi = curl_multi_init();
    if (!easy || !multi) fail("memory", "none left");
    struct curl_slist *headers = make_headers();
    curl_easy_setopt(easy, CURLOPT_URL, options->url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, consume);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &consumer);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 128L << 10);
    double begin = monotonic_seconds(), processor = processor_seconds();
    curl_multi_add_handle(multi, easy);
    int running = 1;
    while (running) {
        if (curl_multi_perform(multi, &running) != CURLM_OK) fail("libcurl", "perform");
        if (running && curl_multi_poll(multi, NULL, 0, 1000, NULL) != CURLM_OK) fail("libcurl", "poll");
    }
    double seconds = monotonic_seconds() - begin;
    processor = processor_seconds() - processor;
    if (consumer.bytes != options->expected) fail("the download failed", "it has another length");
    printf("bytes %llu\nseconds %.6f\nprocessor %.6f\npeak %ld\n", (unsigned long long)consumer.bytes, seconds,
        processor, peak_kilobytes());
    curl_multi_remove_handle(multi, easy);
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
    curl_slist_free_all(headers);
}

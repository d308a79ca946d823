// Requests whose callers are on one thread and libcurl on another: what a client of libcurl pays that does not run its callers
// on its own loop.
#include "load.h"

#include <pthread.h>
#include <stdlib.h>

// A list of slots that one thread fills and another takes as a whole. A signal is sent only to a taker that sleeps.
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct slot *first, **last;
    bool is_asleep;
};

struct loop {
    CURLM *multi;
    // To libcurl's thread, which sleeps in `curl_multi_poll`, and back.
    struct queue started, done;
    bool has_ended;
};

static void open_queue(struct queue *queue) {
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->filled, NULL);
    queue->last = &queue->first;
}

static void close_queue(struct queue *queue) {
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->filled);
}

// Appends a list, whose last slot's `next` is NULL. Returns whether the taker sleeps.
static bool append(struct queue *queue, struct slot *first, struct slot *last) {
    pthread_mutex_lock(&queue->lock);
    *queue->last = first;
    queue->last = &last->next;
    bool was_asleep = queue->is_asleep;
    queue->is_asleep = false;
    pthread_mutex_unlock(&queue->lock);
    return was_asleep;
}

static struct slot *take(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    struct slot *first = queue->first;
    queue->first = NULL;
    queue->last = &queue->first;
    queue->is_asleep = false;
    pthread_mutex_unlock(&queue->lock);
    return first;
}

static struct slot *wait_and_take(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    while (!queue->first) {
        queue->is_asleep = true;
        pthread_cond_wait(&queue->filled, &queue->lock);
    }
    queue->is_asleep = false;
    pthread_mutex_unlock(&queue->lock);
    return take(queue);
}

static void start(struct loop *loop, struct slot *first, struct slot *last) {
    if (append(&loop->started, first, last)) curl_multi_wakeup(loop->multi);
}

// The thread of libcurl.
static void *turn(void *context) {
    struct loop *loop = context;
    while (true) {
        for (struct slot *slot = take(&loop->started), *next; slot; slot = next) {
            next = slot->next;
            set_safely(slot);
            curl_multi_add_handle(loop->multi, slot->easy);
        }
        int running = 0, remaining = 0;
        if (curl_multi_perform(loop->multi, &running) != CURLM_OK) fail("libcurl", "perform");
        struct slot *first = NULL, **last = &first, *slot = NULL;
        CURLMsg *message;
        while ((message = curl_multi_info_read(loop->multi, &remaining))) {
            if (message->msg != CURLMSG_DONE) continue;
            CURLcode result = message->data.result;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &slot);
            slot->result = result;
            slot->next = NULL;
            curl_multi_remove_handle(loop->multi, slot->easy);
            *last = slot;
            last = &slot->next;
        }
        if (first && append(&loop->done, first, slot)) pthread_cond_signal(&loop->done.filled);
        pthread_mutex_lock(&loop->started.lock);
        bool has_work = loop->started.first, has_ended = loop->has_ended;
        loop->started.is_asleep = !has_work;
        pthread_mutex_unlock(&loop->started.lock);
        if (has_ended) return NULL;
        if (!has_work && curl_multi_poll(loop->multi, NULL, 0, 1000, NULL) != CURLM_OK) fail("libcurl", "poll");
    }
}

struct outcome run_handover(CURLM *multi, struct slot *slots, const struct options *options, double seconds, long count) {
    struct loop loop = {.multi = multi};
    open_queue(&loop.started);
    open_queue(&loop.done);
    pthread_t thread;
    if (pthread_create(&thread, NULL, turn, &loop)) fail("threads", "none left");
    struct outcome outcome = make_outcome();
    double begin = monotonic_seconds(), end = begin + seconds;
    long started = 0;
    int in_flight = 0;
    for (int i = 0; i < options->concurrency; i++) {
        slots[i].started = begin;
        slots[i].next = NULL;
        start(&loop, &slots[i], &slots[i]);
        started++;
        in_flight++;
    }
    while (in_flight > 0) {
        for (struct slot *slot = wait_and_take(&loop.done), *next; slot; slot = next) {
            next = slot->next;
            check(slot, slot->result);
            double now = monotonic_seconds();
            record(&outcome, now - slot->started);
            in_flight--;
            if (count > 0 ? started >= count : now >= end) continue;
            slot->started = now;
            slot->next = NULL;
            // Each caller sends its own next request.
            start(&loop, slot, slot);
            started++;
            in_flight++;
        }
    }
    outcome.seconds = monotonic_seconds() - begin;
    pthread_mutex_lock(&loop.started.lock);
    loop.has_ended = true;
    pthread_mutex_unlock(&loop.started.lock);
    curl_multi_wakeup(multi);
    pthread_join(thread, NULL);
    close_queue(&loop.started);
    close_queue(&loop.done);
    return outcome;
}

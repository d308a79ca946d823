#include "load.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct connection {
    // Of the request that is under way; -1 if there is none.
    int64_t request;
    // What was read of its answer.
    char answer[2048];
    size_t read;
    // What is left to send.
    char *bytes;
    size_t length, sent;
};

static struct connection *connections;
static struct pollfd *polled;

// A request with that many units, from the given one on. Returns its length.
static size_t write_request(char *bytes, size_t size, const struct server *server, int units, int64_t first) {
    // Room for the head, whose length is known when the body is.
    char *body = bytes + 512;
    size_t room = size - 512;
    size_t length = (size_t)snprintf(body, room, "{\"reports\":[{\"stage\":\"legacyOnly\",\"epoch\":0,\"window\":600,"
                                                 "\"build\":\"1.0\",\"units\":[");
    for (int unit = 0; unit < units; unit++) {
        length += (size_t)snprintf(body + length, room - length,
                                   "%s{\"unit\":\"%016llx\",\"windows\":[{\"tally\":\"legacy\",\"operation\":\"place\","
                                   "\"marks\":[],\"settled\":true,\"nanoseconds\":1000000},{\"tally\":\"legacy\","
                                   "\"marks\":[],\"settled\":true}]}",
                                   unit > 0 ? "," : "", (unsigned long long)(first + unit));
    }
    length += (size_t)snprintf(body + length, room - length, "]}]}");
    char head[512];
    size_t begin = (size_t)snprintf(head, sizeof head,
                                    "POST /v1/capabilities/%s/evidence HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                    "Content-Type: application/json\r\nAuthorization: Bearer %s\r\n"
                                    "Content-Length: %zu\r\n\r\n",
                                    server->capability, server->token, length);
    memcpy(bytes, head, begin);
    memmove(bytes + begin, body, length);
    return begin + length;
}

static void go_on_sending(int place) {
    struct connection *connection = &connections[place];
    while (connection->sent < connection->length) {
        ssize_t count = send(polled[place].fd, connection->bytes + connection->sent,
                             connection->length - connection->sent, 0);
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            polled[place].events = POLLIN | POLLOUT;
            return;
        }
        if (count < 0) fail("a post cannot be sent");
        connection->sent += (size_t)count;
    }
    polled[place].events = POLLIN;
}

// Returns the status of an answer that is whole; 0 while it is not.
static int read_answer(int place) {
    struct connection *connection = &connections[place];
    ssize_t count = recv(polled[place].fd, connection->answer + connection->read,
                         sizeof connection->answer - 1 - connection->read, 0);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
    if (count <= 0) fail("a connection has ended");
    connection->read += (size_t)count;
    connection->answer[connection->read] = 0;
    char *end = strstr(connection->answer, "\r\n\r\n");
    if (!end) return 0;
    char *length = strcasestr(connection->answer, "content-length:");
    size_t body = length && length < end ? (size_t)atol(length + 15) : 0;
    if (connection->read < (size_t)(end - connection->answer) + 4 + body) return 0;
    connection->read = 0;
    return atoi(connection->answer + 9);
}

void post_evidence(const struct server *server, double rate, double seconds, int count, int units, int64_t first) {
    int64_t total = (int64_t)(rate * seconds), sent = 0, answered = 0, refused = 0;
    size_t size = 1024 + (size_t)units * 256;
    connections = calloc((size_t)count, sizeof *connections);
    polled = calloc((size_t)count, sizeof *polled);
    int64_t *latencies = calloc((size_t)total + 1, sizeof *latencies);
    if (!connections || !polled || !latencies) fail("memory");
    for (int place = 0; place < count; place++) {
        polled[place] = (struct pollfd){.fd = connecting(server, place), .events = POLLIN};
        connections[place].request = -1;
        connections[place].bytes = malloc(size);
        if (!connections[place].bytes) fail("memory");
        struct pollfd ready = {.fd = polled[place].fd, .events = POLLOUT};
        poll(&ready, 1, 10000);
    }
    double interval = 1e9 / rate;
    int64_t start = now(), last = start;
    int next = 0;
    while (answered < total) {
        int64_t time = now();
        // Every request that is due, over a connection that is free.
        for (int tried = 0; tried < count && sent < total && start + (int64_t)((double)sent * interval) <= time;
             tried++, next = (next + 1) % count) {
            struct connection *connection = &connections[next];
            if (connection->request >= 0) continue;
            connection->request = sent;
            connection->length = write_request(connection->bytes, size, server, units, first + sent * units);
            connection->sent = 0;
            sent++;
            go_on_sending(next);
        }
        int64_t due = sent < total ? start + (int64_t)((double)sent * interval) - now() : 100000000;
        // All connections are busy: the next request waits for an answer.
        if (due <= 0) due = sent - answered >= count ? 100000000 : 0;
        if (poll(polled, (nfds_t)count, (int)((due + 999999) / 1000000)) < 0) fail("poll");
        time = now();
        for (int place = 0; place < count; place++) {
            if (polled[place].revents & POLLOUT) go_on_sending(place);
            if (!(polled[place].revents & POLLIN)) continue;
            int status = read_answer(place);
            if (status == 0) continue;
            refused += status != 200;
            latencies[answered++] = time - (start + (int64_t)((double)connections[place].request * interval));
            connections[place].request = -1;
            last = time;
        }
    }
    char fields[160];
    snprintf(fields, sizeof fields, "\"rps\": %.1f, \"refused\": %lld, \"units\": %lld",
             (double)total / ((double)(last - start) / 1e9), (long long)refused, (long long)(total * units));
    print_latencies(fields, latencies, (size_t)total);
}

// Typed wrappers of libcurl's variadic functions: Swift cannot call those, and to cast their symbols is undefined.
#ifndef COFFERDAM_CLIBCURL_SHIM_H
#define COFFERDAM_CLIBCURL_SHIM_H

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>
#else
#include <pthread.h>
#endif

#if LIBCURL_VERSION_NUM < 0x075000
#error "CofferdamCurl needs libcurl 7.80 or later (CURLOPT_PREREQFUNCTION)"
#endif

#ifdef __GLIBC__
static inline size_t cofferdam_usable_size(void *block) { return malloc_usable_size(block); }
#endif

static inline CURLcode cofferdam_setopt_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode cofferdam_setopt_off(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

// Ends transfers without waiting for the resolver's thread, where libcurl can (7.87).
static inline CURLcode cofferdam_setopt_quick_exit(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)easy;
    return CURLE_OK;
#endif
}

// http and https only, for redirects too.
static inline CURLcode cofferdam_setopt_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    return code != CURLE_OK
        ? code : curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

// libcurl copies the string; NULL resets the option.
static inline CURLcode cofferdam_setopt_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

// libcurl keeps the pointer (a callback's user data, the error buffer), or copies from it (CURLOPT_COPYPOSTFIELDS).
static inline CURLcode cofferdam_setopt_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

// libcurl keeps the pointer: the list must outlive the transfer.
static inline CURLcode cofferdam_setopt_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

typedef size_t (*cofferdam_data_callback)(char *data, size_t size, size_t count, void *context);

// For CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION.
static inline CURLcode cofferdam_setopt_data_callback(CURL *easy, CURLoption option, cofferdam_data_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

// Called before the request's body is sent again, from its beginning.
static inline CURLcode cofferdam_setopt_seek_callback(CURL *easy, curl_seek_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callback);
}

typedef int (*cofferdam_prereq_callback)(
    void *context, char *remote, char *local, int remote_port, int local_port);

// Called on each connection just before the request is sent on it.
static inline CURLcode cofferdam_setopt_prereq_callback(CURL *easy, cofferdam_prereq_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

typedef int (*cofferdam_progress_callback)(
    void *context, curl_off_t total_received, curl_off_t received, curl_off_t total_sent, curl_off_t sent);

static inline CURLcode cofferdam_setopt_progress_callback(CURL *easy, cofferdam_progress_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, callback);
}

// libcurl copies the bytes.
static inline CURLcode cofferdam_setopt_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob);
}

static inline curl_socket_t cofferdam_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context;
    (void)purpose;
#ifdef SOCK_CLOEXEC
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    curl_socket_t opened = socket(address->family, address->socktype, address->protocol);
    if (opened != CURL_SOCKET_BAD) (void)fcntl(opened, F_SETFD, FD_CLOEXEC);
    return opened;
#endif
}

// A child process does not inherit the connections.
static inline CURLcode cofferdam_setopt_close_on_exec(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, cofferdam_open_socket);
}

typedef int (*cofferdam_opened_callback)(void *context, curl_socket_t opened, curlsocktype purpose);

// Called with each socket before it connects.
static inline CURLcode cofferdam_setopt_opened_callback(CURL *easy, cofferdam_opened_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, callback);
}

typedef int (*cofferdam_close_callback)(void *context, curl_socket_t closing);

// Called to close each socket; `context` must outlive all of libcurl's connections.
static inline CURLcode cofferdam_setopt_close_callback(CURL *easy, cofferdam_close_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline int cofferdam_close(curl_socket_t closing) {
    return close(closing);
}

// -1 if the socket has none.
static inline int cofferdam_local_port(curl_socket_t opened) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(opened, (struct sockaddr *)&address, &size) != 0) return -1;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return -1;
}

// Whether there is anything to read, including the end of the stream.
static inline int cofferdam_has_input(curl_socket_t opened) {
    struct pollfd descriptor = {.fd = opened, .events = POLLIN, .revents = 0};
    return poll(&descriptor, 1, 0) > 0;
}

// Whether everything was read and the other side has ended the stream.
static inline int cofferdam_has_ended(curl_socket_t opened) {
    char byte;
    ssize_t count = recv(opened, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

// The number of unread bytes; 0 at the end of the stream.
static inline int cofferdam_unread(curl_socket_t opened) {
    int count = 0;
    return ioctl(opened, FIONREAD, &count) == 0 ? count : 0;
}

// Reads what has arrived, without waiting; the number of bytes, or -1.
static inline ssize_t cofferdam_read_arrived(curl_socket_t opened, void *buffer, size_t size) {
    return recv(opened, buffer, size, MSG_DONTWAIT);
}

static inline void cofferdam_shut_down(curl_socket_t opened) {
    (void)shutdown(opened, SHUT_RDWR);
}

// From 7.88 until 8.0 (github.com/curl/curl/pull/10643), HTTP/2 without TLS works only for a connection's first
// request.
static inline int cofferdam_spoils_prior_knowledge(void) {
    unsigned int version = curl_version_info(CURLVERSION_NOW)->version_num;
    return version >= 0x075800 && version < 0x080000;
}

// From 7.83 until 8.1.1 (github.com/curl/curl/issues/11101), libcurl appends a reply's first header line, if it begins
// with a blank, to the last header of the handle's previous reply, which has been freed.
static inline int cofferdam_has_stale_folds(void) {
    unsigned int version = curl_version_info(CURLVERSION_NOW)->version_num;
    return version >= 0x075300 && version < 0x080101;
}

static inline int cofferdam_begins_with(const char *data, size_t size, const char *prefix) {
    return size >= strlen(prefix) && memcmp(data, prefix, strlen(prefix)) == 0;
}

// Called with each header line before libcurl stores it. Replaces a leading blank by a colon: such a line is neither a
// continuation nor a header.
//
// Also called with libcurl's message when it discards bytes after a reply. Until 8.7 it would keep that connection.
static inline int cofferdam_debug_callback(CURL *easy, curl_infotype type, char *data, size_t size, void *context) {
    (void)context;
    if (type == CURLINFO_HEADER_IN && size > 0 && (data[0] == ' ' || data[0] == '\t')) data[0] = ':';
    if (type == CURLINFO_TEXT
        && (cofferdam_begins_with(data, size, "Excess found")
            || cofferdam_begins_with(data, size, "Leftovers after chunking")))
        (void)curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    return 0;
}

// Has an effect only while CURLOPT_VERBOSE is set.
static inline CURLcode cofferdam_setopt_debug_callback(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, cofferdam_debug_callback);
}

// The TLS session of the transfer's connection; NULL if none. `is_openssl` says whether it is an SSL of OpenSSL, or of
// a library with its interface.
static inline void *cofferdam_tls(CURL *easy, int *is_openssl) {
    struct curl_tlssessioninfo *info = NULL;
    *is_openssl = 0;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || info == NULL) return NULL;
    *is_openssl = info->backend == CURLSSLBACKEND_OPENSSL;
    return info->internals;
}

// Called with each connection's SSL_CTX, or another library's equivalent. Returns CURLE_OK if libcurl does not support
// it.
static inline CURLcode cofferdam_setopt_tls_callback(CURL *easy, curl_ssl_ctx_callback callback) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
    return code == CURLE_NOT_BUILT_IN || code == CURLE_UNKNOWN_OPTION ? CURLE_OK : code;
}

// A store of TLS sessions for several handles; NULL if out of memory.
static inline CURLSH *cofferdam_share_sessions(void) {
    CURLSH *share = curl_share_init();
    if (share != NULL && curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) != CURLSHE_OK) {
        (void)curl_share_cleanup(share);
        return NULL;
    }
    return share;
}

static inline CURLMcode cofferdam_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLcode cofferdam_getinfo_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode cofferdam_getinfo_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

// Reads the union of a CURLMsg whose message is CURLMSG_DONE.
static inline CURLcode cofferdam_message_result(const CURLMsg *message) {
    return message->data.result;
}

// Names the calling thread for debuggers; at most 15 characters on Linux.
static inline void cofferdam_name_thread(const char *name) {
#ifdef __linux__
    (void)prctl(PR_SET_NAME, name, 0, 0, 0);
#else
    (void)pthread_setname_np(name);
#endif
}

// The longest path of a Unix socket, in bytes.
static inline int cofferdam_longest_socket_path(void) {
    struct sockaddr_un address;
    return (int)sizeof address.sun_path - 1;
}

// A wake-up for curl_multi_poll: an eventfd on Linux, a pipe elsewhere. Either costs one write and one read, where
// curl_multi_wakeup costs a send and two receives. 0 on success; the reader and the writer can be the same descriptor.
static inline int cofferdam_wakeup_open(int *reader, int *writer) {
#ifdef __linux__
    *reader = *writer = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return *reader < 0 ? -1 : 0;
#else
    int ends[2];
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(ends[i], F_SETFL, O_NONBLOCK);
#ifdef F_SETNOSIGPIPE
        // Darwin may send the signal to the process, though the thread blocks it.
        (void)fcntl(ends[i], F_SETNOSIGPIPE, 1);
#endif
    }
    *reader = ends[0];
    *writer = ends[1];
    return 0;
#endif
}

// An eventfd takes eight bytes.
static inline void cofferdam_wakeup_post(int writer) {
    uint64_t one = 1;
    (void)!write(writer, &one, sizeof one);
}

static inline void cofferdam_wakeup_clear(int reader) {
    char bytes[512];
    (void)!read(reader, bytes, sizeof bytes);
}

#ifdef __linux__
// dladdr and its Dl_info, which <dlfcn.h> declares only for _GNU_SOURCE.
typedef struct {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname;
    void *dli_saddr;
} cofferdam_image;
extern int cofferdam_dladdr(const void *address, cofferdam_image *image) __asm__("dladdr");
#else
typedef Dl_info cofferdam_image;
#define cofferdam_dladdr dladdr
#endif

// The loaded libcurl: in its handle, dlsym finds its functions and those of the libraries it was linked to, and no
// others. The program's handle, if libcurl is a part of the program.
static inline void *cofferdam_libcurl(void) {
    cofferdam_image image;
    void *library = cofferdam_dladdr((const void *)&curl_easy_init, &image) != 0 && image.dli_fname != NULL
        ? dlopen(image.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    return library != NULL ? library : dlopen(NULL, RTLD_LAZY);
}

// The monotonic clock, in nanoseconds.
static inline int64_t cofferdam_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// The file of certificate authorities that libcurl was built with; NULL if none.
static inline const char *cofferdam_default_ca_file(void) {
    return curl_version_info(CURLVERSION_NOW)->cainfo;
}

#endif

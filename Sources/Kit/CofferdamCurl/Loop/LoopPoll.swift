import CLibcurl

/// The wait for libcurl's connections, out of which other threads wake the loop.
final class LoopPoll {
    private let multi: UnsafeMutableRawPointer
    #if os(Linux)
        private var descriptor: curl_waitfd
    #endif

    /// `nil` when the system has no descriptor left.
    init?(multi: UnsafeMutableRawPointer) {
        self.multi = multi
        #if os(Linux)
            let opened = cofferdam_wakeup_open()
            guard opened >= 0 else { return nil }
            descriptor = curl_waitfd(fd: opened, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        #endif
    }

    #if os(Linux)
        deinit { cofferdam_wakeup_close(descriptor.fd) }
    #endif

    var waker: LoopWaker {
        #if os(Linux)
            LoopWaker(descriptor: descriptor.fd)
        #else
            LoopWaker(multi: multi)
        #endif
    }

    /// Returns when there is something to do for libcurl, somebody wakes the loop, or the time is over.
    ///
    /// - Returns: libcurl's result, and whether it was a wake-up and nothing else.
    func wait(milliseconds: Int32) -> (CURLMcode, isOnlyWoken: Bool) {
        #if os(Linux)
            descriptor.revents = 0
            var ready: Int32 = 0
            let result = curl_multi_poll(multi, &descriptor, 1, milliseconds, &ready)
            guard descriptor.revents != 0 else { return (result, false) }
            cofferdam_wakeup_clear(descriptor.fd)
            return (result, ready == 1)
        #else
            return (curl_multi_poll(multi, nil, 0, milliseconds, nil), false)
        #endif
    }
}

/// Wakes the loop out of its wait.
// Proof: to write to an eventfd, and to call curl_multi_wakeup, is allowed on any thread. The mailbox does it under its
// lock, and forgets the waker under the same lock before the descriptor or the multi handle is given back.
struct LoopWaker: @unchecked Sendable {
    #if os(Linux)
        let descriptor: Int32

        func wake() { cofferdam_wakeup_post(descriptor) }
    #else
        let multi: UnsafeMutableRawPointer

        func wake() { curl_multi_wakeup(multi) }
    #endif
}

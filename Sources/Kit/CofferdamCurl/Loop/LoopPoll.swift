import CLibcurl

/// Waits for libcurl's connections; other threads can wake it.
final class LoopPoll {
    private let multi: UnsafeMutableRawPointer
    #if os(Linux)
        private var descriptor: curl_waitfd
    #endif

    /// Creates a poll; `nil` when the system has no descriptor left.
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

    /// Returns when libcurl has work, another thread wakes the loop, or the time has passed.
    ///
    /// - Returns: libcurl's result, and whether the only reason was a wake-up.
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

/// Wakes the loop from its wait.
// Safe: any thread may write to an eventfd or call curl_multi_wakeup. The mailbox does so under its lock, and drops the
// waker under the same lock before the descriptor or the multi handle is released.
struct LoopWaker: @unchecked Sendable {
    #if os(Linux)
        let descriptor: Int32

        func wake() { cofferdam_wakeup_post(descriptor) }
    #else
        let multi: UnsafeMutableRawPointer

        func wake() { curl_multi_wakeup(multi) }
    #endif
}

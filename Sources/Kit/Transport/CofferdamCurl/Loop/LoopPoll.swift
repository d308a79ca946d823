#if Curl
import CLibcurl

/// Waits for libcurl's connections; other threads can wake it.
final class LoopPoll {
    let waker: LoopWaker
    private let multi: UnsafeMutableRawPointer
    private var descriptor: curl_waitfd

    /// Creates a poll; `nil` when the system has no descriptor left.
    init?(multi: UnsafeMutableRawPointer) {
        guard let waker = LoopWaker() else { return nil }
        self.multi = multi
        self.waker = waker
        descriptor = curl_waitfd(fd: waker.reader, events: Int16(CURL_WAIT_POLLIN), revents: 0)
    }

    /// Returns when libcurl has work, another thread wakes the loop, or the time has passed.
    ///
    /// - Returns: libcurl's result, and the number of its connections that are ready; `nil` if only a wake-up ended the
    ///   wait.
    func wait(milliseconds: Int32) -> (CURLMcode, ready: Int32?) {
        descriptor.revents = 0
        var ready: Int32 = 0
        let result = curl_multi_poll(multi, &descriptor, 1, milliseconds, &ready)
        guard descriptor.revents != 0 else { return (result, ready) }
        waker.clear()
        return (result, ready == 1 ? nil : ready - 1)
    }
}

/// Wakes the loop from its wait, from any thread. Its descriptors live as long as anything refers to it.
final class LoopWaker: Sendable {
    fileprivate let reader: Int32
    private let writer: Int32

    /// Creates a waker; `nil` when the system has no descriptor left.
    init?() {
        var reader: Int32 = -1
        var writer: Int32 = -1
        guard cofferdam_wakeup_open(&reader, &writer) == 0 else { return nil }
        self.reader = reader
        self.writer = writer
    }

    deinit {
        _ = cofferdam_close(reader)
        if writer != reader { _ = cofferdam_close(writer) }
    }

    func wake() { cofferdam_wakeup_post(writer) }

    /// Forgets earlier wake-ups.
    fileprivate func clear() { cofferdam_wakeup_clear(reader) }
}
#endif

import CLibcurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A thread of its own, detached, that takes no signals: the process's handlers run elsewhere, and a write to a
/// connection that is gone cannot end the process.
enum LoopThread {
    /// - Returns: whether the thread could be made.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let context = Unmanaged.passRetained(Body(run: body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
            var thread: pthread_t?
            let result = pthread_create(&thread, &attributes, { LoopThread.main($0) }, context.toOpaque())
        #else
            var thread = pthread_t()
            let result = pthread_create(&thread, &attributes, { LoopThread.main($0) }, context.toOpaque())
        #endif
        if result != 0 { context.release() }
        return result == 0
    }

    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        var signals = sigset_t()
        sigfillset(&signals)
        // Those that a fault of this thread raises stay, so that a crash is reported.
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        cofferdam_name_thread("cofferdam-curl")
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

#if Curl
import CLibcurl
import Cofferdam

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A dedicated thread that receives no signals: the process's handlers run elsewhere, and a write to a closed
/// connection cannot end the process.
final class LoopThread: Sendable {
    // Safe: a thread's name is a number or an opaque address, valid on any thread until the thread is joined or
    // detached, which is done by the thread that takes the name under the lock.
    private struct Name: @unchecked Sendable {
        let thread: pthread_t
    }

    private let name: Mutex<Name?>

    /// Starts a thread; `nil` when the system refuses.
    init?(_ body: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(Body(run: body))
        #if canImport(Darwin)
        var thread: pthread_t?
        let result = pthread_create(&thread, nil, { LoopThread.main($0) }, context.toOpaque())
        guard result == 0, let thread else {
            context.release()
            return nil
        }
        #else
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, { LoopThread.main($0) }, context.toOpaque())
        guard result == 0 else {
            context.release()
            return nil
        }
        #endif
        name = Mutex(Name(thread: thread))
    }

    deinit {
        if let name = name.withLock({ $0.take() }) { pthread_detach(name.thread) }
    }

    /// Waits until the system has reclaimed a thread that is about to end.
    func join() {
        if let name = name.withLock({ $0.take() }) { pthread_join(name.thread, nil) }
    }

    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        var signals = sigset_t()
        sigfillset(&signals)
        // Signals raised by a fault of this thread stay enabled, so that a crash is reported.
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

/// A thread that can be recognised from within.
// Safe: a thread's name is a number or an opaque address, which is compared on any thread and never followed. The loop's
// thread outlives its use: the mailbox compares it only while it accepts requests, which the loop ends first.
struct ThreadIdentity: @unchecked Sendable {
    private let thread = pthread_self()

    var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }
}
#endif

#if COFFERDAM_PTHREAD_MUTEX
import Cofferdam
#endif

/// Shows ThreadSanitizer what a continuation hands over; does nothing in any other build.
///
/// Swift's runtime reports a resumption to the sanitizer only if the task is already waiting. A resumption while the
/// closure of `withCheckedContinuation` still runs is ordered too, by an atomic exchange that the sanitizer does not
/// see, so it reports a race on what the task then reads. To see it, a closure only has to start a thread that resumes
/// with a new object, and then sleep.
package struct SanitizerFence: ~Copyable, Sendable {
    #if COFFERDAM_PTHREAD_MUTEX
    private let mutex = Mutex(())
    #endif

    package init() {}

    /// Before the resumption.
    package func release() { pass() }

    /// After the wait.
    package func acquire() { pass() }

    private func pass() {
        #if COFFERDAM_PTHREAD_MUTEX
        mutex.withLock { _ in }
        #endif
    }
}

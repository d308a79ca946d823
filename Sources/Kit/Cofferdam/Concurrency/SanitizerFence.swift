/// Shows ThreadSanitizer what a continuation hands over; nothing in any other build.
///
/// Swift's runtime tells the sanitizer of a resumption only where the task waits already. One that comes while
/// `withCheckedContinuation`'s closure still runs is ordered too, by an atomic exchange that the sanitizer does not see, and
/// it reports what the task then reads as a race: a closure that starts a thread, which resumes with a new object, and
/// then sleeps is all it takes.
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

// The one lock of the package. ThreadSanitizer does not see Synchronization.Mutex on Linux and reports false races, so
// its build passes COFFERDAM_PTHREAD_MUTEX and gets a pthread mutex of the same shape.
//
// The value is never a closure itself but a struct with one: generic code takes closures in another form, and each
// access would wrap the closure in two more conversions, without end.
#if COFFERDAM_PTHREAD_MUTEX
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A value behind a lock.
package struct Mutex<Value>: ~Copyable {
    fileprivate let box: Box

    package init(_ value: sending Value) { box = Box(value) }

    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(box.mutex)
        defer { pthread_mutex_unlock(box.mutex) }
        return try body(&box.value)
    }

    fileprivate final class Box {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        var value: Value

        init(_ value: Value) {
            self.value = value
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }
    }
}

// Proof: `value` is reached only between lock and unlock, and enters and leaves by `sending`.
extension Mutex: @unchecked Sendable {}

extension Lock {
    package borrowing func lock() { pthread_mutex_lock(mutex.box.mutex) }
    package borrowing func unlock() { pthread_mutex_unlock(mutex.box.mutex) }
}
#else
public import Synchronization  // inlinable code names its lock

/// A value behind a lock. Inlinable, because a generic lock of another module looks up its types whenever it is
/// taken.
@frozen @usableFromInline
package struct Mutex<Value: ~Copyable>: ~Copyable {
    @usableFromInline let mutex: Synchronization.Mutex<Value>

    @inlinable
    package init(_ value: consuming sending Value) { mutex = Synchronization.Mutex(value) }

    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}

extension Mutex: Sendable where Value: ~Copyable {}

extension Lock {
    package borrowing func lock() { mutex.mutex._unsafeLock() }
    package borrowing func unlock() { mutex.mutex._unsafeUnlock() }
}
#endif

/// A ``Mutex`` for a few variables of its owner, which must prove that they are accessed only under it. For code where
/// each instruction counts: a generic lock of another module looks up its types whenever it is taken.
package struct Lock: ~Copyable, Sendable {
    fileprivate let mutex = Mutex(())

    package init() {}
}

#if Sandbox
import Foundation

/// A call in progress. It may be cancelled from any thread.
public final class MenagerieRequest {
    private let lock = NSLock()
    private var isOver = false
    private var task: Task<Void, Never>?
    private var onEnd: (() -> Void)?

    init() {}

    /// Stops the call. Its completion handler is no longer called.
    public func cancel() {
        lock.withLock { isOver = true }
        end()
    }

    func run(onEnd: @escaping () -> Void, _ body: @escaping () async -> Void) {
        lock.withLock {
            self.onEnd = onEnd
            task = Task { await body() }
        }
    }

    /// Calls `body` unless the request has been cancelled or has finished.
    func unlessOver(_ body: () -> Void) {
        if lock.withLock({ !isOver }) { body() }
    }

    /// As ``unlessOver(_:)``, and finishes the request.
    func finish(_ body: () -> Void) {
        let isFirst = lock.withLock {
            defer { isOver = true }
            return !isOver
        }
        if isFirst { body() }
        end()
    }

    private func end() {
        let (task, onEnd) = lock.withLock {
            defer { (self.task, self.onEnd) = (nil, nil) }
            return (self.task, self.onEnd)
        }
        task?.cancel()
        onEnd?()
    }
}
#endif

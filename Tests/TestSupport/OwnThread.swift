import Foundation

/// Runs what keeps a processor busy for long on a thread of its own, so that other tests go on meanwhile.
package func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: body()) }.start()
    }
}

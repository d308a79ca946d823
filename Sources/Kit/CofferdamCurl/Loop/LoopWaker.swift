import CLibcurl

/// Wakes the loop out of `curl_multi_poll`.
// Proof: curl_multi_wakeup may be called from any thread. The mailbox calls it under its lock, and forgets the waker
// under the same lock before the multi handle is freed.
struct LoopWaker: @unchecked Sendable {
    private let multi: UnsafeMutableRawPointer

    init(multi: UnsafeMutableRawPointer) { self.multi = multi }

    func wake() { curl_multi_wakeup(multi) }
}

/// How much the loop holds, for tests.
package struct LoopCensus: Sendable, Hashable {
    package var transfersInFlight = 0
    package var idleHandles = 0
    /// Memory that waits for the next large body, in bytes.
    package var keptMemory = 0

    package init(transfersInFlight: Int = 0, idleHandles: Int = 0) {
        self.transfersInFlight = transfersInFlight
        self.idleHandles = idleHandles
    }
}

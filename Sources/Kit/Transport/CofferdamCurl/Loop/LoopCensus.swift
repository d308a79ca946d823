#if Curl
/// The loop's resources, for tests.
package struct LoopCensus: Sendable, Hashable {
    package var transfersInFlight = 0
    package var idleHandles = 0
    /// Memory kept for the next large body, in bytes.
    package var keptMemory = 0

    package init(transfersInFlight: Int = 0, idleHandles: Int = 0) {
        self.transfersInFlight = transfersInFlight
        self.idleHandles = idleHandles
    }
}
#endif

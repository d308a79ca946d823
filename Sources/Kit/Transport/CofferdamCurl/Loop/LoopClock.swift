#if Curl
/// The loop's clock, read once per turn, and the transfers that need attention.
final class LoopClock {
    private(set) var now = LoopTime.now
    /// A lower bound of all deadlines; recomputed only once it has passed.
    private var nextCheck: LoopTime?
    /// Streams that received bytes from libcurl in this turn.
    private var touched: [Transfer] = []

    func read() { now = .now }

    func watch(_ deadline: LoopTime?) {
        guard let deadline else { return }
        if nextCheck.map({ deadline < $0 }) ?? true { nextCheck = deadline }
    }

    /// - Returns: whether a deadline may have passed, so that all must be checked.
    func isCheckDue() -> Bool {
        guard let nextCheck, nextCheck <= now else { return false }
        self.nextCheck = nil
        return true
    }

    /// The longest time the loop may sleep, in milliseconds, rounded up.
    var sleep: Int32 {
        guard let nextCheck else { return 60_000 }
        let left = LoopTime.now.until(nextCheck)
        return left <= 0 ? 0 : Int32(min(left / 1_000_000 + 1, 60_000))
    }

    func touch(_ transfer: Transfer) {
        if touched.last !== transfer { touched.append(transfer) }
    }

    /// Whether a stream's consumer is better served after the next read.
    var expectsMore: Bool { touched.contains { $0.expectsMore } }

    func takeTouched() -> [Transfer] {
        guard !touched.isEmpty else { return [] }
        defer { touched = [] }
        return touched
    }
}
#endif

/// The last calls of one side and operation, and how many of them were bad: O(1) for each.
struct CallWindow: Sendable {
    private var calls: [(isFailed: Bool, isSlow: Bool)] = []
    private var oldest = 0
    private let size: Int
    private(set) var failed = 0
    private(set) var slow = 0

    var count: Int { calls.count }

    init(size: Int) { self.size = size }

    mutating func add(isFailed: Bool, isSlow: Bool) {
        if calls.count < size {
            calls.append((isFailed, isSlow))
        } else {
            let leaving = calls[oldest]
            if leaving.isFailed { failed -= 1 }
            if leaving.isSlow { slow -= 1 }
            calls[oldest] = (isFailed, isSlow)
            oldest = (oldest + 1) % size
        }
        if isFailed { failed += 1 }
        if isSlow { slow += 1 }
    }

    /// Whether too many of them were bad; false while there are fewer than `fewest`.
    func isBad(_ settings: BreakerSettings, fewest: Int) -> Bool {
        guard count >= fewest, count > 0 else { return false }
        let all = Double(count)
        return Double(failed) >= settings.failedShare * all || Double(slow) >= settings.slowShare * all
    }
}

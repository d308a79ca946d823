import CLibcurl

/// A moment of the system's steady clock, in nanoseconds.
///
/// Where each request takes microseconds, `ContinuousClock` shows: its instants are opaque to the compiler.
struct LoopTime: Sendable, Hashable, Comparable {
    private let nanoseconds: Int64

    static var now: LoopTime { LoopTime(nanoseconds: cofferdam_now()) }

    static func < (left: LoopTime, right: LoopTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The moment so many nanoseconds later, as far as the clock goes.
    func after(_ span: Int64) -> LoopTime {
        let (sum, isOver) = nanoseconds.addingReportingOverflow(span)
        return LoopTime(nanoseconds: isOver ? .max : sum)
    }

    /// In nanoseconds; negative when this is later.
    func until(_ later: LoopTime) -> Int64 { later.nanoseconds - nanoseconds }
}

extension Duration {
    /// As far as 64 bits go: 292 years.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isOver else { return seconds < 0 ? .min : .max }
        let (sum, isOverToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isOverToo ? .max : sum
    }
}

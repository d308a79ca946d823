#if Curl
import CLibcurl

/// An instant of the system's monotonic clock, in nanoseconds.
///
/// The cost of `ContinuousClock` would be measurable in requests that take microseconds: the compiler cannot see into
/// its instants.
struct LoopTime: Sendable, Hashable, Comparable {
    private let nanoseconds: Int64

    static var now: LoopTime { LoopTime(nanoseconds: cofferdam_now()) }

    static func < (left: LoopTime, right: LoopTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the instant `span` nanoseconds later, saturating.
    func after(_ span: Int64) -> LoopTime {
        let (sum, isOver) = nanoseconds.addingReportingOverflow(span)
        return LoopTime(nanoseconds: isOver ? .max : sum)
    }

    /// The nanoseconds until `later`; negative when this instant is later.
    func until(_ later: LoopTime) -> Int64 { later.nanoseconds - nanoseconds }
}

extension Duration {
    /// In nanoseconds, saturating at 64 bits (292 years).
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isOver else { return seconds < 0 ? .min : .max }
        let (sum, isOverToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isOverToo ? .max : sum
    }
}
#endif

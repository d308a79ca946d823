import Cofferdam

/// The hours by which a rehearsal's date is ahead of its clock, so that it need not last as long.
final class PassedHours: Sendable {
    private let count = Mutex<Int64>(0)

    var milliseconds: Int64 { count.withLock { $0 } * 3_600_000 }
    var havePassed: Bool { count.withLock { $0 } > 0 }

    func pass() { count.withLock { $0 += 1 } }
}

#if Fleet
import Cofferdam
import CofferdamUpgrade

/// The time of etcd's hosts, by the `Date` of their last answer.
final class EtcdTime: Sendable {
    private let last = Mutex((date: Int, at: ContinuousClock.Instant)?.none)
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    /// - Parameter date: in seconds since 1970.
    func observe(_ date: Int) { last.withLock { [now] in $0 = (date, now()) } }

    /// In milliseconds since 1970; nil before the first answer.
    var milliseconds: Int64? {
        last.withLock { [now] last in
            last.map { Int64($0.date) * 1_000 + $0.at.duration(to: now()).wholeNanoseconds / 1_000_000 }
        }
    }
}
#endif

import Cofferdam
import SanctuaryDomain

/// Time that passes only where somebody looks: one second for each reading.
final class FakeClock: Sendable {
    private let milliseconds = Mutex(Int64(1_767_225_600_000))

    @Sendable func now() -> Instant {
        Instant(
            millisecondsSince1970: milliseconds.withLock { milliseconds in
                defer { milliseconds += 1000 }
                return milliseconds
            }
        )
    }
}

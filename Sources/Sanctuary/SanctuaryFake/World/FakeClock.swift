import Cofferdam
import SanctuaryDomain

/// A clock that advances only when it is read: one second for each reading.
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

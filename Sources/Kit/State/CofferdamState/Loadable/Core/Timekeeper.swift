import Cofferdam

/// A clock without its type: the time since its start, and sleep.
struct Timekeeper: Sendable {
    private let read: @Sendable () -> Duration
    private let sleepFor: @Sendable (Duration) async throws -> Void

    /// The default clock, shared by all loadables that need no other. It is read directly, because reading it is most
    /// of the cost of a fresh answer.
    private static let continuous: Timekeeper = {
        let origin = ContinuousClock.now
        return Timekeeper(
            read: { origin.duration(to: ContinuousClock.now) },
            sleepFor: { try await ContinuousClock().sleep(for: $0) }
        )
    }()

    private init(
        read: @escaping @Sendable () -> Duration,
        sleepFor: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.read = read
        self.sleepFor = sleepFor
    }

    init(_ clock: some Clock<Duration>) {
        if clock is ContinuousClock {
            self = .continuous
        } else {
            let origin = clock.now
            self.init(read: { origin.duration(to: clock.now) }, sleepFor: { try await clock.sleep(for: $0) })
        }
    }

    var now: Duration { read() }

    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(for duration: Duration) async throws { try await sleepFor(duration) }
}

#if Sandbox
import Cofferdam
import SanctuaryDomain

/// Records since when links are being sought again. The vendor may seek a link for ever without giving up; after
/// ``SanctuaryDomain/Accessory/Link/patience`` the adapter reports the accessory as `available`.
final class LinkWatch: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let lostAt = Mutex<[AccessoryID: Duration]>([:])

    init(clock: any Clock<Duration>) {
        elapsed = Self.stopwatch(clock)
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Returns the accessory as the adapter reports it.
    func seen(_ accessory: SanctuaryDomain.Accessory) -> SanctuaryDomain.Accessory {
        let now = elapsed()
        let lost = lostAt.withLock { lostAt -> Duration? in
            guard accessory.link == .reconnecting else {
                lostAt[accessory.id] = nil
                return nil
            }
            let lost = lostAt[accessory.id] ?? now
            lostAt[accessory.id] = lost
            return lost
        }
        guard let lost, now - lost >= SanctuaryDomain.Accessory.Link.patience else { return accessory }
        var accessory = accessory
        accessory.link = .available
        return accessory
    }

    func seen(_ accessories: [SanctuaryDomain.Accessory]) -> [SanctuaryDomain.Accessory] { accessories.map(seen) }

    /// Returns when the accessory's link has been sought for `patience`.
    func runOut(_ accessory: SanctuaryDomain.Accessory) async throws {
        let lost = lostAt.withLock { $0[accessory.id] }
        try await sleep(max(.zero, SanctuaryDomain.Accessory.Link.patience - (elapsed() - (lost ?? elapsed()))))
    }

    private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
#endif

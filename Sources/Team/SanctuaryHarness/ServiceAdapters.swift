#if Sandbox
public import CofferdamContracts  // adapters under test, for runners and tests
public import Cofferdam  // the sink for issues
import Foundation
import MenagerieService
import MenagerieV1Adapter
import MenagerieV2Adapter
public import SanctuaryContracts  // the subjects they open
public import SanctuaryDomain  // the services they open

extension AdapterUnderTest<SanctuarySubject> {
    /// The vendor's V1, with a separate service for each case. Only one is open at a time, because the SDK is a
    /// singleton.
    public static var v1: Self { v1("v1", clocksAhead: .zero) }

    /// V1 on a day of another century.
    ///
    /// - Parameter clocksAhead: how far the wall clocks of the vendor and of the adapter are ahead of this machine's;
    ///   negative if they are behind.
    public static func v1(_ name: String, clocksAhead: Duration) -> Self {
        .sanctuary(name: name, capabilities: .menagerieV1, harnessCapabilities: [.oddCallbacks, .countedDrops]) {
            try await menagerieV1Turnstile.enter()
            do {
                return try await subject(
                    .v1,
                    clocksAhead: clocksAhead,
                    afterwards: { menagerieV1Turnstile.leave() }
                ) { try await openV1(at: $0, directory: $1, issues: $2, clock: $3, wallClockAhead: clocksAhead) }
            } catch {
                menagerieV1Turnstile.leave()
                throw error
            }
        }
    }

    /// The vendor's V2, with a separate service for each case.
    public static var v2: Self { v2("v2", clocksAhead: .zero) }

    /// V2 on a day of another century.
    ///
    /// The parameters have the same meaning as for V1.
    public static func v2(_ name: String, clocksAhead: Duration) -> Self {
        .sanctuary(name: name, capabilities: .menagerieV2, harnessCapabilities: [.orderlyEnd, .countedDrops]) {
            try await subject(.v2, clocksAhead: clocksAhead, hasInstances: true) {
                try await openV2(at: $0, directory: $1, issues: $2, clock: $3, wallClockAhead: clocksAhead)
            }
        }
    }
}

/// Opens V1 of the vendor's SDK against a service.
public func openV1(
    at url: String,
    directory: String,
    issues: IssueSink,
    clock: any Clock<Duration> = ContinuousClock(),
    wallClockAhead: Duration = .zero
) async throws -> SanctuaryServices {
    try await openMenagerieV1(
        MenagerieV1Configuration(
            serviceURL: url,
            key: "harness",
            directory: directory,
            issues: issues,
            clock: clock,
            now: wallClock(ahead: wallClockAhead)
        )
    )
}

/// Opens V2 of the vendor's SDK against a service.
public func openV2(
    at url: String,
    directory: String,
    issues: IssueSink,
    clock: any Clock<Duration> = ContinuousClock(),
    wallClockAhead: Duration = .zero
) async throws -> SanctuaryServices {
    try await openMenagerieV2(
        MenagerieV2Configuration(
            serviceURL: url,
            key: "harness",
            directory: directory,
            issues: issues,
            clock: clock,
            // The rules count retries, not the time between them.
            retryBackoff: .milliseconds(5),
            now: wallClock(ahead: wallClockAhead)
        )
    )
}

private func wallClock(ahead: Duration) -> @Sendable () -> Instant {
    {
        let now = MenagerieV1Configuration.timeOfDay().millisecondsSince1970
        return Instant(millisecondsSince1970: now + ahead.components.seconds * 1000)
    }
}

/// What the port shows through a major for what the vendor holds.
extension Major {
    /// V1 shows 0 for "not recorded" too.
    @Sendable func count(_ count: Int?) -> Count {
        switch self {
        case .v1: count.flatMap { $0 == 0 ? nil : .known($0) } ?? .ambiguousZero
        case .v2: count.map(Count.known) ?? .unknown
        }
    }

    /// V1 knows no payment that was captured or refunded: all are "paid".
    func status(_ status: OrderStatus) -> OrderStatus {
        self == .v1 && [.captured, .partiallyRefunded].contains(status) ? .authorized : status
    }

    /// V1 shows a link that is being sought again as none.
    func link(_ state: AccessoryState) -> Accessory.Link {
        self == .v1 && state == .reconnecting ? .available : Accessory.Link(rawValue: state.rawValue) ?? .available
    }
}

/// Starts a service, and opens an adapter against it; closing the services ends both.
func subject(
    _ major: Major,
    clocksAhead: Duration = .zero,
    hasInstances: Bool = false,
    afterwards: @escaping @Sendable () async -> Void = {},
    open: @escaping OpenServices
) async throws -> SanctuarySubject {
    let stand = try await ServiceStand.start(clockAhead: clocksAhead)
    let instances = ServiceInstances(
        stand: stand,
        major: major,
        open: open
    )
    do {
        let one = try await instances.open(at: stand.url)
        var subject = one
        if hasInstances { subject.openAnother = { try await instances.open(at: stand.url) } }
        subject.openNowhere = { address in
            if !hasInstances { await one.services.close() }
            return try await instances.open(at: address.url(instead: stand.url))
        }
        subject.end = {
            guard await instances.end() else { return }
            await stand.stop()
            await afterwards()
        }
        return subject
    } catch {
        await stand.stop()
        throw error
    }
}
#endif

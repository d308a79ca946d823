import CofferdamContracts
import SanctuaryDomain

/// The calls' deadlines.
///
/// The ports promise one time for a whole call and no idle time beside it: the vendor's SDKs hand over whole answers, so that
/// no code above them sees when the last byte came. So TIME-02 holds an answer that stops in the middle against the deadline.
/// Nor do the ports repeat a call, so that TIME-05 has no pauses to hold them to.
enum Deadlines {
    static let operation = TimeOperation<SanctuarySubject>(
        calls: ProbedCalls.open + ProbedCalls.signedIn + [ProbedCalls.signIn],
        exempt: ProbedCalls.exempt,
        refresh: .init(
            calls: Set(ProbedCalls.signedIn.map(\.name)),
            expireAndHold: { subject in
                try await subject.probe.inject(.hold, on: .refresh, times: 1)
                try await subject.probe.expireAccessTokens()
            },
            waitForArrival: { try await $0.probe.waitForCalls(of: .refresh, atLeast: 1) }
        ),
        clock: { subject in
            guard subject.hasDeadlines else { throw UnmetRequirements(harnessCapabilities: [.adjustableClock]) }
            return subject.clock
        },
        deadline: \.deadline,
        // An SDK may send an order four times under its key; and where a connection that it has kept turns out to be gone, its
        // HTTP client sends once more.
        attempts: 5,
        prepare: { subject in
            try await subject.prepareSeeded()
            try await subject.signIn()
        },
        held: .vendor,
        isTimeout: { SanctuaryError.isCode(.timeout, $0) },
        isOutcomeUnknown: { SanctuaryError.isCode(.outcomeUnknown, $0) },
        retryAfter: { ($0 as? SanctuaryError)?.retryAfter },
        sessionRefresh: Capability.sessionRefresh.tag
    )
}

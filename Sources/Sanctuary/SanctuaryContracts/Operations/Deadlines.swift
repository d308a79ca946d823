import CofferdamContracts
import SanctuaryDomain

/// The calls' deadlines.
///
/// The ports promise one deadline for a whole call, and no idle timeout: the vendor's SDKs return complete answers, so
/// code above them cannot see when the last byte arrived. Therefore TIME-02 measures an answer that stops in the middle
/// against the deadline. The ports do not retry calls either, so TIME-05 has no delays to check.
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
        // An SDK may send an order four times under its key. Its HTTP client sends once more if a reused connection
        // turns out to be closed.
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

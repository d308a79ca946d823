import CofferdamContracts
import SanctuaryDomain

/// The calls that the vendor can keep waiting.
enum Cancellations {
    static let operation = CancellationOperation<SanctuarySubject>(
        calls: ProbedCalls.open + ProbedCalls.signedIn,
        prepare: { subject in
            try await subject.prepareSeeded()
            try await subject.signIn()
        },
        held: .vendor,
        close: { await $0.services.close() },
        isClosed: { SanctuaryError.isCode(.closed, $0) },
        isPortError: { $0 is SanctuaryError },
        outlast: { subject in
            try await subject.clock.waitForSleeper(of: subject.deadline * 0.8)
            subject.clock.advance(by: subject.deadline * 1.1)
        },
        oddCallbacks: .oddCallbacks,
        setCallbackQuirk: { try await $0.probe.setCallbackQuirk($1) }
    )
}

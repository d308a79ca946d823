import CofferdamContracts
import SanctuaryDomain

/// The cancellable calls: those that the vendor can hold.
enum Cancellations {
    static let operation = CancellationOperation<SanctuarySubject>(
        calls: ProbedCalls.open + ProbedCalls.signedIn + [ProbedCalls.signIn],
        exempt: ProbedCalls.exempt,
        searches: [
            .init(
                ProbedCalls.scan,
                state: { try await $0.services.accessories.accessories() },
                clearFaults: { try await $0.probe.clearFaults() },
                undo: { try await $0.services.accessories.release(AccessoryID("collar-1")) }
            )
        ],
        prepare: { subject in
            try await subject.prepareSeeded()
            try await subject.signIn()
        },
        held: .vendor,
        close: { await $0.services.close() },
        isClosed: { SanctuaryError.isCode(.closed, $0) },
        isPortError: { $0 is SanctuaryError },
        outlast: { try await $0.outlastDeadline() },
        oddCallbacks: .oddCallbacks,
        setCallbackQuirk: { try await $0.probe.setCallbackQuirk($1) }
    )
}

extension SanctuarySubject {
    /// Advances the clock past the deadline of the current call.
    func outlastDeadline() async throws {
        try await clock.waitForSleeper(of: deadline * 0.8)
        clock.advance(by: deadline * 1.1)
    }
}

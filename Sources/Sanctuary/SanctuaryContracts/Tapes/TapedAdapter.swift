import Cofferdam
public import CofferdamContracts  // adapters and tapes are the kit's
import SanctuaryDomain
import SanctuaryOperations

extension AdapterUnderTest<SanctuarySubject> {
    /// The same adapter, every call of its ports and of its probe recorded. One tape is for one case.
    public func recorded(by recorder: TapeRecorder) -> Self {
        opening(close: close) {
            var subject = try await open()
            let expected = subject.expectedCount
            let taped = recorder.port(subject.probe as any SanctuaryProbe, errors: SanctuaryErrorRecord.self)
            let record = SubjectRecord(
                user: subject.credentials.user,
                unrecorded: CountRecord(expected(nil)),
                zero: CountRecord(expected(0))
            )
            _ = try await taped.call("subject", kind: .read) { _ in record }
            subject.services = try await recorder.recording(subject.services)
            subject.probe = TapedProbe(port: taped)
            return subject
        }
    }

    /// What was recorded of the adapter, in its place: an adapter without a vendor. It has no deadlines, no other
    /// instance and no secrets: rules that need one of those are not judged on it.
    public func replayed(from player: TapePlayer) -> Self {
        opening(close: { await $0.services.close() }) {
            let taped = player.port(of: (any SanctuaryProbe).self, errors: SanctuaryErrorRecord.self)
            let record: SubjectRecord = try await taped.call("subject", kind: .read) { _ in
                throw TapeError(.unmatched, "a replayed adapter has no vendor to ask")
            }
            let (unrecorded, zero) = (record.unrecorded.value, record.zero.value)
            var subject = SanctuarySubject(
                services: try await player.services(),
                probe: TapedProbe(port: taped),
                // Which password it was stands on no tape, and any other matches.
                credentials: Credentials(user: record.user, password: "replayed"),
                expectedCount: { count in
                    guard let count else { return unrecorded }
                    return count == 0 ? zero : .known(count)
                },
                openNowhere: { _ in throw UnmetRequirements(harnessCapabilities: [.deadAddresses]) }
            )
            subject.hasDeadlines = false
            return subject
        }
    }

    private func opening(
        close: @escaping @Sendable (SanctuarySubject) async -> Void,
        _ open: @escaping @Sendable () async throws -> SanctuarySubject
    ) -> Self {
        AdapterUnderTest(
            name: name,
            capabilities: capabilities,
            harnessCapabilities: harnessCapabilities,
            deadline: deadline,
            identity: identity,
            open: open,
            reset: reset,
            close: close
        )
    }
}

extension TapeRedaction {
    /// What must never stand on a tape of the six ports and their probe.
    public static var sanctuarySubject: TapeRedaction { sanctuary.field("probe.secrets.result") }
}

/// What a subject is beside its ports and its probe.
private struct SubjectRecord: Codable, Sendable {
    var user: String
    /// What the port shows of a count that the vendor has not recorded, and of none.
    var unrecorded: CountRecord
    var zero: CountRecord
}

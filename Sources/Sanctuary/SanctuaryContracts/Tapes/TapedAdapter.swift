import Cofferdam
public import CofferdamContracts  // adapters and tapes are the kit's
import SanctuaryDomain
import SanctuaryOperations

extension AdapterUnderTest<SanctuarySubject> {
    /// Returns the adapter with every call of its ports and its probe recorded. Each case needs its own tape.
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

    /// Returns an adapter that replays the recording, without a vendor. It has no deadlines, no other instances and no
    /// secrets, so rules that need one of these are not checked on it.
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
                // The password is not on the tape, and any other matches.
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
    /// Redacts secrets from tapes of the six ports and their probe.
    public static var sanctuarySubject: TapeRedaction { sanctuary.field("probe.secrets.result") }
}

/// A subject's properties besides its ports and its probe.
private struct SubjectRecord: Codable, Sendable {
    var user: String
    /// The counts that the port shows for "not recorded" and for 0.
    var unrecorded: CountRecord
    var zero: CountRecord
}

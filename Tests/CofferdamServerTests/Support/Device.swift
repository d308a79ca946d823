#if Server
import Cofferdam
import CofferdamCurl
import CofferdamFleet
import CofferdamSupport
import CofferdamTesting
import CofferdamUpgrade
import Foundation
@testable import CofferdamDevice
@testable import CofferdamServer

/// One installation of an app, with its engine and its counts on disk.
struct Device {
    let clock = TestClock()
    let control = StageControl()
    let breakers: Breakers
    let recorder: EvidenceRecorder
    let store: ServerUpgradeStore
    let evidence: ServerEvidence
    let engine: UpgradeEngine

    static let salt = "salt of the app, 0123456789"

    /// - Parameter now: milliseconds since 1970, by the device's own clock.
    init(
        at url: String,
        file: String,
        transport: DeviceTransport = .curl(CurlClient()),
        samples: Int = 0,
        pacing: Pacing = Pacing(),
        now: @escaping @Sendable () -> Int64 = { 1_800_000_000_000 },
        enrols: Bool = true,
        attest: Enrolment.Attest? = nil
    ) throws {
        var server = UpgradeServer(url, token: TestServer.tokens[.device] ?? "", transport: transport)
        server.timeout = .seconds(10)
        store = ServerUpgradeStore(server)
        evidence = try ServerEvidence(
            server,
            file,
            Self.salt,
            "",
            nil,
            EvidenceRecorder.window,
            .seconds(30),
            samples,
            pacing,
            enrols,
            attest
        )
        breakers = try Breakers(clock: clock)
        recorder = EvidenceRecorder(breakers: breakers, clock: clock, now: now)
        engine = UpgradeEngine(
            "orders",
            plan: try .named(.small),
            store: store,
            control: control,
            recorder: recorder
        ) { [clock, evidence, store] in
            $0.ledger = evidence
            $0.watching = store
            $0.clock = clock
            $0.now = now
        }
    }

    /// Counts a call of the unit as the routes would.
    ///
    /// - Returns: the state by which it was routed.
    @discardableResult
    func call(
        _ unit: String,
        _ outcome: RoutedCall.Outcome = .answered,
        side: Side = .candidate,
        took duration: Duration = .milliseconds(1)
    ) -> StageState {
        let state = control.state
        recorder.called(
            RoutedCall(
                capability: "orders",
                operation: "place",
                effect: .write,
                stage: state.stage,
                epoch: state.epoch,
                unit: unit,
                side: side,
                role: .first,
                outcome: outcome,
                duration: duration
            )
        )
        return state
    }
}
#endif

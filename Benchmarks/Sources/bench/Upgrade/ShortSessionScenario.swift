import Cofferdam
import CofferdamUpgrade

/// Sessions of three calls each, as a command-line tool or a visit of a server makes them. All these calls are reported
/// to the evidence. The units return: the evidence knows them after the first round.
enum ShortSessionScenario: String, CaseIterable {
    /// The base: the same sessions, whose calls are made directly.
    case direct = "direct.shortSession"
    case routed = "route.shortSession"

    private static let calls = 3
    private static let rounds = 40
    private static let units = 5_000

    /// Makes read-only calls, one after the other, in sessions of units that return.
    func run(calls: Int) async throws {
        let sessions = try await Sessions()
        try await Self.routed.call(try sessions.ports(Self.units))
        var left = calls / Self.calls
        while left > 0 {
            try await call(try sessions.ports(min(left, Self.units)))
            left -= Self.units
        }
    }

    static func measure() async throws -> Measurement {
        let sessions = try await Sessions()
        let clock = ContinuousClock()
        var samples: [(ours: Double, theirs: Double)] = []
        for round in 0...rounds {
            // Beginning a session is not part of a call.
            let ports = try sessions.ports(units)
            let first = try await clock.measure { try await routed.call(ports) }.seconds
            let second = try await clock.measure { try await direct.call(ports) }.seconds
            if round > 0 { samples.append((first, second)) }
        }
        return .added(by: routed.rawValue, samples, calls: units * calls)
    }

    @inline(never)
    private func call(_ ports: [Sessions.Ports]) async throws {
        var sum = 0
        for ports in ports {
            let port = self == .routed ? ports.routed : ports.direct
            for index in 0..<Self.calls { sum &+= try await port.value(index) }
        }
        guard sum != 1 else { throw RouteFailure() }
    }

    private struct Sessions {
        struct Ports {
            let routed: any ValuePort
            let direct: any ValuePort
        }

        private let control = StageControl(
            StageState(stage: .canary(share: 500)),
            sampling: Sampling(canaryRest: .none)
        )
        private let bucketing: Bucketing
        private let router = Router<any ValuePort>(legacy: { Direct() }, candidate: { Direct() })
        private let settings: RouteSettings

        init() async throws {
            bucketing = try Bucketing(salt: "values")
            settings = RouteSettings(
                capability: "values",
                failures: ErrorClassifier { _ in .failed },
                shadowQueue: ShadowQueue(capacity: 0, width: 1),
                observer: EvidenceRecorder(control.state)
            )
            // Opens the side.
            for ports in try ports(1) { _ = try await ports.routed.value(0) }
        }

        func ports(_ count: Int) throws -> [Ports] {
            (0..<count).map { number in
                let session = UnitSession(unit: "unit \(number)", control: control, bucketing: bucketing)
                let route = router.route(for: session, settings: settings) { $0 }
                return Ports(routed: Intercepted<any ValuePort>(source: route), direct: Direct())
            }
        }
    }
}

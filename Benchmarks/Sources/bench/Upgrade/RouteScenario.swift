import CofferdamUpgrade

/// A port of one method, called by way of a router at some stage, or directly.
enum RouteScenario: String, CaseIterable {
    /// The base: the same port without a router.
    case direct
    case legacyOnly = "route.legacyOnly"
    case candidateOnly = "route.candidateOnly"
    /// A read of a unit that the canary leaves where it is, and that is not sampled.
    case canary = "route.canary"
    /// What the caller pays where the shadow is asked; its queue is kept full, so that only the caller's part is measured.
    case shadow = "shadow.callerAdded"

    /// Calls that change nothing, one after the other.
    func run(calls: Int) async throws {
        let port = try await port()
        var sum = 0
        for index in 0..<calls { sum &+= try await port.value(index) }
        guard sum != 1 else { throw RouteFailure() }
    }

    func port() async throws -> any ValuePort {
        if self == .direct { return Direct() }
        let control = StageControl(StageState(stage: stage))
        let unit = self == .canary ? nil : "unit"
        let session = UnitSession(unit: unit, control: control, bucketing: try Bucketing(salt: "values"))
        let candidate: any ValuePort = if self == .shadow { Stuck() } else { Direct() }
        let router = Router<any ValuePort>(legacy: { Direct() }, candidate: { candidate })
        let settings = RouteSettings(
            capability: "values",
            failures: FailureReading { _ in .failed },
            lane: ShadowLane(capacity: 0, width: 1),
            shadowDeadline: .seconds(3600)
        )
        let port = RoutedValues(route: router.route(for: session, settings: settings) { $0 })
        _ = try await port.value(0)  // opens what answers, and fills the lane
        return port
    }

    private var stage: Stage {
        switch self {
        case .direct, .legacyOnly: .legacyOnly
        case .candidateOnly: .candidateOnly
        case .canary: .canary(share: 500)
        case .shadow: .shadow(sample: .all)
        }
    }
}

protocol ValuePort: Sendable {
    func value(_ index: Int) async throws -> Int
}

private struct Direct: ValuePort {
    @inline(never)
    func value(_ index: Int) async throws -> Int { index &* 3 }
}

/// Never answers, so that a lane behind it is full.
private struct Stuck: ValuePort {
    func value(_ index: Int) async throws -> Int {
        try await Task.sleep(for: .seconds(3600))
        return 0
    }
}

private struct RoutedValues: ValuePort {
    let route: Route<any ValuePort>

    func value(_ index: Int) async throws -> Int {
        try await route.read("value", index) { try await $0.value($1) }
    }
}

private struct RouteFailure: Error {}

import Cofferdam
import CofferdamUpgrade
import Synchronization

/// A port with one method, called through a router at some stage, or directly.
enum RouteScenario: String, CaseIterable {
    /// The base: the same port without a router.
    case direct
    case legacyOnly = "route.legacyOnly"
    case candidateOnly = "route.candidateOnly"
    /// A read of a unit outside the canary that is not sampled.
    case canary = "route.canary"
    /// The caller's cost when the shadow is called and there is room in the queue; see ``WaitingShadow``.
    case shadow = "shadow.callerAdded"
    /// The same with a full queue.
    case fullShadow = "shadow.full"

    /// Makes read-only calls, one after the other.
    func run(calls: Int) async throws {
        let port = try await port()
        var sum = 0
        for index in 0..<calls { sum &+= try await port.value(index) }
        guard sum != 1 else { throw RouteFailure() }
    }

    func port() async throws -> any ValuePort {
        if self == .direct { return Direct() }
        let candidate: any ValuePort = if stage == .shadow(sample: .all) { HeldPort() } else { Direct() }
        let port = try port(
            self == .canary ? nil : "unit",
            StageControl(StageState(stage: stage)),
            ShadowQueue(capacity: self == .shadow ? .max : 0, width: 1),
            candidate: candidate
        )
        // Opens the answering side, fills the queue, and makes the calls that are watched.
        for _ in 0..<100 { _ = try await port.value(0) }
        return port
    }

    func port(
        _ unit: String?,
        _ control: StageControl,
        _ shadowQueue: ShadowQueue,
        _ observer: (any RouteObserver)? = nil,
        candidate: any ValuePort = Direct()
    ) throws -> any ValuePort {
        let session = UnitSession(unit: unit, control: control, bucketing: try Bucketing(salt: "values"))
        let router = Router<any ValuePort>(legacy: { Direct() }, candidate: { candidate })
        let settings = RouteSettings(
            capability: "values",
            failures: ErrorClassifier { _ in .failed },
            shadowQueue: shadowQueue,
            shadowDeadline: .seconds(3600),
            observer: observer
        )
        return Intercepted<any ValuePort>(source: router.route(for: session, settings: settings) { $0 })
    }

    private var stage: Stage {
        switch self {
        case .direct, .legacyOnly: .legacyOnly
        case .candidateOnly: .candidateOnly
        case .canary: .canary(share: 500)
        case .shadow, .fullShadow: .shadow(sample: .all)
        }
    }
}

protocol ValuePort: Sendable {
    func value(_ index: Int) async throws -> Int
}

struct Direct: ValuePort {
    @inline(never)
    func value(_ index: Int) async throws -> Int { index &* 3 }
}

/// Does not answer while it is held, so that jobs wait in the queue behind it.
final class HeldPort: ValuePort {
    private struct State {
        var isHeld = true
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func value(_ index: Int) async throws -> Int {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.waiting.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        return 0
    }

    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let waiting = state.withLock { state in
            defer { state = State(isHeld: false) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

private enum ValueOperations {
    static let value = PortOperation<any ValuePort, Int, Int>("value", .read) { try await $0.value($1) }
}

extension Intercepted: ValuePort where Port == any ValuePort {
    func value(_ index: Int) async throws -> Int {
        try await call(ValueOperations.value, index) { try await $0.value($1) }
    }
}

struct RouteFailure: Error {}

import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import TestSupport

/// A port with one operation of each effect.
protocol Zoo: Sendable {
    func animal(_ id: Int) async throws -> Animal
    func feed(_ id: Int) async throws -> Int
    func rename(_ id: Int) async throws -> Animal
    func enter(_ name: String) async throws -> String
}

struct Animal: Sendable, Equatable {
    var id: Int
    var name: String
    var legs = 4
}

struct ZooError: Error, Hashable {
    var meaning: FailureMeaning
    var kind = "broken"

    static let reading = ErrorClassifier(
        meaning: { ($0 as? ZooError)?.meaning ?? .failed },
        kind: { ($0 as? ZooError)?.kind ?? "other" }
    )
}

/// The code that an app writes: the port's table, and its forwarding conformance.
enum ZooOperations {
    static let animal = PortOperation<any Zoo, Int, Animal>("animal", .read) { try await $0.animal($1) }
    static let feed = PortOperation<any Zoo, Int, Int>("feed", .idempotent) { try await $0.feed($1) }
    static let rename = PortOperation<any Zoo, Int, Animal>("rename", .write) { try await $0.rename($1) }
    static let enter = PortOperation<any Zoo, String, String>("enter", .exclusive) { try await $0.enter($1) }
}

extension Intercepted: Zoo where Port == any Zoo {
    func animal(_ id: Int) async throws -> Animal {
        try await call(ZooOperations.animal, id) { try await $0.animal($1) }
    }
    func feed(_ id: Int) async throws -> Int {
        try await call(ZooOperations.feed, id) { try await $0.feed($1) }
    }
    func rename(_ id: Int) async throws -> Animal {
        try await call(ZooOperations.rename, id) { try await $0.rename($1) }
    }
    func enter(_ name: String) async throws -> String {
        try await call(ZooOperations.enter, name) { try await $0.enter($1) }
    }
}

/// One side, as the test sets it.
final class ScriptedZoo: Zoo {
    private struct Script {
        var answer: @Sendable (Int) async throws -> Animal
    }

    let name: String
    private let log: Log<String>
    private let script = Mutex(Script { Animal(id: $0, name: "animal \($0)") })

    init(_ name: String, log: Log<String>) {
        self.name = name
        self.log = log
    }

    /// From now on, every call runs this body.
    func respond(_ body: @escaping @Sendable (Int) async throws -> Animal) { script.withLock { $0.answer = body } }

    func fail(_ meaning: FailureMeaning, kind: String = "broken") {
        respond { _ in throw ZooError(meaning: meaning, kind: kind) }
    }

    private func answering(_ operation: String, _ id: Int) async throws -> Animal {
        log.add("\(name) \(operation)")
        return try await script.withLock { $0.answer }(id)
    }

    func animal(_ id: Int) async throws -> Animal { try await answering("animal", id) }
    func feed(_ id: Int) async throws -> Int { try await answering("feed", id).id }
    func rename(_ id: Int) async throws -> Animal { try await answering("rename", id) }
    func enter(_ name: String) async throws -> String { try await answering("enter", 0).name }
}

/// Two zoos, a route between them, and a log of the calls.
struct ZooUpgrade: Sendable {
    let log = Log<String>()
    let calls = Log<RoutedCall>()
    let comparisons = Log<ShadowComparison>()
    let opened = Log<String>()
    let clock = TestClock()
    let control: StageControl
    let breakers: Breakers?
    let legacy: ScriptedZoo
    let candidate: ScriptedZoo
    let shadowQueue: ShadowQueue
    let session: UnitSession
    let route: Route<any Zoo>
    let zoo: any Zoo
    private let router: Router<any Zoo>
    private let settings: RouteSettings

    private struct Observer: RouteObserver {
        let calls: Log<RoutedCall>
        let comparisons: Log<ShadowComparison>
        let next: (any RouteObserver)?
        func began(_ call: CallInFlight) { next?.began(call) }
        func called(_ call: RoutedCall) {
            calls.add(call)
            next?.called(call)
        }
        func compared(_ comparison: ShadowComparison) {
            comparisons.add(comparison)
            next?.compared(comparison)
        }
    }

    init(
        _ stage: Stage,
        unit: String? = "keeper",
        dataOwnership: DataOwnership = .shared,
        shadowQueue: ShadowQueue = ShadowQueue(),
        expectations: Expectations = .none,
        breakers: BreakerSettings? = nil,
        callLog: (any CandidateCallLog)? = nil,
        memory: any UnitMemory = TransientUnitMemory(),
        observer: (any RouteObserver)? = nil,
        candidateOpens: Bool = true
    ) throws {
        control = StageControl(StageState(stage: stage))
        self.breakers = try breakers.map { [clock] settings in try Breakers(settings, clock: clock) }
        let (legacy, candidate) = (ScriptedZoo("legacy", log: log), ScriptedZoo("candidate", log: log))
        (self.legacy, self.candidate, self.shadowQueue) = (legacy, candidate, shadowQueue)
        session = UnitSession(unit: unit, control: control, bucketing: try Bucketing(salt: "zoo"))
        router = Router<any Zoo>(
            legacy: { [opened] in
                opened.add("legacy")
                return legacy
            },
            candidate: { [opened] in
                opened.add("candidate")
                if !candidateOpens { throw ZooError(meaning: .failed, kind: "closed") }
                return candidate
            }
        )
        settings = RouteSettings(
            capability: "zoo",
            dataOwnership: dataOwnership,
            failures: ZooError.reading,
            shadowQueue: shadowQueue,
            shadowDeadline: .seconds(10),
            expectations: expectations,
            breakers: self.breakers,
            calls: callLog,
            memory: memory,
            observer: Observer(calls: calls, comparisons: comparisons, next: observer),
            clock: clock
        )
        route = router.route(for: session, settings: settings) { $0 }
        zoo = Intercepted(source: route)
    }

    /// Another capability of the same unit, on the same route.
    func other(_ capability: String, memory: any UnitMemory) throws -> any Zoo {
        var settings = settings
        (settings.capability, settings.memory) = (capability, memory)
        return Intercepted<any Zoo>(source: router.route(for: session, settings: settings) { $0 })
    }

    /// Makes a call of that effect.
    func call(_ effect: Effect) async throws {
        switch effect {
        case .read: _ = try await zoo.animal(1)
        case .idempotent: _ = try await zoo.feed(1)
        case .write: _ = try await zoo.rename(1)
        case .exclusive: _ = try await zoo.enter("gate")
        }
    }

    /// The sides that were called, in order.
    var sides: [String] { log.entries.map { String($0.prefix { $0 != " " }) } }
    var verdicts: [ComparisonOutcome] { comparisons.entries.map(\.outcome) }
}

extension ZooUpgrade {
    /// Names exactly these units, as an upgrade's state would.
    func name(_ units: Set<String>, areServed: Bool = true) {
        var state = control.state
        (state.named, state.servesNamed) = (units, areServed)
        control.follow(state)
        session.cutOver()
    }
}

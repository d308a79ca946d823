import Cofferdam
import CofferdamSupport
import CofferdamTesting
import CofferdamUpgrade
import TestSupport

/// A port with an operation of each effect, a walk and a stream. The caller of a write passes a unique key.
protocol ChaosPort: Sendable {
    func value(_ id: Int) async throws -> Int
    func page(_ request: ChaosRequest) async throws -> ChaosPage
    func put(_ key: String) async throws
    func add(_ key: String) async throws
    func enter(_ key: String) async throws
    /// - Parameter listener: the subscriber, for the oracle.
    func events(for listener: String) -> any AsyncSequence<SimulatedElement, any Error> & Sendable
    func list(after number: Int) async throws -> [SimulatedElement]
}

struct ChaosRequest: Sendable {
    var cursor: String?
}

struct ChaosPage: Sendable, Equatable {
    /// The side that made it, which comparisons ignore.
    var side: Side
    var items: [Int]
    var next: String?
}

enum ChaosOperations {
    static let value = PortOperation<any ChaosPort, Int, Int>("value", .read) { try await $0.value($1) }
    static let page = PortOperation<any ChaosPort, ChaosRequest, ChaosPage>("page", .read) { try await $0.page($1) }
        .paged(
            by: Paging(cursor: \.cursor, next: \.next) {
                $0.cursor = $1
            } setNext: {
                $0.next = $1
            } invalid: { _ in
                ZooError(meaning: .answer, kind: "invalidCursor")
            }
        )
        .compared(by: Comparator().field("items", \.items))
    static let put = PortOperation<any ChaosPort, String, Void>("put", .idempotent) { try await $0.put($1) }
    static let add = PortOperation<any ChaosPort, String, Void>("add", .write) { try await $0.add($1) }
    static let enter = PortOperation<any ChaosPort, String, Void>("enter", .exclusive) { try await $0.enter($1) }
    static let list = PortOperation<any ChaosPort, Int, [SimulatedElement]>("list", .read) {
        try await $0.list(after: $1)
    }
    .compared(by: Comparator())

    /// Each run hands its streams over in its own way.
    static func events(
        _ handover: StreamHandover<SimulatedElement>
    ) -> StreamingOperation<any ChaosPort, String, SimulatedElement> {
        StreamingOperation("events") { $0.events(for: $1) }
            .handedOver(by: handover) { try await $0.list(after: $1.number ?? -1) }
    }
}

struct RoutedChaos: ChaosPort {
    let port: Intercepted<any ChaosPort>
    let handover: StreamHandover<SimulatedElement>

    func value(_ id: Int) async throws -> Int {
        try await port.call(ChaosOperations.value, id) { try await $0.value($1) }
    }
    func page(_ request: ChaosRequest) async throws -> ChaosPage {
        try await port.call(ChaosOperations.page, request) { try await $0.page($1) }
    }
    func put(_ key: String) async throws {
        try await port.call(ChaosOperations.put, key) { try await $0.put($1) }
    }
    func add(_ key: String) async throws {
        try await port.call(ChaosOperations.add, key) { try await $0.add($1) }
    }
    func enter(_ key: String) async throws {
        try await port.call(ChaosOperations.enter, key) { try await $0.enter($1) }
    }
    func events(for listener: String) -> PortEvents<SimulatedElement> {
        port.stream(ChaosOperations.events(handover), listener)
    }
    func list(after number: Int) async throws -> [SimulatedElement] {
        try await port.call(ChaosOperations.list, number) { try await $0.list(after: $1) }
    }
}

/// How often a side fails at random, each in percent of the calls.
struct ChaosFaults: Sendable {
    var unsent = 0
    var failed = 0
    /// Carried out or not, without an answer.
    var unknown = 0
    /// The call takes seconds.
    var slow = 0
    /// The call takes minutes, whether or not its caller still waits.
    var deaf = 0
    var wrong = 0

    static let down = ChaosFaults(unsent: 50, failed: 100)

    static func random(_ dice: inout Dice) -> ChaosFaults {
        switch dice.roll(8) {
        case 0...1: return ChaosFaults()
        case 2: return .down
        default: break
        }
        func some() -> Int { dice.roll(2) == 0 ? dice.roll(40) : 0 }
        return ChaosFaults(
            unsent: some(),
            failed: some(),
            unknown: some(),
            slow: some(),
            deaf: some() / 10,
            wrong: some()
        )
    }
}

/// One of the two SDKs, over a shared backend or one of its own.
struct ChaosVendor: ChaosPort {
    let side: Side
    /// Whether it is called in the shadow only, and so never for a write.
    var isRehearsing = false
    let world: ChaosWorld

    func value(_ id: Int) async throws -> Int {
        try await misbehaving { id + (world.strikes(side, \.wrong) ? 1 : 0) }
    }

    func page(_ request: ChaosRequest) async throws -> ChaosPage { try await misbehaving { try answer(request) } }

    private func answer(_ request: ChaosRequest) throws -> ChaosPage {
        guard let cursor = request.cursor else { return ChaosPage(side: side, items: [1], next: "\(side)/2") }
        let parts = cursor.split(separator: "/")
        guard parts.count == 2, parts[0] == "\(side)", let number = Int(parts[1]) else {
            world.report("\(side) got the cursor \(cursor)")
            throw ZooError(meaning: .answer, kind: "foreignCursor")
        }
        return ChaosPage(side: side, items: [number], next: number < 4 ? "\(side)/\(number + 1)" : nil)
    }

    func put(_ key: String) async throws { try await write("put", key) }
    func add(_ key: String) async throws { try await write("add", key) }
    func enter(_ key: String) async throws { try await write("enter", key) }

    func events(for listener: String) -> any AsyncSequence<SimulatedElement, any Error> & Sendable {
        world.feed.events(side, for: listener)
    }
    func list(after number: Int) async throws -> [SimulatedElement] {
        try await misbehaving { world.feed.list(side, after: number) }
    }

    private func write(_ operation: String, _ key: String) async throws {
        if isRehearsing { world.report("\(operation) \(key) reached the rehearsing side") }
        try await misbehaving {
            let isUnknown = world.strikes(side, \.unknown)
            if !isUnknown || world.strikesHalf() { world.ledgers.backend.add(operation, key, "\(side)") }
            if isUnknown { throw ZooError(meaning: .outcomeUnknown) }
        }
    }

    /// Fails before anything is carried out.
    private func misbehaving<Value>(_ body: () throws -> Value) async throws -> Value {
        world.note(side, "+")
        defer { world.note(side, "-") }
        if world.strikes(side, \.deaf) {
            let clock = world.clock
            await Task(executorPreference: nil) { try? await clock.sleep(for: .seconds(300)) }.value
        } else if world.strikes(side, \.slow) {
            try await world.clock.sleep(for: .seconds(3))
        }
        if world.strikes(side, \.unsent) { throw ZooError(meaning: .unsent) }
        if world.strikes(side, \.failed) { throw ZooError(meaning: .failed) }
        return try body()
    }
}

/// The backend of both SDKs, and how often each of them fails now.
final class ChaosWorld: Sendable {
    let clock = TestClock()
    let ledgers: ChaosLedgers
    let feed: ChaosFeed
    /// Names this process in the ledgers.
    private let process: String
    private let state: Mutex<(faults: [Side: ChaosFaults], dice: Dice)>

    init(ledgers: ChaosLedgers, dataOwnership: DataOwnership, seed: UInt64) {
        (self.ledgers, process) = (ledgers, "\(seed)")
        feed = ChaosFeed(run: process, dataOwnership: dataOwnership, ledger: ledgers.feed, seed: seed)
        state = Mutex(([:], Dice(seed: seed)))
    }

    /// Records a violation, which survives a kill.
    func report(_ violation: String) { ledgers.violations.add(violation) }

    func behave(_ side: Side, _ faults: ChaosFaults) { state.withLock { $0.faults[side] = faults } }

    func strikes(_ side: Side, _ fault: KeyPath<ChaosFaults, Int>) -> Bool {
        state.withLock { state in state.dice.roll(100) < (state.faults[side] ?? ChaosFaults())[keyPath: fault] }
    }

    func strikesHalf() -> Bool { state.withLock { $0.dice.roll(2) == 0 } }

    /// Notes that a call enters or leaves the candidate: the ledger knows how many are in flight.
    func note(_ side: Side, _ word: String) {
        if side == .candidate { ledgers.calls.add(process, word) }
    }

    /// Opens the side after a while, unless opening fails.
    func open(_ side: Side, isRehearsing: Bool = false) async throws -> any ChaosPort {
        note(side, "+")
        defer { note(side, "-") }
        try await clock.sleep(for: .seconds(1))
        if strikes(side, \.unsent) { throw ZooError(meaning: .unsent) }
        return ChaosVendor(side: side, isRehearsing: isRehearsing, world: self)
    }
}

import Cofferdam
import CofferdamContracts
import Testing

/// A letterbox on a device, which keeps the letters that cannot be sent.
private struct Letterbox: Sendable {
    struct Letter: Sendable, Hashable {
        var text: String
        var key: String
        var author = ""
    }

    enum Failure: Error, Equatable {
        case unreachable, lost, refused, madeBefore
    }

    /// What an adapter gets wrong.
    enum Flaw: Sendable {
        /// Letters that cannot be sent are kept nowhere.
        case keepsNone
        /// A letter that the vendor refuses stays in front of all others.
        case stopsAtRefusal
        /// The vendor does not compare keys.
        case knowsNoKeys
        /// A letter that was kept is dropped at the sign-out.
        case dropsAtSignOut
        /// The next call sends all that is kept, whoever is signed in.
        case sendsForAll
    }

    /// The vendor, and what the device keeps.
    final class World: Sendable {
        struct State: Sendable {
            var sent: [Letter] = []
            var kept: [Letter] = []
            var reports: [String] = []
            var user = ""
            var isReachable = true
            var losesAnswers = false
        }

        let state = Mutex(State())
        let line = LineVendor()
    }

    var flaw: Flaw?
    let world: World
    var write: @Sendable (Letter) async throws -> String
    var reach: @Sendable (Bool) async throws -> Letterbox
    var reopen: @Sendable () async throws -> Letterbox

    init(_ flaw: Flaw? = nil, _ world: World = World()) {
        self.flaw = flaw
        self.world = world
        write = { try await Self.write($0, flaw, world) }
        reach = { isReachable in
            world.state.withLock { $0.isReachable = isReachable }
            return Letterbox(flaw, world)
        }
        reopen = { Letterbox(flaw, world) }
    }

    private static func write(_ letter: Letter, _ flaw: Flaw?, _ world: World) async throws -> String {
        let letter = world.state.withLock { Letter(text: letter.text, key: letter.key, author: $0.user) }
        guard world.state.withLock(\.isReachable) else {
            if flaw != .keepsNone { world.state.withLock { $0.kept.append(letter) } }
            throw Failure.unreachable
        }
        if world.line.arrive() == .hold { try await world.line.hold() }
        return try world.state.withLock { state in
            for kept in state.kept where kept.author == state.user || flaw == .sendsForAll {
                do throws(Failure) {
                    var kept = kept
                    kept.author = state.user
                    try send(kept, flaw, &state)
                } catch {
                    if error == .lost || flaw == .stopsAtRefusal { break }
                    state.reports.append(kept.key)
                }
                state.kept.removeAll { $0.key == kept.key }
            }
            try send(letter, flaw, &state)
            return letter.text
        }
    }

    private static func send(_ letter: Letter, _ flaw: Flaw?, _ state: inout World.State) throws(Failure) {
        guard letter.text != "rude" else { throw .refused }
        let isKnown = state.sent.contains { $0.key == letter.key && $0.author == letter.author }
        if !isKnown || flaw == .knowsNoKeys { state.sent.append(letter) }
        if state.losesAnswers { throw .lost }
    }

    func signOut() {
        world.state.withLock { state in
            if flaw == .dropsAtSignOut { state.kept = [] }
            state.user = ""
        }
    }
}

@Suite struct WaitingWriteTests {
    private static func family(
        isKept: Bool = true,
        canReopen: Bool = true
    ) -> WaitingWrite<Letterbox, Letterbox.Letter, String> {
        WaitingWrite(
            call: PortCall(
                "write",
                get: { $0.write },
                replace: { box, perform in
                    var box = box
                    box.write = perform
                    return box
                }
            ),
            draft: { Letterbox.Letter(text: $0, key: $1) },
            another: { Letterbox.Letter(text: $0.text, key: $0.key + "-again") },
            shows: { $0 },
            keeping: isKept
                ? .init(
                    refused: { Letterbox.Letter(text: "rude", key: $0) },
                    isRefused: matches(.refused),
                    isReported: { box, key in box.world.state.withLock { $0.reports.contains(key) } },
                    secondUser: "bob",
                    signInSecond: { box in box.world.state.withLock { $0.user = "bob" } },
                    signOut: { $0.signOut() }
                ) : nil,
            opening: Opening(
                close: PortCall("close", get: { _ in { _ in } }, replace: { box, _ in box }),
                reopen: canReopen
                    ? PortCall(
                        "reopen",
                        get: { box in { _ in try await box.reopen() } },
                        replace: { box, perform in
                            var box = box
                            box.reopen = { try await perform(()) }
                            return box
                        }
                    ) : nil
            ),
            reach: PortCall(
                "reach",
                get: { $0.reach },
                replace: { box, perform in
                    var box = box
                    box.reach = perform
                    return box
                }
            ),
            vendor: .init(
                user: "ann",
                reset: { box in box.world.state.withLock { $0.sent = [] } },
                signIn: { box in box.world.state.withLock { $0.user = "ann" } },
                contents: { box, user in
                    box.world.state.withLock { $0.sent.filter { $0.author == user }.map(\.text) }
                },
                loseAnswers: { box, loses in box.world.state.withLock { $0.losesAnswers = loses } },
                hold: { $0.world.line.inject(.hold, times: 1) },
                held: HeldCalls(wait: { try await $0.world.line.waitForHeld($1) }, release: { $0.world.line.release() })
            ),
            unreachable: Letterbox.Failure.unreachable,
            isUnreachable: matches(.unreachable),
            isMadeBefore: matches(.madeBefore)
        )
    }

    private static func matches(_ expected: Letterbox.Failure) -> @Sendable (any Error) -> Bool {
        { $0 as? Letterbox.Failure == expected }
    }

    private static func adapter(_ flaw: Letterbox.Flaw? = nil) -> AdapterUnderTest<Letterbox> {
        AdapterUnderTest(name: "letterbox") { Letterbox(flaw) }
    }

    @Test(arguments: [true, false])
    func `an adapter keeps the rules, and each of their mutants is killed`(isKept: Bool) async {
        let family = Self.family(isKept: isKept)
        let adapter = Self.adapter(isKept ? nil : .keepsNone)
        let report = await ContractRunner(rules: family.rules, adapters: [adapter]).run()
        for row in report.rows where row.outcome != .passed {
            #expect(row.outcome == .skipped && !isKept, "\(row.rule): \(row.detail ?? "")")
        }
        let passed = Set(report.rows.filter { $0.outcome == .passed }.map(\.rule))
        #expect(passed.count == (isKept ? 8 : 3))
        #expect(passed == Set(family.mutants.map(\.rule)))
        let runner = MutationRunner(rules: family.rules, adapter: adapter)
        for row in await runner.run(family.mutants).rows {
            #expect(row.outcome == .killed, "\(row.id): \(row.detail ?? "no detail")")
        }
    }

    /// What each flaw breaks.
    private static let broken: [(Letterbox.Flaw, Set<RuleID>)] = [
        (.keepsNone, ["WAIT-01", "WAIT-02", "WAIT-03", "WAIT-04", "WAIT-05", "WAIT-06"]),
        (.stopsAtRefusal, ["WAIT-05"]), (.knowsNoKeys, ["LIFE-07", "WAIT-02", "WAIT-04", "WAIT-07"]),
        (.dropsAtSignOut, ["WAIT-06"]), (.sendsForAll, ["WAIT-06"]),
    ]

    @Test(arguments: broken)
    fileprivate func `what an adapter gets wrong is found`(_ flaw: Letterbox.Flaw, _ expected: Set<RuleID>) async {
        let report = await ContractRunner(rules: Self.family().rules, adapters: [Self.adapter(flaw)]).run()
        #expect(Set(report.rows.filter { $0.outcome == .failed }.map(\.rule)) == expected)
    }

    @Test func `a harness that claims to reopen without a way to do so fails the rules`() async {
        let adapter = AdapterUnderTest(name: "letterbox", harnessCapabilities: ["relaunch"]) { Letterbox() }
        let rules = Self.family(canReopen: false).rules.filter { ["LIFE-07", "WAIT-03"].contains($0.id) }
        let report = await ContractRunner(rules: rules, adapters: [adapter]).run()
        let detail = "the harness claims relaunch, and there is no reopen"
        #expect(report.rows.map(\.detail) == [detail, detail])
    }

    @Test func `a write that is sent later although the port says that it has failed is found`() async {
        let report = await ContractRunner(rules: Self.family(isKept: false).rules, adapters: [Self.adapter()]).run()
        #expect(report.rows.filter { $0.outcome == .failed }.map(\.rule) == ["WAIT-01"])
    }
}

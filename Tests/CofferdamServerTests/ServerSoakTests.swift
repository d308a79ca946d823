#if Server
import Cofferdam
import CofferdamSupport
import CofferdamCurl
import CofferdamDevice
import CofferdamUpgrade
import Foundation
import GRDB
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamServer

/// A few rounds in an ordinary run; `./dev soak server` sets how long it lasts.
@Suite("The server, under all attacks at once", .timeLimit(.minutes(10 + ServerSoak.seconds / 60)))
struct ServerSoakTests {
    @Test func `what devices send is counted once, and each stop is answered, obeyed and logged once`() async throws {
        let soak = try ServerSoak()
        defer { removeFolder(soak.folder) }
        try await soak.run()
    }
}

/// Honest devices post units and an operator moves the upgrade, while the server is attacked, killed and copied.
private struct ServerSoak {
    /// 0 in an ordinary run, which has a few rounds.
    static let seconds = Int(clamping: Soak.number("COFFERDAM_SOAK_SECONDS", default: 0))
    private static let rounds = 3
    private static let (devices, streams, polls) = (8, 4, 4)
    /// The units of a device in each epoch, and in each of its posts.
    private static let (units, unitsOfPost) = (20, 5)

    private struct Ledger {
        /// The units that honest devices sent, all acknowledged, and those that the server counted.
        var (sent, counted) = (0, 0)
        var (posts, repeated, unanswered) = (0, 0, 0)
        /// The keys of all changes that were asked for, and of those that were answered with a yes.
        var (asked, made): (Set<String>, Set<String>) = ([], [])
        var stops: Set<String> = []
        /// How long the operator waited for the answer, and until all devices had the stage.
        var (answered, obeyed): ([Duration], [Duration]) = ([], [])
        var (storedLater, kills, copies) = (0, 0, 0)
        var (files, memory) = (0, 0)
        /// The memory since the last start.
        var memories: [Int] = []
    }

    private struct Receipt: Decodable, Equatable {
        var counted: Int
        var dropped: Int
        var outdated: Int
    }

    private struct Changed: Decodable {
        var entry: HistoryLine
        var stored: Bool
    }

    let folder: String
    private let seed = Soak.number("COFFERDAM_SOAK_SEED", default: 1)
    private let perAddress: Int
    private let life: ServerLife
    private let target: SoakTarget
    private let dice: Shared<SplitMix64>
    private let ledger = Shared(Ledger())
    private let begun = ContinuousClock.now
    private let watchers = Marks(streams + polls)
    private let attacks = SoakTarget.all
    private let attacked: Marks
    private let operators = CurlClient()

    private var database: String { folder + "/upgrades.sqlite" }
    private var isLong: Bool { Self.seconds > 0 }
    private var elapsed: Duration { .now - begun }

    init() throws {
        FileLimit.raise()
        var dice = SplitMix64(seed: seed)
        folder = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let entries = TestServer.tokens.map {
            AccessTokens.Entry(name: $0.key.rawValue, role: $0.key, token: $0.value)
        }
        try AccessTokens(entries).write(toFile: folder + "/tokens.json")
        perAddress = min(Self.seconds > 0 ? 2_000 : 100, FileLimit.current / 4)
        // Systems take clients' ports from 32768 on, or later.
        life = ServerLife(
            port: Int.random(in: 20_000..<32_000, using: &dice) ^ Int(getpid() & 0x7F),
            [
                "--database", folder + "/upgrades.sqlite", "--tokens", folder + "/tokens.json", "--capability",
                "orders=small", "--operations", "orders=place,list", "--trusted-proxy", "127.0.0.1",
                "--address-connections", "\(perAddress)",
            ],
            log: folder + "/log"
        )
        target = SoakTarget(port: life.port, perAddress: perAddress, faults: Shared([]))
        self.dice = Shared(dice)
        attacked = Marks(SoakTarget.all.count)
    }

    func run() async throws {
        try await life.start()
        var failure: (any Error)?
        await withTaskGroup { group in
            for (number, attack) in attacks.enumerated() { group.addTask { await keep(attack, number) } }
            for number in 0..<Self.streams { group.addTask { await watch(number, isStream: true) } }
            for number in 0..<Self.polls { group.addTask { await watch(Self.streams + number, isStream: false) } }
            group.addTask {
                while !Task.isCancelled {
                    measure()
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
            do { try await conduct() } catch { failure = error }
            group.cancelAll()
            await life.kill()
        }
        if let failure { throw failure }
        try await check()
    }

    private func keep(_ attack: any SoakAttack, _ number: Int) async {
        var (attack, steps) = (attack, Int64(0))
        var dice = SplitMix64(seed: seed &+ UInt64(number + 1) &* 1_000_003)
        while !Task.isCancelled {
            do {
                try await attack.step(target, &dice)
                steps += 1
                await attacked.reach(steps, by: number)
            } catch { try? await Task.sleep(for: .milliseconds(10)) }
        }
    }

    private func measure() {
        guard let measured = life.measured else { return }
        ledger.change { ledger in
            ledger.files = max(ledger.files, measured.files)
            ledger.memory = max(ledger.memory, measured.memory)
            ledger.memories.append(measured.memory)
        }
    }

    // MARK: Devices

    /// Follows the stage as a device does.
    private func watch(_ number: Int, isStream: Bool) async {
        let (path, client) = (SoakTarget.capability + "/stage", CurlClient())
        var tag = "\"none\""
        while !Task.isCancelled {
            do {
                guard isStream else {
                    var headers = Self.headers(.device, from: "192.0.2.\(100 + number)")
                    headers[.ifNoneMatch] = tag
                    let request = try HTTPRequest(.get, url: target.url + path + "?wait=5", headerFields: headers)
                    let reply = try await client.send(request)
                    guard reply.head.status == .ok else { continue }
                    let stage = try JSONDecoder().decode(ServedStage.self, from: Data(Array(reply.body)))
                    tag = stage.tag
                    await watchers.reach(stage.revision, by: number)
                    continue
                }
                var headers = Self.headers(.device, from: "192.0.2.\(100 + number)")
                headers[.accept] = "text/event-stream"
                let request = try HTTPRequest(.get, url: target.url + path, headerFields: headers)
                for try await line in try await client.stream(request).body.lines() {
                    let line = String(decoding: line, as: UTF8.self)
                    guard line.hasPrefix("data: ") else { continue }
                    let stage = try JSONDecoder().decode(ServedStage.self, from: Data(line.dropFirst(6).utf8))
                    await watchers.reach(stage.revision, by: number)
                }
            } catch { try? await Task.sleep(for: .milliseconds(20)) }
        }
    }

    private static func headers(_ role: ServerRole, from address: String) -> HTTPFields {
        var headers: HTTPFields = [.authorization: "Bearer \(TestServer.tokens[role] ?? "")"]
        if let name = HTTPField.Name("X-Forwarded-For") { headers[name] = address }
        return headers
    }

    /// Posts the device's units of an epoch, each until it is acknowledged, and some again.
    private func deliver(_ device: Int, _ round: Int, _ stage: ServedStage) async throws {
        struct Post: Encodable { var reports: [EvidenceReport] }
        let client = CurlClient()
        let first = (round * Self.devices + device) * Self.units
        for start in stride(from: first, to: first + Self.units, by: Self.unitsOfPost) {
            let isFailing = start == round * Self.devices * Self.units
            let failing = start..<(isFailing ? start + 1 : start)
            let fine = failing.upperBound..<start + Self.unitsOfPost
            let reports = [
                Reports.report(stage.stage, epoch: stage.epoch, failing, Reports.windows("candidate", ["failed"])),
                Reports.report(stage.stage, epoch: stage.epoch, fine, Reports.windows("candidate")),
            ].filter { !$0.units.isEmpty }
            let body = Array(try JSONEncoder().encode(Post(reports: reports)))
            let isRepeated = dice.change { Int.random(in: 0..<3, using: &$0) == 0 }
            var times = isRepeated ? 2 : 1
            if isRepeated { ledger.change { $0.repeated += 1 } }
            var attempts = 0
            while times > 0 {
                attempts += 1
                try #require(attempts < 3_000, "seed \(seed), round \(round): no answer to a device")
                let answer = try? await target.send(
                    .post,
                    SoakTarget.capability + "/evidence",
                    as: .device,
                    from: "192.0.2.\(1 + device)",
                    body,
                    by: client
                )
                guard let answer, answer.status == 200 else {
                    ledger.change { $0.unanswered += 1 }
                    try await Task.sleep(for: .milliseconds(answer?.status == 429 ? 200 : 20))
                    continue
                }
                let expected = Receipt(counted: Self.unitsOfPost, dropped: 0, outdated: 0)
                #expect(try answer.json() == expected, "seed \(seed), round \(round)")
                ledger.change { $0.posts += 1 }
                times -= 1
            }
        }
        ledger.change { $0.sent += Self.units }
    }

    // MARK: The operator

    private func conduct() async throws {
        var round = 0
        repeat {
            try await self.round(round)
            round += 1
        } while isLong ? elapsed < .seconds(Self.seconds) : round < Self.rounds
    }

    private func round(_ round: Int) async throws {
        let steps = await attacked.reached
        let stage = try await stepUp(round)
        // In a soak the last half has no restart, so that its memory can be compared.
        let isEarly = elapsed < .seconds(Self.seconds / 2)
        let chance = dice.change { Int.random(in: 0..<8, using: &$0) }
        let (killsPosts, killsStop) =
            isLong ? (isEarly && chance == 0, isEarly && chance == 1) : (round == 0, round == 1)
        try await withThrowingTaskGroup { group in
            for device in 0..<Self.devices { group.addTask { try await deliver(device, round, stage) } }
            try await stop("freeze", round)
            try await resume("freeze", round)
            if killsPosts { try await restart() }
            try await group.waitForAll()
        }
        try await compare(round, stage.epoch)
        try await stop("legacy", round, whileKilled: killsStop)
        try await resume("legacy", round)
        // Each attack was made in this round.
        try await attacked.all(at: steps.map { $0 + 1 })
        #expect(target.faults.current.isEmpty, "seed \(seed), round \(round)")
    }

    private func restart() async throws {
        await life.kill()
        try await life.start()
        ledger.change { ledger in
            ledger.kills += 1
            ledger.memories = []
        }
    }

    private func stage() async throws -> ServedStage {
        let path = SoakTarget.capability + "/stage"
        let answer = try await target.send(.get, path, as: .reader, from: "192.0.2.204", by: operators)
        return try answer.json()
    }

    /// Asks for a change until the answer is a yes or a no, as a person's tool does.
    private func order(
        _ move: String,
        _ fields: String = "",
        key: String,
        as role: ServerRole = .operator
    ) async throws -> TestServer.Answer {
        ledger.change { _ = $0.asked.insert(key) }
        for _ in 0..<500 {
            let answer = try? await target.send(
                .post,
                SoakTarget.capability + "/" + move,
                as: role,
                from: "192.0.2.205",
                Array(#"{"reason": "a test"\#(fields.isEmpty ? "" : ", " + fields)}"#.utf8),
                key: key,
                by: operators
            )
            if let answer, ![429, 503].contains(answer.status) {
                if answer.status < 300 { ledger.change { _ = $0.made.insert(key) } }
                return answer
            }
            ledger.change { $0.unanswered += 1 }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw TestError("seed \(seed): no answer to \(move) \(key)")
    }

    /// Two operators take the two steps to the canary, and press at once.
    private func stepUp(_ round: Int) async throws -> ServedStage {
        for step in 0..<2 {
            let seen = try await stage()
            let fields =
                #""despiteGate": true, "from": {"stage": "\#(seen.stage.rawValue)", "revision": \#(seen.revision)}"#
            async let one = order("advance", fields, key: "\(round)-step\(step)-a")
            async let other = order("advance", fields, key: "\(round)-step\(step)-b", as: .admin)
            let answers = [try await one, try await other]
            #expect(answers.map(\.status).sorted() == [200, 409], "seed \(seed), round \(round)")
            #expect(answers.compactMap(\.code) == ["movedOn"], "seed \(seed), round \(round)")
        }
        let stage = try await stage()
        try #require(stage.stage == .canary(share: 2000), "seed \(seed), round \(round): one step for two presses")
        return stage
    }

    /// - Parameter whileKilled: whether the server is killed at a moment of the first attempt.
    private func stop(_ target: String, _ round: Int, whileKilled: Bool = false) async throws {
        let (key, fields) = ("\(round)-\(target)", #""target": "\#(target)""#)
        ledger.change { _ = $0.stops.insert(key) }
        if whileKilled {
            let turns = dice.change { Int.random(in: 0...2_000, using: &$0) }
            async let first = order("kill", fields, key: key)
            for _ in 0..<turns { await Task.yield() }
            try await restart()
            _ = try await first
        }
        let start = ContinuousClock.now
        let answer = try await order("kill", fields, key: key)
        let answered = ContinuousClock.now - start
        #expect([200, 202].contains(answer.status), "seed \(seed), round \(round): \(answer.text)")
        let stage = try await stage()
        #expect(stage.kill?.rawValue == target, "seed \(seed), round \(round)")
        try await watchers.all(at: Array(repeating: stage.revision, count: Self.streams + Self.polls))
        let obeyed = ContinuousClock.now - start
        if !whileKilled {
            ledger.change { ledger in
                ledger.answered.append(answered)
                ledger.obeyed.append(obeyed)
            }
        }
        if try !answer.json(Changed.self).stored {
            ledger.change { $0.storedLater += 1 }
            try await waitUntilStored(key)
        }
        // The key belongs to this stop of this operator.
        for (move, role) in [("resume", ServerRole.operator), ("kill", .admin)] {
            let other = try await order(move, fields, key: key, as: role)
            #expect(other.code == "keyUsed", "seed \(seed), round \(round): \(other.text)")
        }
        let again = try await order("kill", fields, key: key)
        #expect(try again.json(Changed.self).entry.id == key, "seed \(seed), round \(round)")
    }

    private func resume(_ target: String, _ round: Int) async throws {
        let answer = try await order("resume", key: "\(round)-\(target)-resume")
        #expect(answer.status == 200, "seed \(seed), round \(round): \(answer.text)")
    }

    private func waitUntilStored(_ key: String) async throws {
        for _ in 0..<500 {
            let path = SoakTarget.capability + "?history=5"
            let answer = try await target.send(.get, path, as: .reader, from: "192.0.2.204", by: operators)
            if answer.text.contains("\"id\":\"\(key)\"") { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw TestError("seed \(seed): the stop \(key) was never stored")
    }

    // MARK: Comparing

    /// Copies the database while the server uses it, and compares the copy with what the devices sent.
    private func compare(_ round: Int, _ epoch: Int) async throws {
        let (place, copy) = ("seed \(seed), round \(round)", folder + "/copy-\(round).sqlite")
        let made = try await ServerProgram.run("backup", "--database", database, "--to", copy)
        try #require(made.isSuccess, "\(place): \(made.error)")
        try FileManager.default.copyItem(atPath: database, toPath: copy + "-raw")
        let log = try SQLiteUpgradeLog(path: copy)
        let stored = try #require(try await SQLiteUpgradeStore(log: log).read("orders"))
        #expect(stored.state.epoch == epoch, "\(place)")
        let reading = try await StoredEvidence(log, window: 600).reading(of: stored.state, afterSeconds: 60)
        let counts = reading.metrics[Metric.candidateFailures.of("place")]
        #expect(counts == FailureCounts(1, of: Self.devices * Self.units), "\(place): nothing lost, nothing twice")
        let names = Set(reading.metrics.keys.compactMap(\.operation))
        #expect(names.isSubset(of: ["place", "list", KnownOperations.others]), "\(place)")
        ledger.change { ledger in
            ledger.counted += counts?.total ?? 0
            ledger.copies += 1
        }
        for suffix in ["", "-wal", "-shm", "-raw"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
    }

    /// Checks what is left when all is over.
    private func check() async throws {
        let (ledger, place) = (ledger.current, "seed \(seed)")
        let store = SQLiteUpgradeStore(log: try SQLiteUpgradeLog(path: database))
        let ids = try await store.history(of: "orders", last: 1_000_000).map(\.id)
        #expect(Set(ids).count == ids.count, "\(place): each change once")
        #expect(Set(ids) == ledger.made, "\(place): what was answered with a yes is in the log, and nothing else")
        #expect(ledger.stops.isSubset(of: ids), "\(place): each stop is in the log")
        #expect(ledger.sent == ledger.counted, "\(place): nothing lost, nothing twice")
        let damage = try await DatabaseQueue(path: database).read {
            try String.fetchAll($0, sql: "PRAGMA integrity_check")
        }
        #expect(damage == ["ok"], "\(place)")
        let steps = await attacked.reached
        #expect(steps.allSatisfy { $0 > 0 }, "\(place): each attack was made")
        let lines = life.logLines
        #expect(lines.count <= 2 * ledger.made.count + 10 * (ledger.kills + 1), "\(place): a flood fills the log")
        if life.logLines.contains(where: { $0.contains("Fatal error") }) { Issue.record("\(place): it crashed") }
        #if os(Linux)
        #expect(ledger.files < 2 * perAddress + 300, "\(place): descriptors")
        #expect(ledger.memory < 768 << 20, "\(place): memory")
        if isLong {
            // The streams are all open by then.
            let early = ledger.memories.dropFirst(ledger.memories.count / 3).first ?? 0
            let late = ledger.memories.last ?? 0
            #expect(late < early + early / 4 + (32 << 20), "\(place): memory that is not given back")
        }
        #endif
        if isLong {
            #expect(ledger.answered.max() ?? .zero < .seconds(1), "\(place): a stop is answered within a second")
        }
        try report(ledger, steps)
    }

    private func report(_ ledger: Ledger, _ steps: [Int64]) throws {
        func seconds(_ all: [Duration]) -> String {
            let sorted = all.sorted()
            let half = sorted.isEmpty ? .zero : sorted[sorted.count / 2]
            let parts = [half, sorted.last ?? .zero].map { "\($0.formatted(.units(allowed: [.milliseconds])))" }
            return "\(all.count), half within \(parts[0]), all within \(parts[1])"
        }
        var rows = [
            ("seed, time", "\(seed), \(elapsed.formatted(.units(allowed: [.seconds])))"),
            ("units sent, counted", "\(ledger.sent), \(ledger.counted)"),
            ("posts, of them again", "\(ledger.posts), \(ledger.repeated)"),
            ("requests without yes or no", "\(ledger.unanswered)"),
            ("changes made, refused", "\(ledger.made.count), \(ledger.asked.subtracting(ledger.made).count)"),
            ("stops answered", seconds(ledger.answered)), ("stops at all devices", seconds(ledger.obeyed)),
            ("stops stored later", "\(ledger.storedLater)"), ("kills of the server", "\(ledger.kills)"),
            ("copies compared", "\(ledger.copies)"), ("descriptors, at most", "\(ledger.files)"),
            ("memory, at most", "\(ledger.memory >> 20) MB"), ("lines of the log", "\(life.logLines.count)"),
        ]
        rows += zip(attacks, steps).map { ($0.name, "\($1) steps") }
        let text = rows.map { $0.padding(toLength: 34, withPad: " ", startingAt: 0) + $1 + "\n" }.joined()
        guard let path = ProcessInfo.processInfo.environment["COFFERDAM_SOAK_REPORT"] else { return }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}

/// How far each of several tasks has come.
private actor Marks {
    private(set) var reached: [Int64]
    private var waiting: [(marks: [Int64], end: AsyncStream<Never>.Continuation)] = []

    init(_ tasks: Int) { reached = Array(repeating: 0, count: tasks) }

    func reach(_ mark: Int64, by task: Int) {
        reached[task] = max(reached[task], mark)
        for wait in waiting where isReached(wait.marks) { wait.end.finish() }
        waiting.removeAll { isReached($0.marks) }
    }

    /// Returns when each task has reached its mark.
    func all(at marks: [Int64]) async throws {
        guard !isReached(marks) else { return }
        let (stream, end) = AsyncStream.makeStream(of: Never.self)
        waiting.append((marks, end))
        for await _ in stream {}
        try Task.checkCancellation()
    }

    private func isReached(_ marks: [Int64]) -> Bool { zip(reached, marks).allSatisfy { $0 >= $1 } }
}
#endif

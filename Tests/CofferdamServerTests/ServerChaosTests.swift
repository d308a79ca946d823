#if Server
import Cofferdam
import CofferdamSupport
import CofferdamCurl
import CofferdamDevice
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamServer

/// Runs the server as a process that is repeatedly killed with SIGKILL in the middle of posts and orders.
@Suite("The server, killed in the middle of everything", .timeLimit(.minutes(5)))
struct ServerChaosTests {
    /// The requests that were sent to the server, and those that it has acknowledged.
    private struct Ledger {
        var units: Set<Int> = []
        var acknowledgedUnits: Set<Int> = []
        /// Each with the key of its request.
        var orders: [String: String] = [:]
        var acknowledgedOrders: Set<String> = []
        var answers = 0
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `acknowledged reports are there once, and nothing is there that nobody sent`(_ seed: UInt64) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "chaos-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder) }
        let tokens = try await Self.tokens(in: folder)
        let ledger = Shared(Ledger())
        let dice = Shared(SplitMix64(seed: seed))
        for round in 0..<4 {
            let isLast = round == 3
            // The number of this round's answers after which it is killed.
            let most = dice.change { Int.random(in: 5...70, using: &$0) }
            try await ServerProgram.serve(Self.arguments(folder)) { url, process in
                if !isLast { Self.plan(round, ledger, dice) }
                ledger.change { $0.answers = 0 }
                let (sorted, orders) = ledger.change { ($0.units.sorted(), $0.orders) }
                let units = dice.change { sorted.shuffled(using: &$0) }
                await withTaskGroup { group in
                    for unit in units {
                        group.addTask {
                            guard await Self.post(unit, to: url, tokens.device) else { return }
                            let answers = ledger.change { ledger in
                                ledger.acknowledgedUnits.insert(unit)
                                ledger.answers += 1
                                return ledger.answers
                            }
                            if answers == most, !isLast { kill(process, SIGKILL) }
                        }
                    }
                    group.addTask {
                        // One after the other, as a person would; after a crash, again with the same keys.
                        for (key, body) in orders.sorted(by: { $0.key < $1.key }) {
                            guard await Self.order(key, body, to: url, tokens.person) != nil else { continue }
                            let answers = ledger.change { ledger in
                                ledger.acknowledgedOrders.insert(key)
                                ledger.answers += 1
                                return ledger.answers
                            }
                            if answers == most, !isLast { kill(process, SIGKILL) }
                        }
                    }
                }
                kill(process, SIGKILL)
            }
            try await Self.check(folder, ledger.current, "seed \(seed), round \(round)")
        }
        let end = ledger.current
        #expect(end.acknowledgedUnits == end.units)
        #expect(end.acknowledgedOrders == Set(end.orders.keys))
    }

    /// Three people move the stage at once, and the server is killed meanwhile.
    @Test(arguments: 4...6 as ClosedRange<UInt64>)
    func `the stage is where the log's last order left it`(_ seed: UInt64) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "chaos-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder) }
        let tokens = try await Self.tokens(in: folder)
        let moves = [
            #"advance {"reason": "a test", "despiteGate": true}"#,
            #"rollback {"reason": "a test", "to": "legacyOnly"}"#, #"abort {"reason": "a test"}"#,
        ]
        var dice = SplitMix64(seed: seed)
        let ledger = Shared(Ledger())
        for round in 0..<4 {
            // Two steps forward for each step back; after a crash, again with the same keys.
            for number in 0..<30 {
                let move = Bool.random(using: &dice) ? moves[0] : moves.randomElement(using: &dice) ?? ""
                ledger.change { $0.orders["order-\(round)-\(number)"] = move }
            }
            let most = Int.random(in: 3...40, using: &dice)
            let orders = ledger.current.orders.sorted { $0.key < $1.key }.shuffled(using: &dice)
            try await ServerProgram.serve(Self.arguments(folder)) { url, process in
                ledger.change { $0.answers = 0 }
                await withTaskGroup { group in
                    for person in 0..<3 {
                        group.addTask {
                            for (key, move) in stride(from: person, to: orders.count, by: 3).map({ orders[$0] }) {
                                guard let status = await Self.order(key, move, to: url, tokens.person) else {
                                    continue
                                }
                                let answers = ledger.change { ledger in
                                    if status == 200, move == moves[0] { ledger.acknowledgedOrders.insert(key) }
                                    ledger.answers += 1
                                    return ledger.answers
                                }
                                if answers == most { kill(process, SIGKILL) }
                            }
                        }
                    }
                }
                kill(process, SIGKILL)
            }
            let place = "seed \(seed), round \(round)"
            let (entries, stored) = try await Self.checkedLog(folder, ledger.current, place)
            #expect(stored?.state.stage ?? .legacyOnly == entries.last?.after.stage ?? .legacyOnly, "\(place)")
            #expect(ledger.current.acknowledgedOrders.isSubset(of: entries.map(\.id)), "\(place)")
        }
        #expect(!ledger.current.acknowledgedOrders.isEmpty)
    }

    private static func arguments(_ folder: String) -> [String] {
        [
            "--listen", "127.0.0.1:0", "--database", folder + "/upgrades.sqlite", "--tokens",
            folder + "/tokens.json", "--capability", "orders=small", "--address-rate", "0",
        ]
    }

    /// Adds more units and orders to those that are sent again.
    private static func plan(_ round: Int, _ ledger: Shared<Ledger>, _ dice: Shared<SplitMix64>) {
        ledger.change { ledger in
            ledger.units.formUnion(round * 60..<round * 60 + 60)
            for number in 0..<6 {
                let body = dice.change { dice in
                    [
                        #"kill {"reason": "a test", "target": "legacy"}"#,
                        #"kill {"reason": "a test", "target": "freeze"}"#, #"resume {"reason": "a test"}"#,
                        #"override {"reason": "a test", "operation": "place", "stage": "legacyOnly"}"#,
                        #"override {"reason": "a test", "operation": "place", "clear": true}"#,
                    ].randomElement(using: &dice) ?? ""
                }
                ledger.orders["order-\(round)-\(number)"] = body
            }
        }
    }

    private static func check(_ folder: String, _ ledger: Ledger, _ place: String) async throws {
        let log = try SQLiteUpgradeLog(path: folder + "/upgrades.sqlite")
        let evidence = StoredEvidence(log, window: 600)
        let counted = try await evidence.baseline(of: "orders", minimum: 1)?.units.total ?? 0
        #expect(counted >= ledger.acknowledgedUnits.count, "\(place)")
        #expect(counted <= ledger.units.count, "\(place)")
        let (_, stored) = try await checkedLog(folder, ledger, place)
        #expect(stored?.state.stage ?? .legacyOnly == .legacyOnly, "\(place)")
    }

    /// Returns the audit log, oldest first, and the stored state; checks that each entry follows the one before.
    ///
    /// A request that changes nothing is answered, and leaves no entry.
    private static func checkedLog(_ folder: String, _ ledger: Ledger, _ place: String) async throws
        -> (entries: [AuditEntry], stored: StoredUpgrade?)
    {
        let store = SQLiteUpgradeStore(log: try SQLiteUpgradeLog(path: folder + "/upgrades.sqlite"))
        let entries = Array(try await store.history(of: "orders", last: 1_000).reversed())
        let ids = entries.map(\.id)
        #expect(Set(ids).count == ids.count, "\(place): each order once")
        #expect(Set(ids).isSubset(of: ledger.orders.keys), "\(place): nothing that nobody ordered")
        for (before, after) in zip(entries, entries.dropFirst()) {
            #expect(before.after == after.before, "\(place): each change follows the one before")
        }
        let stored = try await store.read("orders")
        #expect(stored?.state.entry ?? "" == ids.last ?? "", "\(place): a change and its entry are one")
        return (entries, stored)
    }

    // MARK: Requests

    private static func tokens(in folder: String) async throws -> (device: String, person: String) {
        func make(_ role: String) async throws -> String {
            let made = try await ServerProgram.run(
                "token",
                "--name",
                role,
                "--role",
                role,
                "--tokens",
                folder + "/tokens.json"
            )
            return made.output.trimmingCharacters(in: .newlines)
        }
        return (try await make("device"), try await make("operator"))
    }

    private static func post(_ unit: Int, to url: String, _ token: String) async -> Bool {
        struct Post: Encodable { var reports: [EvidenceReport] }
        guard let body = try? JSONEncoder().encode(Post(reports: [Reports.baseline(unit..<unit + 1)])) else {
            return false
        }
        return await send("evidence", Array(body), to: url, token) == 200
    }

    /// Returns the answer's status: 200, or 409 for an order that the rules refuse; nil if there is no answer.
    private static func order(_ key: String, _ order: String, to url: String, _ token: String) async -> Int? {
        let parts = order.split(separator: " ", maxSplits: 1).map(String.init)
        guard let seen = await seen(at: url, token) else { return nil }
        let body = parts[1].dropLast() + ", " + seen + "}"
        let status = await send(parts[0], Array(body.utf8), to: url, token, key: key)
        return [200, 409].contains(status) ? status : nil
    }

    /// The present stage, as a field of a request that is based on it.
    private static func seen(at url: String, _ token: String) async -> String? {
        let address = "\(url)/v1/capabilities/orders/stage"
        let fields: HTTPFields = [.authorization: "Bearer \(token)"]
        guard let request = try? HTTPRequest(.get, url: address, headerFields: fields),
            let reply = try? await CurlClient().send(request),
            let stage = try? JSONDecoder().decode(ServedStage.self, from: Data(Array(reply.body)))
        else { return nil }
        return #""from": {"stage": "\#(stage.stage.rawValue)", "revision": \#(stage.revision)}"#
    }

    private static func send(
        _ path: String,
        _ body: [UInt8],
        to url: String,
        _ token: String,
        key: String? = nil
    ) async -> Int? {
        var fields: HTTPFields = [.authorization: "Bearer \(token)", .contentType: "application/json"]
        if let key, let name = HTTPField.Name("Idempotency-Key") { fields[name] = key }
        let address = "\(url)/v1/capabilities/orders/\(path)"
        guard let request = try? HTTPRequest(.post, url: address, headerFields: fields) else { return nil }
        return try? await CurlClient().send(request, body: .bytes(body)).head.status.code
    }
}
#endif

#if Server
    import Cofferdam
    import CofferdamCurl
    import CofferdamTesting
    import CofferdamUpgrade
    import Foundation
    import HTTPTypes
    import Testing
    import TestSupport
    @testable import CofferdamServer

    /// The server as a process, killed with SIGKILL in the middle of posts and orders, again and again.
    @Suite("The server, killed in the middle of everything", .timeLimit(.minutes(5)))
    struct ServerChaosTests {
        /// What was sent to the server, and what it has acknowledged.
        private struct Ledger {
            var units: Set<Int> = []
            var acknowledgedUnits: Set<Int> = []
            /// By the key of the request.
            var orders: [String: String] = [:]
            var acknowledgedOrders: Set<String> = []
            var answers = 0
        }

        @Test(arguments: 1...3 as ClosedRange<UInt64>)
        func `what was acknowledged is there, once, and nothing that nobody sent`(_ seed: UInt64) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "chaos-\(UUID())").path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let tokens = try await Self.tokens(in: folder)
            let arguments = [
                "--listen", "127.0.0.1:0", "--database", folder + "/upgrades.sqlite", "--tokens",
                folder + "/tokens.json", "--capability", "orders=small", "--address-rate", "0",
            ]
            let ledger = Shared(Ledger())
            let dice = Shared(SplitMix64(seed: seed))
            for round in 0..<4 {
                let isLast = round == 3
                // After how many answers of this round it is killed.
                let most = dice.change { Int.random(in: 5...70, using: &$0) }
                try await ServerProgram.serve(arguments) { url, process in
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
                            // One after the other, as a person does; again with the same keys after a crash.
                            for (key, body) in orders.sorted(by: { $0.key < $1.key }) {
                                guard await Self.order(key, body, to: url, tokens.person) else { continue }
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

        /// More units and orders, beside those that are sent again.
        private static func plan(_ round: Int, _ ledger: Shared<Ledger>, _ dice: Shared<SplitMix64>) {
            ledger.change { ledger in
                ledger.units.formUnion(round * 60..<round * 60 + 60)
                for number in 0..<6 {
                    let body = dice.change { dice in
                        [
                            #"kill {"reason": "a test", "target": "legacy"}"#,
                            #"kill {"reason": "a test", "target": "candidate"}"#, #"resume {"reason": "a test"}"#,
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
            let store = SQLiteUpgradeStore(log: log)
            let counted = try await StoredEvidence(log, window: 600).baseline(of: "orders", fewest: 1)?.units.total ?? 0
            #expect(counted >= ledger.acknowledgedUnits.count, "\(place)")
            #expect(counted <= ledger.units.count, "\(place)")
            let entries = Array(try await store.history(of: "orders", last: 1_000).reversed())
            let ids = entries.map(\.id)
            #expect(Set(ids).count == ids.count, "\(place): each order once")
            #expect(Set(ids).isSubset(of: ledger.orders.keys), "\(place): nothing that nobody ordered")
            // A request that changes nothing is answered, and leaves no entry.
            for (before, after) in zip(entries, entries.dropFirst()) {
                #expect(before.after == after.before, "\(place): each change follows the one before")
            }
            let stored = try await store.read("orders")
            #expect(stored?.state.entry ?? "" == ids.last ?? "", "\(place): a change and its entry are one")
            #expect(stored?.state.stage ?? .legacyOnly == .legacyOnly, "\(place)")
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

        /// Whether it was answered: 409 is an answer too, of an order that the rules refuse.
        private static func order(_ key: String, _ order: String, to url: String, _ token: String) async -> Bool {
            let parts = order.split(separator: " ", maxSplits: 1).map(String.init)
            return [200, 409].contains(await send(parts[0], Array(parts[1].utf8), to: url, token, key: key))
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

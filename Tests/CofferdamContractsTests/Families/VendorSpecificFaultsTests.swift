import Cofferdam
import CofferdamContracts
import Testing

/// Checks an adopter's errors for a vendor that does not use HTTP: a cache over lines of text.
@Suite(.timeLimit(.minutes(1))) struct VendorSpecificFaultsTests {
    /// The server, which fails on demand, and applies a write before it loses the answer.
    private final class Server: Sendable {
        struct State {
            var fault: VendorFault?
            var calls = 0
        }
        let state = Mutex(State())
        let password = "hunter2-and-more"
    }

    private struct Cache: Sendable {
        let server = Server()
        var get: @Sendable (String) async throws -> String
        var set: @Sendable (String) async throws -> Void
        var changes: @Sendable () -> AsyncThrowingStream<String, any Error>

        init() {
            get = { [server] key in
                try Self.ask(server, isWriting: false)
                return key
            }
            set = { [server] _ in try Self.ask(server, isWriting: true) }
            changes = { [server] in
                AsyncThrowingStream { continuation in
                    do {
                        try Self.ask(server, isWriting: false)
                        continuation.yield("changed")
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
            }
        }

        private static func ask(_ server: Server, isWriting: Bool) throws {
            let fault = server.state.withLock { state in
                state.calls += 1
                return state.fault
            }
            switch fault {
            case nil: return
            case .vendorSpecific("READONLY"): throw CacheError("readOnly")
            case .vendorSpecific("LOADING"): throw CacheError("busy", isRetryable: true)
            case .vendorSpecific("half a line"), .reset:
                throw isWriting ? CacheError("unsure") : CacheError("lost", isRetryable: true)
            default: throw CacheError("unknown")
            }
        }
    }

    private struct CacheError: Error {
        var category: String
        var isRetryable = false
        init(_ category: String, isRetryable: Bool = false) {
            self.category = category
            self.isRetryable = isRetryable
        }
    }

    private static let faults = [
        FaultExpectation(.vendorSpecific("READONLY"), "readOnly", isRetryable: false),
        FaultExpectation(.vendorSpecific("LOADING"), "busy", isRetryable: true),
        FaultExpectation(
            .vendorSpecific("half a line"),
            "lost",
            isRetryable: true,
            onWrites: "unsure",
            breaksConnection: true
        ),
        FaultExpectation(.reset, "lost", isRetryable: true, onWrites: "unsure"),
    ]

    private static func operation(
        faults: [FaultExpectation] = faults,
        addressTable: [DeadAddress: PortFailure] = [:],
        opening: Opening<Cache>? = nil
    ) -> ErrorOperation<Cache> {
        let inject: @Sendable (Cache, VendorFault) async throws -> Void = { cache, fault in
            cache.server.state.withLock { $0.fault = fault }
        }
        let clear: @Sendable (Cache) async throws -> Void = { cache in cache.server.state.withLock { $0.fault = nil } }
        let arrivals: @Sendable (Cache) async throws -> Int = { cache in cache.server.state.withLock { $0.calls } }
        let get = PortCall<Cache, String, String>(
            "get",
            get: { $0.get },
            replace: { cache, perform in
                var cache = cache
                cache.get = perform
                return cache
            }
        )
        let set = PortCall<Cache, String, Void>(
            "set",
            get: { $0.set },
            replace: { cache, perform in
                var cache = cache
                cache.set = perform
                return cache
            }
        )
        let changes = PortStream<Cache, String>(
            "changes",
            get: { $0.changes() },
            replace: { cache, events in
                var cache = cache
                cache.changes = {
                    AsyncThrowingStream { continuation in
                        let task = Task {
                            do {
                                for try await event in events() { continuation.yield(event) }
                                continuation.finish()
                            } catch {
                                continuation.finish(throwing: error)
                            }
                        }
                        continuation.onTermination = { _ in task.cancel() }
                    }
                }
                return cache
            }
        )
        return ErrorOperation(
            calls: [
                FaultyCall(get, input: { _ in "a" }, inject: inject, clear: clear, arrivals: arrivals),
                FaultyCall(set, effect: .write, input: { _ in "a" }, inject: inject, clear: clear, arrivals: arrivals),
            ],
            streams: [FaultyCall(changes, inject: inject, clear: clear, arrivals: arrivals)],
            faultTable: faults,
            addressTable: addressTable,
            decoding: "unreadable",
            modules: ["CofferdamContractsTests"],
            read: { ($0 as? CacheError).map { PortFailure(category: $0.category, isRetryable: $0.isRetryable) } },
            makeError: { CacheError($0) },
            prepare: { _ in },
            opening: opening,
            secrets: { [$0.server.password] }
        )
    }

    private static let adapter = AdapterUnderTest<Cache>(
        name: "cache",
        harnessCapabilities: ["knownSecrets"],
        open: { Cache() }
    )

    @Test func `HTTP rules are skipped with the reason, and the others are judged by the vendor's own faults`() async {
        let report = await ContractRunner(rules: Self.operation().rules, adapters: [Self.adapter]).run()
        #expect(report.failures.isEmpty)
        let passed = Set(report.rows.filter { $0.outcome == .passed }.map(\.rule))
        #expect(passed == ["ERR-01", "ERR-04", "ERR-06"])
        for rule in ["ERR-02", "ERR-05", "ERR-07", "ERR-08"] as [RuleID] {
            let rows = report.rows(of: rule, on: "cache")
            #expect(rows.count == 2 && rows.allSatisfy { $0.detail == "cache does not declare http" })
        }
        #expect(report.row(of: "ERR-06", "changes", on: "cache")?.outcome == .passed)
    }

    @Test func `an address that is missing from the table is not judged, with the reason`() async {
        let none = await ContractRunner(rules: Self.operation().rules, adapters: [Self.adapter]).run()
        let row = none.row(of: "ERR-03", "get", on: "cache")
        #expect(row?.outcome == .skipped && row?.missingHarnessCapabilities == ["deadAddresses"])
        let nowhere = PortCall<Cache, DeadAddress, Cache>(
            "open nowhere",
            get: { _ in
                { _ in
                    let cache = Cache()
                    cache.server.state.withLock { $0.fault = .reset }
                    return cache
                }
            },
            replace: { cache, _ in cache }
        )
        let close = PortCall<Cache, Void, Void>("close", get: { _ in {} }, replace: { cache, _ in cache })
        let lost = PortFailure(category: "lost", isRetryable: true)
        func rowWith(_ table: [DeadAddress: PortFailure]) async -> ContractReport.Row? {
            let operation = Self.operation(addressTable: table, opening: Opening(nowhere: nowhere, close: close))
            let rules = operation.rules.filter { $0.operation == "get" }
            return await ContractRunner(rules: rules, adapters: [Self.adapter]).run().row(
                of: "ERR-03",
                "get",
                on: "cache"
            )
        }
        let some = await rowWith([.noSuchHost: lost, .refused: lost])
        #expect(some?.outcome == .skipped && some?.missingHarnessCapabilities == ["deadAddresses.tlsFailure"])
        #expect(await rowWith([.noSuchHost: lost, .refused: lost, .tlsFailure: lost])?.outcome == .passed)
        let wrong = PortFailure(category: "busy", isRetryable: true)
        #expect(await rowWith([.noSuchHost: wrong, .refused: lost])?.outcome == .failed)
    }

    @Test func `a write's lost answer has a different category from a read's`() async {
        let faults = Self.faults.map {
            FaultExpectation($0.fault, $0.category, isRetryable: $0.isRetryable, breaksConnection: $0.breaksConnection)
        }
        let report = await ContractRunner(rules: Self.operation(faults: faults).rules, adapters: [Self.adapter]).run()
        #expect(report.row(of: "ERR-04", "get", on: "cache")?.outcome == .passed)
        let write = report.row(of: "ERR-04", "set", on: "cache")
        #expect(write?.outcome == .failed)
        #expect(write?.detail?.contains("half a line on set: expected lost, got") == true)
    }

    @Test func `its mutants are killed, except those of rules that do not apply`() async {
        let operation = Self.operation()
        let report = await MutationRunner(rules: operation.rules, adapter: Self.adapter).run(operation.mutants)
        let killed = report.rows.filter { $0.outcome == .killed }
        #expect(Set(killed.map(\.rule)) == ["ERR-01", "ERR-04", "ERR-06"])
        #expect(killed.contains { $0.rule == "ERR-06" && $0.operation == "changes" })
        let rest = report.rows.filter { $0.outcome != .killed }
        #expect(rest.allSatisfy { $0.outcome == .skipped })
        #expect(report.isGreen)
    }
}

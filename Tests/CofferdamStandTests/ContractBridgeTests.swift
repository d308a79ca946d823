#if TestStand
import Cofferdam
import CofferdamContracts
import CofferdamStand
import CofferdamTesting
import Testing

@Suite("A contract's families, driven through a test proxy", .timeLimit(.minutes(2)))
struct ContractBridgeTests {
    /// An adapter for a line protocol with a proxy in front of its server, as an adopter would write it.
    private struct Subject: Sendable {
        var vault: Vault
        let proxy: TestProxy
        let server: TinyServer
    }

    private static let text = ProbedCall<Subject>(
        AnyPortCall("text") { try await $0.vault.text(for: "a") },
        isReading: true,
        operation: "get",
        proxy: \.proxy
    )
    private static let held = HeldCalls<Subject>(proxy: \.proxy)

    private func withSubject(_ body: (Subject) async throws -> Void) async throws {
        let server = try await TinyServer.lines()
        try await TestProxy.withProxy(to: server.upstream, framing: LineFraming()) { proxy in
            try await body(Subject(vault: Vault(port: proxy.port), proxy: proxy, server: server))
        }
        try await server.close()
    }

    @Test("Arrivals, held calls and faults take a line each")
    func lines() async throws {
        try await withSubject { subject in
            try await Self.text.inject(subject, .hold, 1)
            async let first = Self.text.call(subject)
            try await Self.held.wait(subject, 1)
            #expect(try await Self.text.arrivals(subject) == 1)
            try await Self.held.release(subject)
            #expect(try await first as? String == "re: get a\n")
            try await Self.text.inject(subject, .appliedThenReset, 1)
            await #expect(throws: VaultError.self) { try await Self.text.call(subject) }
            try await Self.text.waitForArrivals(subject, 2)
            #expect(subject.server.requests.count == 2)
            await #expect(throws: ProxyError.self) { try await Self.text.inject(subject, .html, 1) }
        }
    }

    @Test("The cancellation rules run through it: a good adapter passes, a careless one fails")
    func rules() async throws {
        let operation = CancellationOperation<Subject>(
            calls: [Self.text],
            prepare: { _ in },
            held: Self.held,
            close: { _ in },
            isClosed: { _ in false },
            isPortError: { $0 is VaultError },
            outlast: { _ in }
        )
        let judged: Set<RuleID> = ["CANC-01", "CANC-02", "CANC-03"]
        let adapters = [false, true].map { isCareless in
            AdapterUnderTest<Subject>(
                name: isCareless ? "careless" : "good",
                open: {
                    let server = try await TinyServer.lines()
                    let proxy = try await TestProxy.start(to: server.upstream, framing: LineFraming())
                    return Subject(
                        vault: Vault(port: proxy.port, isCareless: isCareless),
                        proxy: proxy,
                        server: server
                    )
                },
                close: {
                    await $0.proxy.close()
                    // Returns when nothing is connected.
                    do { try await $0.server.close() } catch { Issue.record(error) }
                }
            )
        }
        let rules = operation.rules.filter { judged.contains($0.id) }
        let report = await ContractRunner(rules: rules, adapters: adapters).run()
        #expect(report.rows.count == 6)
        let failures = report.rows.filter(\.outcome.isFailure).map { "\($0.rule) \($0.adapter)" }
        #expect(failures.sorted() == ["CANC-02 careless", "CANC-03 careless"])
    }
}

private enum VaultError: Error {
    case lost
}

/// A vendor's SDK and its adapter in one: it opens a connection for each call.
private struct Vault: Sendable {
    let port: Int
    /// Whether it reports a cancelled call with its own error.
    var isCareless = false

    func text(for key: String) async throws -> String {
        try Task.checkCancellation()
        let client = try await TinyClient(port: port)
        try await client.send("get \(key)\n")
        var text = ""
        while !text.hasSuffix("\n"), case .bytes(let more) = await client.next() { text += more }
        if text.hasSuffix("\n") {
            try await client.close()
            return text
        }
        // The server may already have closed it.
        try? await client.close()
        if !isCareless { try Task.checkCancellation() }
        throw VaultError.lost
    }
}
#endif

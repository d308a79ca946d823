import Cofferdam
import CofferdamTesting
import Testing
import TestSupport

@Suite struct CredentialSourceTests {
    /// A vendor with short-lived tokens: counts refreshes, holds them at a gate, and answers as the test decides.
    private final class Vendor: Sendable {
        struct State {
            var valid: Set<String> = []
            var refreshes = 0
            var stored: [String?] = []
        }

        let state = Mutex(State())
        let gate = TestGate()
        let failure: TestError?
        let storeFailure: TestError?

        init(failure: TestError? = nil, storeFailure: TestError? = nil, isHeld: Bool = false) {
            self.failure = failure
            self.storeFailure = storeFailure
            if !isHeld { gate.open() }
        }

        var refreshes: Int { state.withLock { $0.refreshes } }
        var stored: [String?] { state.withLock { $0.stored } }

        func accept(_ token: String) { state.withLock { _ = $0.valid.insert(token) } }

        func call(_ token: String) throws -> String {
            guard state.withLock({ $0.valid.contains(token) }) else { throw TestError("expired") }
            return "answer to \(token)"
        }

        func source(_ token: String?) -> CredentialSource<String> {
            CredentialSource(
                token,
                refresh: { old in
                    self.state.withLock { $0.refreshes += 1 }
                    await self.gate.pass()
                    if let failure = self.failure { throw failure }
                    self.accept(old + "'")
                    return old + "'"
                },
                store: { token in
                    if let failure = self.storeFailure, token != nil { throw failure }
                    self.state.withLock { $0.stored.append(token) }
                },
                revokes: { $0 as? TestError == TestError("refused") },
                isSameUser: { $0.hasPrefix("other") == $1.hasPrefix("other") },
                missing: { TestError("missing") }
            )
        }
    }

    private static let isExpired: @Sendable (any Error) -> Bool = { $0 as? TestError == TestError("expired") }

    @Test func `an expired credential is refreshed once, and the call made once more (AUTH-01)`() async throws {
        let vendor = Vendor()
        let source = vendor.source("a")
        let calls = Log<String>()
        let answer = try await source.use(isExpired: Self.isExpired) { token in
            calls.add(token)
            return try vendor.call(token)
        }
        #expect(answer == "answer to a'")
        #expect(calls.entries == ["a", "a'"])
        #expect(vendor.refreshes == 1)
        #expect(vendor.stored == ["a'"])
    }

    @Test func `a hundred callers with an expired credential share one refresh (AUTH-02)`() async throws {
        let vendor = Vendor(isHeld: true)
        let source = vendor.source("a")
        let refused = Log<Void>()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await source.use(isExpired: Self.isExpired) { token in
                        do { return try vendor.call(token) } catch {
                            refused.add(())
                            throw error
                        }
                    }
                }
            }
            await until { refused.entries.count == 100 }
            vendor.gate.open()
            for try await answer in group { #expect(answer == "answer to a'") }
        }
        #expect(vendor.refreshes == 1)
    }

    @Test func `a late refusal of the old credential refreshes nothing (AUTH-03)`() async throws {
        let vendor = Vendor()
        let source = vendor.source("a")
        let slow = TestGate()
        let late = Task {
            try await source.use(isExpired: Self.isExpired) { token in
                if token == "a" { await slow.pass() }
                return try vendor.call(token)
            }
        }
        await until { slow.arrivals == 1 }
        _ = try await source.use(isExpired: Self.isExpired) { try vendor.call($0) }
        slow.open()
        #expect(try await late.value == "answer to a'")
        #expect(vendor.refreshes == 1)
    }

    @Test func `a refused refresh reaches every waiter once, and ends the credential (AUTH-04)`() async {
        let vendor = Vendor(failure: TestError("refused"), isHeld: true)
        let source = vendor.source("a")
        let tasks = (0..<10).map { _ in
            Task { try await source.use(isExpired: Self.isExpired) { try vendor.call($0) } }
        }
        await until { vendor.gate.arrivals == 1 }
        vendor.gate.open()
        for task in tasks {
            let error = await #expect(throws: TestError.self) { try await task.value }
            #expect(error == TestError("refused") || error == TestError("missing"))
        }
        #expect(vendor.refreshes == 1)
        #expect(await source.current == nil)
        #expect(vendor.stored == [nil])
        await #expect(throws: TestError("missing")) { try await source.use(isExpired: Self.isExpired) { $0 } }
    }

    @Test func `a refresh that fails for a while keeps the credential (AUTH-05)`() async {
        let vendor = Vendor(failure: TestError("offline"))
        let source = vendor.source("a")
        for _ in 0..<2 {
            await #expect(throws: TestError("offline")) {
                try await source.use(isExpired: Self.isExpired) { try vendor.call($0) }
            }
        }
        #expect(await source.current == "a")
        #expect(vendor.stored.isEmpty)
        #expect(vendor.refreshes == 2)
    }

    @Test(arguments: ["refused", "offline"])
    func `a late failure erases no newer session, and its callers use that (AUTH-06)`(failure: String) async throws {
        let vendor = Vendor(failure: TestError(failure), isHeld: true)
        vendor.accept("new")
        let source = vendor.source("a")
        let waiting = Task { try await source.use(isExpired: Self.isExpired) { try vendor.call($0) } }
        await until { vendor.gate.arrivals == 1 }
        try await source.set("new")
        vendor.gate.open()
        #expect(try await waiting.value == "answer to new")
        #expect(await source.current == "new")
        #expect(vendor.stored == ["new"])
    }

    @Test func `a call that began with one user's credential is not made with another's`() async throws {
        let vendor = Vendor(isHeld: true)
        vendor.accept("other")
        let source = vendor.source("a")
        let waiting = Task { try await source.use(isExpired: Self.isExpired) { try vendor.call($0) } }
        await until { vendor.gate.arrivals == 1 }
        try await source.set("other")
        vendor.gate.open()
        await #expect(throws: TestError("missing")) { try await waiting.value }
        #expect(try await source.use(isExpired: Self.isExpired) { try vendor.call($0) } == "answer to other")
    }

    @Test func `a late success replaces no newer session, and signing out stays signed out`() async throws {
        for later in ["new", nil] {
            let vendor = Vendor(isHeld: true)
            vendor.accept("new")
            let source = vendor.source("a")
            let waiting = Task { try await source.use(isExpired: Self.isExpired) { try vendor.call($0) } }
            await until { vendor.gate.arrivals == 1 }
            try await source.set(later)
            vendor.gate.open()
            _ = await waiting.result
            #expect(await source.current == later)
            #expect(vendor.stored == [later])
        }
    }

    @Test func `refused again after a refresh, it is not tried a third time (AUTH-07)`() async {
        let vendor = Vendor()
        let source = vendor.source("a")
        let calls = Log<String>()
        await #expect(throws: TestError("expired")) {
            try await source.use(isExpired: Self.isExpired) { token -> String in
                calls.add(token)
                throw TestError("expired")
            }
        }
        #expect(calls.entries == ["a", "a'"])
        #expect(vendor.refreshes == 1)
    }

    @Test func `an error that does not mean expiry refreshes nothing (AUTH-08)`() async {
        let vendor = Vendor()
        let source = vendor.source("a")
        await #expect(throws: TestError("forbidden")) {
            try await source.use(isExpired: Self.isExpired) { _ -> String in throw TestError("forbidden") }
        }
        #expect(vendor.refreshes == 0)
    }

    @Test func `a cancelled waiter leaves at once, and the shared refresh goes on (AUTH-09)`() async throws {
        let vendor = Vendor(isHeld: true)
        let source = vendor.source("a")
        let leaving = Task { try await source.use(isExpired: Self.isExpired) { try vendor.call($0) } }
        await until { vendor.gate.arrivals == 1 }
        let refused = Log<Void>()
        let staying = Task {
            try await source.use(isExpired: Self.isExpired) { token in
                if token == "a" { refused.add(()) }
                return try vendor.call(token)
            }
        }
        await until { !refused.entries.isEmpty }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        vendor.gate.open()
        #expect(try await staying.value == "answer to a'")
        #expect(vendor.refreshes == 1)
    }

    @Test func `a refresh that calls with its own source gets an error, and does not wait for itself`() async throws {
        let own = Mutex<CredentialSource<String>?>(nil)
        let source = CredentialSource(
            "old",
            refresh: { _ in
                let source = try #require(own.withLock { $0 })
                return try await source.use(isExpired: { _ in true }) { _ in throw TestError("expired") }
            },
            revokes: { _ in false },
            missing: { TestError("missing") }
        )
        own.withLock { $0 = source }
        await #expect(throws: CredentialRefreshNeedsItself.self) {
            try await source.use(isExpired: { _ in true }) { _ in throw TestError("expired") }
        }
        own.withLock { $0 = nil }
        #expect(await source.current == "old")
    }

    @Test func `a missing credential throws without a request (AUTH-10)`() async {
        let vendor = Vendor()
        await #expect(throws: TestError("missing")) {
            try await vendor.source(nil).use(isExpired: Self.isExpired) { _ in Issue.record("no call was allowed") }
        }
        #expect(vendor.refreshes == 0)
    }

    @Test func `a newer session that expires while an older one is refreshed gets a refresh of its own`() async throws {
        let vendor = Vendor(isHeld: true)
        let source = vendor.source("a")
        let older = Task { try await source.use(isExpired: Self.isExpired) { try vendor.call($0) } }
        await until { vendor.gate.arrivals == 1 }
        try await source.set("b")
        let newer = Task { try await source.use(isExpired: Self.isExpired) { try vendor.call($0) } }
        await until { vendor.gate.arrivals == 2 }
        vendor.gate.open()
        #expect(try await newer.value == "answer to b'")
        _ = await older.result
        #expect(await source.current == "b'")
    }

    @Test func `a refreshed credential that cannot be stored is used, and the waiting callers get the error (D16)`()
        async throws
    {
        let vendor = Vendor(storeFailure: TestError("disk full"))
        let source = vendor.source("a")
        await #expect(throws: TestError("disk full")) {
            try await source.use(isExpired: Self.isExpired) { try vendor.call($0) }
        }
        #expect(try await source.use(isExpired: Self.isExpired) { try vendor.call($0) } == "answer to a'")
        await #expect(throws: TestError("disk full")) { try await source.set("b") }
        #expect(await source.current == "a'")
    }

    @Test func `the last stored credential is the used one, however slow the store`() async throws {
        let gate = TestGate()
        let stored = Log<String>()
        let source = CredentialSource<String>(
            "a",
            refresh: { _ in "refreshed" },
            store: { token in
                if token == "refreshed" { await gate.pass() }
                stored.add(token ?? "none")
            },
            revokes: { _ in false },
            missing: { TestError("missing") }
        )
        let call = Task {
            try await source.use(isExpired: Self.isExpired) { token -> String in
                guard token != "a" else { throw TestError("expired") }
                return token
            }
        }
        await until { gate.arrivals == 1 }
        let signingOut = Task { try await source.set(nil) }
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        try await signingOut.value
        _ = await call.result
        #expect(stored.entries == ["refreshed", "none"])
        #expect(await source.current == nil)
    }
}

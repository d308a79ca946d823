import Cofferdam
import CofferdamTesting
import Testing
import TestSupport

@Suite struct VendorCallTests {
    /// A vendor's callback, kept to be called by the test.
    private final class Vendor: Sendable {
        typealias Callback = @Sendable (Result<Int, any Error>) -> Void
        let callback = Mutex<Callback?>(nil)
        let log = Log<String>()

        func start(_ callback: @escaping Callback) -> VendorCancellation {
            self.callback.withLock { $0 = callback }
            log.add("start")
            return VendorCancellation { self.log.add("cancel") }
        }

        var hasStarted: Bool { log.entries.contains("start") }
        func call(_ result: Result<Int, any Error>) { callback.withLock { $0 }?(result) }
        func drop() { _ = callback.withLock { $0.take() } }
    }

    @Test func `a callback that comes at once is the outcome`() async throws {
        let value = try await vendorCall { complete in
            complete(.success(1))
            complete(.success(2))
            complete(.failure(TestError("late")))
            return VendorCancellation { Issue.record("nothing was cancelled") }
        }
        #expect(value == 1)
    }

    @Test func `the first of several callbacks from other threads counts (CANC-07)`() async {
        let vendor = Vendor()
        let task = Task { try await vendorCall { vendor.start($0) } }
        await until { vendor.hasStarted }
        vendor.call(.failure(TestError("first")))
        vendor.call(.success(2))
        await #expect(throws: TestError("first")) { try await task.value }
        #expect(vendor.log.entries == ["start"])
    }

    @Test func `a cancelled task starts nothing (CANC-01)`() async {
        let vendor = Vendor()
        let gate = TestGate()
        let task = Task {
            await gate.pass()
            return try await vendorCall { vendor.start($0) }
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(vendor.log.entries.isEmpty)
    }

    @Test func `cancelling leaves at once, stops the vendor once, and survives its late callback (CANC-07)`() async {
        let vendor = Vendor()
        let task = Task { try await vendorCall { vendor.start($0) } }
        await until { vendor.hasStarted }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        vendor.call(.success(1))
        task.cancel()
        #expect(vendor.log.entries == ["start", "cancel"])
    }

    @Test func `cancelled while the vendor is starting, the vendor is stopped when it has started`() async {
        let log = Log<String>()
        let task = Task {
            try await vendorCall { (_: @escaping @Sendable (Result<Int, any Error>) -> Void) in
                withUnsafeCurrentTask { $0?.cancel() }
                log.add("started")
                return VendorCancellation { log.add("cancel") }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.entries == ["started", "cancel"])
    }

    @Test func `cancelled after the callback has come, the call has its value, and nothing is stopped (CANC-05)`()
        async throws
    {
        let value = try await Task {
            try await vendorCall { complete in
                complete(.success(1))
                withUnsafeCurrentTask { $0?.cancel() }
                return VendorCancellation { Issue.record("the vendor was done") }
            }
        }.value
        #expect(value == 1)
    }

    @Test func `a dropped callback is an error, and does not hang`() async {
        let vendor = Vendor()
        let task = Task { try await vendorCall { vendor.start($0) } }
        await until { vendor.hasStarted }
        vendor.drop()
        await #expect(throws: VendorDroppedCallback.self) { try await task.value }
    }

    @Test func `a callback that is called and then dropped is not an error`() async throws {
        let vendor = Vendor()
        let task = Task { try await vendorCall { vendor.start($0) } }
        await until { vendor.hasStarted }
        vendor.call(.success(7))
        vendor.drop()
        #expect(try await task.value == 7)
    }

    @Test func `nothing is kept once the call is over`() async throws {
        final class Witness: Sendable {}
        weak var witness: Witness?
        func call() async throws {
            let strong = Witness()
            witness = strong
            let held = Mutex<Vendor.Callback?>(nil)
            _ = try await vendorCall { (complete: @escaping Vendor.Callback) in
                held.withLock { $0 = complete }
                complete(.success(1))
                return VendorCancellation { _ = strong }
            }
        }
        try await call()
        #expect(witness == nil)
    }

    @Test func `cancelling and calling back at the same time never traps, and always ends`() async {
        for _ in 0..<500 {
            let vendor = Vendor()
            let task = Task { try await vendorCall { vendor.start($0) } }
            await until { vendor.hasStarted }
            async let called: Void = Task { vendor.call(.success(1)) }.value
            task.cancel()
            await called
            switch await task.result {
            case .success(let value): #expect(value == 1)
            case .failure(let error): #expect(error is CancellationError)
            }
        }
    }
}

import Cofferdam
import CofferdamContracts
import Testing

/// A vendor whose callback is odd once, and a clock that is advanced late.
private final class OddVendor: Sendable {
    private let quirk = Mutex<CallbackQuirk?>(nil)
    let events = Mutex<[String]>([])
    let hasEnded = Mutex(false)

    struct Failure: Error {}

    func set(_ quirk: CallbackQuirk?) { self.quirk.withLock { $0 = quirk } }

    func ask() throws -> Int {
        events.withLock { $0.append("call") }
        switch quirk.withLock({ $0 }) {
        case nil, .twice: return 1
        case .never:
            hasEnded.withLock { $0 = true }
            throw Failure()
        case .atOnce: throw Failure()
        }
    }

    /// Advances the clock only after the call has ended, although it was cancelled meanwhile.
    func outlast() async {
        while !hasEnded.withLock({ $0 }) { await Task.yield() }
        for _ in 0..<1000 { await Task.yield() }
        events.withLock { $0.append("clock") }
    }
}

@Suite struct OddCallbackTests {
    @Test func `a call that ends by itself leaves no time to run out in the next one (CANC-07)`() async throws {
        let vendor = OddVendor()
        let operation = CancellationOperation<OddVendor>(
            calls: [
                ProbedCall(
                    AnyPortCall("ask") { try $0.ask() },
                    isReading: true,
                    inject: { _, _, _ in },
                    arrivals: { _ in 0 },
                    waitForArrivals: { _, _ in }
                )
            ],
            prepare: { _ in },
            held: HeldCalls(wait: { _, _ in }, release: { _ in }),
            close: { _ in },
            isClosed: { _ in false },
            isPortError: { $0 is OddVendor.Failure },
            outlast: { await $0.outlast() },
            setCallbackQuirk: { $0.set($1) }
        )
        let adapter = AdapterUnderTest(name: "odd", harnessCapabilities: ["oddCallbacks"]) { vendor }
        let rules = operation.rules.filter { $0.id == "CANC-07" }
        let row = try #require(await ContractRunner(rules: rules, adapters: [adapter]).run().rows.first)
        #expect(row.outcome == .passed, "\(row.detail ?? "no detail")")
        let calls = ["call", "call", "call", "call", "clock", "call", "call", "call"]
        #expect(vendor.events.withLock { $0 } == calls)
    }
}

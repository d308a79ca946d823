#if Sandbox
import Cofferdam
import Foundation
import SanctuaryDomain
import Testing

@testable import MenagerieV1
@testable import MenagerieV1Adapter

/// Tests vendors that answer twice, never, or too late; the test plays the vendor.
struct VendorTests {
    @Test("D9, CANC-07: the first of two callbacks counts")
    func twice() async throws {
        let value = try await Vendor.played().call { _, answer in
            answer(1, nil)
            answer(2, nil)
            answer(nil, NSError(domain: "late", code: 1))
            return MenagerieRequest()
        } translate: { (value: Int) in
            value
        }
        #expect(value == 1)
    }

    @Test func `D9, CANC-07: a continuation for each callback does not survive the second one`() async {
        await #expect(processExitsWith: .failure) {
            let value: Int = await NaiveCall.call { complete in
                complete(1)
                complete(2)
            }
            _ = value
        }
    }

    @Test func `D9: a continuation for a callback that never comes waits for ever, cancelled or not`() async {
        let late = Mutex<(@Sendable (Int) -> Void)?>(nil)
        let isOver = Mutex(false)
        let started = AsyncStream.makeStream(of: Void.self)
        let call = Task {
            let value: Int = await NaiveCall.call { complete in
                late.withLock { $0 = complete }
                started.continuation.finish()
            }
            isOver.withLock { $0 = true }
            return value
        }
        for await _ in started.stream {}
        call.cancel()
        for _ in 0..<100 { await Task.yield() }
        #expect(!isOver.withLock { $0 })
        late.withLock { $0 }?(1)
        #expect(await call.value == 1)
    }

    @Test(
        "D9, TIME-01: a vendor that never answers is left at the deadline, and its request cancelled",
        arguments: [
            (Vendor.Effect.reads, SanctuaryError.Code.timeout), (.changes, .outcomeUnknown),
        ]
    )
    func never(effect: Vendor.Effect, code: SanctuaryError.Code) async throws {
        let isCancelled = Mutex(false)
        let error = await SanctuaryError.of {
            try await Vendor.played(clock: HastyClock()).call(effect) { _, _ -> MenagerieRequest in
                let request = MenagerieRequest()
                request.run(onEnd: { isCancelled.withLock { $0 = true } }) {}
                return request
            }
        }
        #expect(error?.code == code)
        #expect(isCancelled.withLock { $0 })
    }

    @Test(
        "after a callback with neither a value nor an error, a change's outcome is unknown",
        arguments: [(Vendor.Effect.reads, SanctuaryError.Code.notFound), (.changes, .outcomeUnknown)]
    )
    func neither(effect: Vendor.Effect, code: SanctuaryError.Code) async {
        let error = await SanctuaryError.of {
            try await Vendor.played().call(effect) { _, answer in
                answer(nil, nil)
                return MenagerieRequest()
            } translate: { (value: Int) in
                value
            }
        }
        #expect(error?.code == code)
    }

    @Test("CANC-01: a cancelled task makes no vendor call")
    func cancelledBefore() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let calls = Mutex(0)
            await #expect(throws: CancellationError.self) {
                try await Vendor.played().call { _, _ -> MenagerieRequest in
                    calls.withLock { $0 += 1 }
                    return MenagerieRequest()
                }
            }
            return calls.withLock { $0 }
        }
        #expect(await task.value == 0)
    }

    @Test(
        "CANC-08: closing ends a call that is waiting, and refuses later ones",
        arguments: [(Vendor.Effect.reads, SanctuaryError.Code.closed), (.changes, .outcomeUnknown)]
    )
    func closing(effect: Vendor.Effect, code: SanctuaryError.Code) async throws {
        let vendor = Vendor.played()
        let started = AsyncStream.makeStream(of: Void.self)
        let call = Task {
            await SanctuaryError.of {
                try await vendor.call(effect) { _, _ -> MenagerieRequest in
                    started.continuation.finish()
                    return MenagerieRequest()
                }
            }
        }
        for await _ in started.stream {}
        #expect(vendor.lifetime.close())
        #expect(await call.value?.code == code)
        #expect(!vendor.lifetime.close())
        let later = await SanctuaryError.of { try await vendor.call(effect) { _, _ in MenagerieRequest() } }
        #expect(later?.code == .closed)
    }

    @Test("a cancelled request never calls back")
    func cancelledRequest() {
        let request = MenagerieRequest()
        request.cancel()
        var calls = 0
        request.finish { calls += 1 }
        #expect(calls == 0)
    }
}
#endif

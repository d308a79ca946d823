#if Staged
import Cofferdam
import CofferdamUpgrade
import Testing

@testable import SanctuarySDK

@Suite struct SendingTurnsTests {
    private let turns = SendingTurns()

    /// Begins to send on a side.
    ///
    /// - Returns: whether it may take over, and the closure to call after sending.
    private func begin(on side: Side, whileAnswering answering: Side) async throws -> (Bool, @Sendable () -> Void) {
        let mayTakeOver = Mutex(false)
        let ended = try await turns.begin(on: side, answering: { answering }) { may in
            mayTakeOver.withLock { $0 = may }
        }
        return (mayTakeOver.withLock { $0 }, ended)
    }

    @Test(arguments: [(Side.legacy, Side.candidate), (.candidate, .legacy)])
    func `While one side sends, the other takes nothing over, and afterwards it does`(
        sending: Side,
        other: Side
    ) async throws {
        let (may, ended) = try await begin(on: sending, whileAnswering: sending)
        #expect(may)
        let (mayAsWell, endedAsWell) = try await begin(on: sending, whileAnswering: sending)
        #expect(mayAsWell)
        for end in [ended, endedAsWell] {
            let (may, ended) = try await begin(on: other, whileAnswering: other)
            #expect(!may)
            ended()
            end()
        }
        #expect(try await begin(on: other, whileAnswering: other).0)
    }

    @Test func `V1, standing in for V2, takes nothing of it`() async throws {
        #expect(try await !begin(on: .legacy, whileAnswering: .candidate).0)
    }
}
#endif

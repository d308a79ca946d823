import Testing

@testable import Cofferdam

@Suite struct AttemptLedgerTests {
    /// Two attempts with one id, which end in this order.
    @Test(
        arguments: [
            (.refused, .refused, true), (.refused, .unknown, false), (.unknown, .refused, false),
            (.unknown, .unknown, false), (.happened, .refused, true), (.refused, .happened, true),
            (.happened, .unknown, true), (.unknown, .happened, true), (.happened, .happened, true),
        ] as [(AttemptLedger.Outcome, AttemptLedger.Outcome, Bool)]
    )
    func `a note is removed once every attempt has ended and none is open`(
        first: AttemptLedger.Outcome,
        second: AttemptLedger.Outcome,
        goes: Bool
    ) {
        var ledger = AttemptLedger()
        ledger.begin(["a", "b"], noted: [])
        ledger.begin(["a"], noted: ["a", "b"])
        #expect(ledger.end(["a"], first) == [])
        #expect(ledger.end(["a"], second) == (goes ? ["a"] : []))
        #expect(ledger.end(["b"], .refused) == ["b"])
    }

    @Test func `what was open before stays open until it has happened`() {
        var ledger = AttemptLedger()
        ledger.begin(["a"], noted: ["a"])
        #expect(ledger.end(["a"], .refused) == [])
        ledger.begin(["a"], noted: ["a"])
        #expect(ledger.end(["a"], .happened) == ["a"])
    }

    @Test func `an attempt that never began changes nothing`() {
        var ledger = AttemptLedger()
        #expect(ledger.end(["a"], .happened) == [])
    }
}

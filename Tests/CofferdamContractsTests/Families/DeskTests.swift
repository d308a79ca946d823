import CofferdamContracts
import Testing

/// Checks rules of writes, sessions and searches on a desk that fulfils them and on one that does not.
@Suite struct DeskTests {
    private func rows(_ mistake: Desk.Mistake?, _ rules: [Rule<Desk>] = DeskContract.rules) async -> [ContractReport
        .Row]
    {
        let adapter = AdapterUnderTest(name: "desk", capabilities: ["instances"]) { Desk(mistake) }
        return await ContractRunner(rules: rules, adapters: [adapter]).run().rows
    }

    /// The cases that do not apply: calls that need a user, and calls without input.
    private let inapplicable = [
        "LIFE-01 of notes", "LIFE-01 of write", "LIFE-03 of notes", "LIFE-03 of write", "LIFE-03 of search",
    ]

    @Test func `a desk without a mistake keeps every rule`() async {
        let rows = await rows(nil)
        #expect(Set(rows.map(\.rule)) == DeskContract.ids)
        #expect(rows.filter { $0.outcome == .skipped }.map { "\($0.rule) of \($0.operation ?? "")" } == inapplicable)
        #expect(
            rows.filter { ![.passed, .skipped].contains($0.outcome) }.map { "\($0.rule): \($0.detail ?? "")" } == []
        )
    }

    private static let mistakes: [(Desk.Mistake, [String], found: String)] = [
        (.takesLostForFailed, ["MUT-09 of write"], "its time runs out: expected an unknown outcome"),
        (.forgetsKeys, ["MUT-09 of write"], "how much was written: expected 1, got 2"),
        (.asksAgainAsAnother, ["AUTH-11 of notes"], "calls made as bob: expected 0, got 1"),
        (.keepsStreams, ["AUTH-12 of events"], "the vendor has dropped it"),
        (.endsStreamsInOrder, ["AUTH-12 of events"], "expected that a sign-in is required, got the end"),
        (.returnsLate, ["AUTH-14 of notes"], "the session shows ann, alone bob"),
        (.waitsToSignOut, ["AUTH-15"], "the vendor does not answer: still signed in"),
        (.signsOutFirst, ["AUTH-13 of notes", "AUTH-13 of events"], "a sign-in with a wrong password"),
        (.endsSearchOfAll, ["CANC-09 of search"], "of another, who waited: expected an answer"),
        (.undoesSearch, ["CANC-09 of search"], "what was there before"),
        (.hidesAbsence, ["LIFE-01 of look", "LIFE-01 of search"], "expected it to be unreachable, got the error"),
        (.answersWhenClosed, ["LIFE-02"], "look: the vendor has not answered, and the result is thing 1"),
        (.answersLastQuestion, ["LIFE-03 of look"], "look, question"),
        (.sharesState, ["LIFE-03 of two instances"], "signed in on one, the other is ann's"),
    ]

    @Test(arguments: mistakes)
    func `each mistake is found by its own rule, and by no other`(
        _ mistake: Desk.Mistake,
        _ failed: [String],
        _ found: String
    ) async {
        let wrong = await rows(mistake).filter { ![.passed, .skipped].contains($0.outcome) }
        #expect(
            wrong.map { [$0.rule.rawValue, $0.operation].compactMap(\.self).joined(separator: " of ") } == failed
        )
        for row in wrong { #expect(row.detail?.contains(found) == true, "\(row.detail ?? "")") }
    }

    @Test func `every mistake has a test case`() {
        #expect(Set(Self.mistakes.map(\.0)) == Set(Desk.Mistake.allCases))
    }

    @Test func `each of those rules has a mutant`() {
        #expect(Set(DeskContract.mutants.map(\.rule)) == DeskContract.ids)
    }

    @Test(arguments: DeskContract.mutants.indices)
    func `each mutant of it is killed by its own rule`(_ index: Int) async {
        let mutant = DeskContract.mutants[index]
        let adapter = AdapterUnderTest(name: "desk", capabilities: ["instances"]) { Desk() }
        let row = await MutationRunner(rules: DeskContract.rules, adapter: adapter).run(mutant)
        #expect(row.outcome == .killed, "\(mutant.rule) \(mutant.name): \(row.detail ?? "no detail")")
    }
}

import CofferdamUpgrade
import Testing

@testable import CofferdamRehearsal

struct FollowedStreamTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// The delivered items; "-" is a gap.
        var told: String
        var end: FollowedStream.End?
        /// The start in seconds. "a" is written from 1 to 2, "b" from 2 to 3 …; each is due after two seconds.
        var from = 0
        var to = 0
        var lost: [Loss.Kind: String] = [:]

        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "all of it", told: "abcde"),
        Case(name: "from where it began", told: "cde", from: 2),
        Case(name: "nothing, by one who has gone", told: "", end: .left),
        Case(
            name: "nothing, though some were due",
            told: "",
            end: .left,
            to: 7,
            lost: [.untold: "b before it ended, c before it ended, d before it ended"]
        ),
        Case(name: "nothing, as it began late", told: "", end: .left, from: 4, to: 7),
        Case(name: "nothing, as it ended early", told: "", end: .left, to: 4),
        Case(name: "less than was due", told: "b", end: .left, to: 6, lost: [.untold: "c before it ended"]),
        Case(name: "later than it was due", told: "de", lost: [.untold: "b before d, c before d"]),
        Case(name: "a gap, before what was due", told: "-e", end: .left, lost: [.gap: "at the beginning"]),
        Case(name: "nothing after a gap", told: "a-", end: .left, to: 9, lost: [.gap: "after a"]),
        Case(name: "until its user went", told: "bc", end: .left),
        Case(name: "nothing, to one who is there", told: "", lost: [.untold: "nothing came any more"]),
        Case(name: "not the last ones", told: "abc", lost: [.untold: "d at the end, e at the end"]),
        Case(name: "not one in between", told: "abde", lost: [.untold: "c before d"]),
        Case(name: "one twice", told: "abbcde", lost: [.repeated: "b"]),
        Case(name: "one twice, later", told: "abcdbe", lost: [.repeated: "b"]),
        Case(name: "two in the wrong order", told: "acbde", lost: [.misplaced: "b after c"]),
        Case(name: "what was never published", told: "abxcde", lost: [.wrong: "x was told, and was never published"]),
        Case(name: "a gap that is told excuses what is missing there", told: "a-de", lost: [.gap: "after a"]),
        Case(name: "a gap before the first one", told: "-bcde", lost: [.gap: "at the beginning"]),
        Case(
            name: "a gap excuses nothing elsewhere",
            told: "a-ce",
            lost: [.gap: "after a", .untold: "d before e"]
        ),
        Case(name: "a gap at the end", told: "ab-", lost: [.gap: "after b", .untold: "nothing came any more"]),
        Case(
            name: "a stream that ended, until then",
            told: "abc",
            end: .broken(at: .legacyOnly, why: "closed"),
            lost: [.broken: "legacyOnly: closed"]
        ),
    ]

    @Test(arguments: cases)
    func `what a stream has told is held against what was published`(_ example: Case) {
        var stream = FollowedStream(unit: "u", began: .seconds(example.from))
        stream.end = example.end.map { ($0, .seconds(example.to)) }
        stream.told = example.told.map { $0 == "-" ? .gap : .item(String($0)) }
        let keys = ["a", "b", "c", "d", "e"]
        let published = keys.enumerated().map { ($1, Duration.seconds($0 + 1)...Duration.seconds($0 + 2)) }
        let record = FeedRecord(
            keys,
            published: Dictionary(uniqueKeysWithValues: published),
            delay: .seconds(2)
        )
        let losses = stream.losses(by: record)
        let lost = Dictionary(losses.map { ($0.kind, $0.what) }) { "\($0), \($1)" }
        #expect(lost == example.lost)
    }

    @Test func `what was published twice may be told twice, and need not be`() {
        var stream = FollowedStream(unit: "u")
        let record = FeedRecord(["a", "b", "a", "c"])
        for told in ["abac", "abc"] {
            stream.told = told.map { .item(String($0)) }
            #expect(stream.losses(by: record).isEmpty)
        }
        stream.told = "abaac".map { .item(String($0)) }
        #expect(stream.losses(by: record).map(\.kind) == [.repeated])
    }

    @Test(.timeLimit(.minutes(1)))
    func `who waits for the last item waits for those who are there, and for no one else`() async {
        let ledger = StreamLedger(now: { .zero })
        let (one, other, gone) = (ledger.begin("one"), ledger.begin("other"), ledger.begin("gone"))
        ledger.ended(gone, .left)
        async let heard: Void = ledger.everybodyHears("last")
        ledger.told(.item("last"), by: one)
        ledger.told(.item("last"), by: gone)
        ledger.told(.item("last"), by: other)
        ledger.told(.item("more"), by: other)
        await heard
        #expect(ledger.counts.items == 3)
        #expect(ledger.losses(by: FeedRecord(["last", "more"])).map(\.what) == ["one, more at the end"])
    }
}

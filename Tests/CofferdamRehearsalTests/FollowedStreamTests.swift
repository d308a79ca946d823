import CofferdamUpgrade
import Testing

@testable import CofferdamRehearsal

struct FollowedStreamTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// The delivered items; "-" is a gap.
        var received: String
        var end: FollowedStream.End?
        /// The start in seconds. "a" is written from 1 to 2, "b" from 2 to 3 …; each is due after two seconds.
        var from = 0
        var to = 0
        var lost: [Loss.Kind: String] = [:]

        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "all of it", received: "abcde"),
        Case(name: "from where it began", received: "cde", from: 2),
        Case(name: "nothing, by one who has gone", received: "", end: .left),
        Case(
            name: "nothing, though some were due",
            received: "",
            end: .left,
            to: 7,
            lost: [.skipped: "b before it ended, c before it ended, d before it ended"]
        ),
        Case(name: "nothing, as it began late", received: "", end: .left, from: 4, to: 7),
        Case(name: "nothing, as it ended early", received: "", end: .left, to: 4),
        Case(name: "less than was due", received: "b", end: .left, to: 6, lost: [.skipped: "c before it ended"]),
        Case(name: "later than it was due", received: "de", lost: [.skipped: "b before d, c before d"]),
        Case(name: "a gap, before what was due", received: "-e", end: .left, lost: [.gap: "at the beginning"]),
        Case(name: "nothing after a gap", received: "a-", end: .left, to: 9, lost: [.gap: "after a"]),
        Case(name: "until its user went", received: "bc", end: .left),
        Case(name: "nothing, to one who is there", received: "", lost: [.skipped: "nothing more came"]),
        Case(name: "not the last ones", received: "abc", lost: [.skipped: "d at the end, e at the end"]),
        Case(name: "not one in between", received: "abde", lost: [.skipped: "c before d"]),
        Case(name: "one twice", received: "abbcde", lost: [.repeated: "b"]),
        Case(name: "one twice, later", received: "abcdbe", lost: [.repeated: "b"]),
        Case(name: "two in the wrong order", received: "acbde", lost: [.misplaced: "b after c"]),
        Case(
            name: "what was never published",
            received: "abxcde",
            lost: [.wrong: "x was received, but never published"]
        ),
        Case(name: "a reported gap excuses what is missing there", received: "a-de", lost: [.gap: "after a"]),
        Case(name: "a gap before the first one", received: "-bcde", lost: [.gap: "at the beginning"]),
        Case(
            name: "a gap excuses nothing elsewhere",
            received: "a-ce",
            lost: [.gap: "after a", .skipped: "d before e"]
        ),
        Case(name: "a gap at the end", received: "ab-", lost: [.gap: "after b", .skipped: "nothing more came"]),
        Case(
            name: "a stream that ended, until then",
            received: "abc",
            end: .broken(at: .legacyOnly, why: "closed"),
            lost: [.broken: "legacyOnly: closed"]
        ),
    ]

    @Test(arguments: cases)
    func `what a stream delivered is compared with what was published`(_ example: Case) {
        var stream = FollowedStream(unit: "u", began: .seconds(example.from))
        stream.end = example.end.map { ($0, .seconds(example.to)) }
        stream.received = example.received.map { $0 == "-" ? .gap : .item(String($0)) }
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

    @Test func `an item published twice may be delivered twice, or once`() {
        var stream = FollowedStream(unit: "u")
        let record = FeedRecord(["a", "b", "a", "c"])
        for keys in ["abac", "abc"] {
            stream.received = keys.map { .item(String($0)) }
            #expect(stream.losses(by: record).isEmpty)
        }
        stream.received = "abaac".map { .item(String($0)) }
        #expect(stream.losses(by: record).map(\.kind) == [.repeated])
    }

    @Test(.timeLimit(.minutes(1)))
    func `waiting for the last item waits for the streams still followed, and for no others`() async {
        let ledger = StreamLedger(now: { .zero })
        let (one, other, gone) = (ledger.begin("one"), ledger.begin("other"), ledger.begin("gone"))
        ledger.ended(gone, .left)
        async let received: Void = ledger.waitUntilAllFollowersReceive("last")
        ledger.received(.item("last"), by: one)
        ledger.received(.item("last"), by: gone)
        ledger.received(.item("last"), by: other)
        ledger.received(.item("more"), by: other)
        await received
        #expect(ledger.counts.items == 3)
        #expect(ledger.losses(by: FeedRecord(["last", "more"])).map(\.what) == ["one, more at the end"])
    }
}

#if Sandbox
import Foundation
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

@Suite struct OrderJournalTests {
    @Test func `D18: each journal of a directory sees what the others have written`() throws {
        try Self.withDirectory { directory in
            let (one, other) = (OrderJournal(directory: directory), OrderJournal(directory: directory))
            var first = Self.entry("\"first\", ü,\n")
            let second = Self.entry("second", orderID: "2")
            try one.put(first)
            try other.put(second)
            #expect(try one.entry("second", of: "amara") == second)
            #expect(try other.open() == [first])
            first.orderID = "1"
            try one.put(first)
            #expect(try other.claimed(by: "amara") == ["1", "2"])
            #expect(try other.claimed(by: "another") == [])
            try other.forget(second)
            for journal in [one, other, OrderJournal(directory: directory)] {
                #expect(try journal.entry(first.key, of: "amara") == first)
                #expect(try journal.entry("second", of: "amara") == nil)
            }
        }
    }

    @Test func `D18: a full journal drops a known outcome first, and an unknown one only if none is known`() throws {
        try Self.withDirectory { directory in
            let journal = OrderJournal(directory: directory)
            for number in 1...OrderJournal.capacity {
                try journal.put(Self.entry("\(number)", orderID: number == 2 ? "2" : nil))
            }
            try journal.put(Self.entry("next"))
            let kept = try OrderJournal(directory: directory).open().map(\.key)
            #expect(try journal.entry("2", of: "amara") == nil)
            #expect(kept.first == "1" && kept.last == "next" && kept.count == OrderJournal.capacity)
            try journal.put(Self.entry("last"))
            #expect(try journal.entry("1", of: "amara") == nil)
        }
    }

    private static func entry(_ key: String, orderID: String? = nil) -> OrderJournal.Entry {
        let line = OrderLine(article: "hay / \(key)", quantity: 1, unitPrice: Money(minorUnits: 1, currency: .eur))
        return .init(key: key, user: "amara", lines: [.init(line)], before: 0, orderID: orderID)
    }

    private static func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }
}
#endif

#if Sandbox
import Cofferdam
import Foundation
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite struct AnimalIDJournalTests {
    private static let a = "0e0b8a70-0000-4000-8000-00000000000a"
    private static let b = "0e0b8a70-0000-4000-8000-00000000000b"
    private let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    private let issues = Issues()

    private var file: URL { URL(fileURLWithPath: directory + "/sanctuary.animal-ids") }

    private func journal(of service: String = "http://vendor") -> AnimalIDJournal {
        AnimalIDJournal(
            in: directory,
            of: service,
            issues: IssueSink { found, operation in
                issues.add(found, of: operation)
            }
        )
    }

    private func write(_ text: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func remove() throws { try FileManager.default.removeItem(atPath: directory) }

    @Test func `D1: what the vendor said about ids is known after a restart`() throws {
        let first = AnimalIDMap(journal: journal())
        try first.record([(12, Self.a.uppercased())])
        try first.record([(12, Self.a)], asked: [Self.b])
        let second = AnimalIDMap(journal: journal())
        #expect(second.way(from: AnimalID("12")) == .known(Self.a))
        #expect(second.id(of: Self.a) == AnimalID("12"))
        #expect(second.id(of: Self.b) == AnimalID(Self.b))
        #expect(second.unknown(among: [Self.a, Self.b]) == [])
        #expect(issues.all.isEmpty)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text == "animal ids, 1, of http://vendor\n12 \(Self.a)\n- \(Self.b)\n", "each once")
        #expect(throws: SanctuaryError.self) { try second.record([(13, Self.a)]) }
        try remove()
    }

    @Test func `D1: a line that was not finished is dropped, and those before it are kept`() throws {
        try write("animal ids, 1, of http://vendor\n12 \(Self.a)\n13 0e0b8a")
        let map = AnimalIDMap(journal: journal())
        #expect(map.id(of: Self.a) == AnimalID("12"))
        #expect(issues.all.count == 1)
        try map.record([(13, Self.b)])
        #expect(AnimalIDMap(journal: journal()).way(from: AnimalID("13")) == .known(Self.b))
        #expect(issues.all.count == 1)
        try remove()
    }

    @Test(
        "D1: ids that cannot be right are given up with an issue, and those of another service without one",
        arguments: [
            ("animal ids, 1, of http://vendor\n12 \(a)\n13 \(a)\n", 1),
            ("animal ids, 1, of http://vendor\n12 \(a)\n12 \(b)\n", 1),
            ("animal ids, 1, of http://vendor\n- \(a)\n12 \(a)\n", 1),
            ("animal ids, 1, of http://vendor\n12 \(a.uppercased())\n", 1),
            ("animal ids, 1, of http://vendor\n-1 \(a)\n", 1),
            ("animal ids, 1, of http://vendor\nnonsense\n", 1),
            ("", 1),
            ("animal ids, 1, of http://another\n12 \(a)\n", 0),
        ]
    )
    func damaged(text: String, issueCount: Int) throws {
        try write(text)
        let map = AnimalIDMap(journal: journal())
        #expect(map.id(of: Self.a) == nil)
        #expect(issues.all.count == issueCount)
        try map.record([(7, Self.a)])
        #expect(AnimalIDMap(journal: journal()).id(of: Self.a) == AnimalID("7"))
        #expect(issues.all.count == issueCount)
        try remove()
    }

    @Test func `D1: where nothing can be stored the map still works, and an issue is reported`() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        let map = AnimalIDMap(journal: journal())
        try map.record([(7, Self.a)])
        #expect(map.id(of: Self.a) == AnimalID("7"))
        #expect(issues.all.isEmpty == false)
        try remove()
    }
}
#endif

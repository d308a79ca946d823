import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Testing

/// The actions of traits, in order.
private let journal = Mutex<[String]>([])

extension AdapterUnderTest<Subject> {
    fileprivate static let journaled = AdapterUnderTest(
        name: "journaled",
        open: { DictionaryStore() },
        reset: { try await $0.set("ready", for: "baseline") },
        close: { _ in journal.withLock { $0.append("close") } }
    )
}

@Suite(.serialized) struct TraitTests {
    @Test(.adapter(.journaled), arguments: [1, 2])
    func `each case has a subject of its own, at its baseline`(_ number: Int) async throws {
        let store = try CaseScope.value(Subject.self)
        #expect(try await store.value(for: "baseline") == "ready")
        #expect(try await store.value(for: "mine") == nil)
        try await store.set("\(number)", for: "mine")
    }

    @Test(
        .adapter(.journaled),
        .fault(
            "a foreign value",
            inject: { (store: Subject) in try await store.set("foreign", for: "a") },
            clear: { store in
                let value = try await store.value(for: "a")
                journal.withLock { $0.append("clear \(value ?? "nothing")") }
            }
        )
    )
    func `a fault lasts as long as the case`() async throws {
        #expect(try await CaseScope.value(Subject.self).value(for: "a") == "foreign")
    }

    @Test(.scoped(Int.self) { _, body in try await body(7) })
    func `a value of one's own is in scope`() throws {
        #expect(try CaseScope.value(Int.self) == 7)
        #expect(throws: NotInScope.self) { try CaseScope.value(String.self) }
    }

    @Test func `what was opened was closed, after the fault was cleared`() {
        #expect(journal.withLock { $0 } == ["close", "close", "clear foreign", "close"])
        #expect(throws: NotInScope.self) { try CaseScope.value(Subject.self) }
    }
}

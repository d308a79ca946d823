#if SQLite
import CofferdamUpgrade
import Foundation
import Testing
import UpgradeTestSupport

@Suite struct FileUpgradeStoreTests {
    private let plan: UpgradePlan
    init() throws { plan = try Readings.plan() }

    private func carryOut(
        _ action: UpgradeAction,
        _ store: FileUpgradeStore,
        id: String
    ) async throws -> StoredUpgrade {
        try await store.carryOut(Requests.request(action, id: id), for: "a", plan: plan)
    }

    @Test func `it keeps the contract of a store`() async throws {
        try await UpgradeFolder.with { try await UpgradeStoreContract($0.store()).holds() }
    }

    @Test func `another process finds what was stored, and its log`() async throws {
        try await UpgradeFolder.with { folder in
            let first = try folder.store()
            _ = try await carryOut(.advance(despiteGate: true), first, id: "1")
            let stored = try await carryOut(.kill(.freeze), first, id: "2")
            let second = try folder.store()
            #expect(try await second.read("a") == stored)
            #expect(try await second.history(of: "a", last: 5).map(\.id) == ["2", "1"])
            #expect(try await carryOut(.resume, second, id: "3").revision == 3)
            #expect(try await first.read("a")?.kill == nil)
        }
    }

    @Test func `two that use one directory lose nothing of each other's`() async throws {
        try await UpgradeFolder.with { folder in
            let stores = try [folder.store(), folder.store()]
            try await withThrowingTaskGroup { group in
                for number in 0..<40 {
                    group.addTask {
                        let action = UpgradeAction.override(operation: "o\(number)", stage: .legacyOnly)
                        _ = try await carryOut(action, stores[number % 2], id: "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stores[0].read("a")?.state.overrides.count == 40)
            #expect(try await stores[1].read("a")?.revision == 40)
            #expect(try await stores[1].history(of: "a", last: 100).count == 40)
        }
    }

    @Test func `a kill switch set by hand takes effect, and the log records it`() async throws {
        try await UpgradeFolder.with { folder in
            let store = try folder.store()
            let before = try await carryOut(.advance(despiteGate: true), store, id: "1")
            try folder.write(#"{"target": "legacy"}"#, to: "a/kill.json")
            let killed = try #require(try await store.read("a"))
            #expect(killed.kill?.target == .legacy)
            #expect(killed.routing.stage() == .legacyOnly)
            #expect(killed.revision == before.revision + 1)
            #expect(try await store.read("a") == killed, "it is noted once")
            let line = try #require(try await store.history(of: "a", last: 1).first)
            #expect(line.request.action == .kill(.legacy))
            #expect(line.request.by == "by hand")
            #expect(line.request.at == 9_000)
            try folder.remove("a/kill.json")
            let cleared = try #require(try await store.read("a"))
            #expect(cleared.kill == nil)
            #expect(cleared.state.stage == .legacyOnly, "units do not return by themselves")
        }
    }

    @Test func `a kill switch put there before anything else is obeyed`() async throws {
        try await UpgradeFolder.with { folder in
            try folder.write(
                #"{"format": 1, "target": "freeze", "by": "amara", "reason": "a holiday"}"#,
                to: "a/kill.json"
            )
            let store = try folder.store()
            let stored = try await store.read("a")
            #expect(stored?.kill == KillSwitch(.freeze, by: "amara", reason: "a holiday", seq: 1))
            #expect(stored?.state.stage == .legacyOnly)
        }
    }

    @Test(arguments: [
        (file: "a/state.json", text: #"{"format": 3}"#, message: "format 3"),
        (file: "a/state.json", text: #"{"format": 2}"#, message: "is missing"),
        (file: "a/state.json", text: "{}", message: "does not name its format"),
        (file: "a/state.json", text: "", message: ""),
        (file: "a/state.json", text: "\u{0}\u{1}", message: ""),
        (file: "a/kill.json", text: #"{"target": "none"}"#, message: "target"),
        (file: "a/kill.json", text: #"{"format": 7, "target": "legacy"}"#, message: "format 7"),
        (file: "a/kill.json", text: "[]", message: ""),
    ])
    func `a file that this version does not write is named, and never overwritten`(
        file: String,
        text: String,
        message: String
    ) async throws {
        try await UpgradeFolder.with { folder in
            let store = try folder.store()
            _ = try await carryOut(.advance(despiteGate: true), store, id: "1")
            try folder.write(text, to: file)
            for change in [true, false] {
                let error = await #expect(throws: UpgradeStoreError.self) {
                    if change { _ = try await carryOut(.abort, store, id: "2") }
                    _ = try await store.read("a")
                }
                #expect(error?.code == .unreadable)
                #expect(error?.subject.hasSuffix(file) == true)
                #expect(error?.message.contains(message) == true || message.isEmpty, "\(String(describing: error))")
            }
            #expect(try folder.text(file) == text)
        }
    }

    @Test(arguments: ["epoch", "attempt", "since", "revision"])
    func `an impossible number is named, and overflows nothing`(name: String) async throws {
        try await UpgradeFolder.with { folder in
            let store = try folder.store()
            _ = try await carryOut(.advance(despiteGate: true), store, id: "1")
            let text = try folder.text("a/state.json")
            let number = try #require(text.matches(of: try Regex("\"\(name)\" : \\d+")).last)
            try folder.write(
                text.replacingCharacters(in: number.range, with: "\"\(name)\" : \(Int64.max)"),
                to: "a/state.json"
            )
            let error = await #expect(throws: UpgradeStoreError.self) { try await carryOut(.abort, store, id: "2") }
            #expect(error?.code == .unreadable)
            #expect(error?.message == "\(name) is \(Int64.max)")
        }
    }

    @Test func `a file that is not a log is named, and the stage is followed without it`() async throws {
        try await UpgradeFolder.with { folder in
            var stored: StoredUpgrade?
            try await UpgradeFolder.with { before in
                stored = try await carryOut(.advance(despiteGate: true), before.store(), id: "1")
                try folder.copy("a", from: before)
            }
            let text = "no database, but long enough to be read as the head of one"
            try folder.write(text, to: "upgrade.sqlite")
            let store = try folder.store()
            #expect(try await store.read("a") == stored)
            let error = await #expect(throws: UpgradeStoreError.self) { try await store.history(of: "a", last: 1) }
            #expect(error?.code == .unreadable)
            #expect(error?.subject.hasSuffix("upgrade.sqlite") == true)
            #expect(try folder.text("upgrade.sqlite") == text, "it is left alone")
        }
    }

    @Test func `a line that the log lacks is completed from the state`() async throws {
        try await UpgradeFolder.with { folder in
            _ = try await carryOut(.advance(despiteGate: true), folder.store(), id: "1")
            for file in ["upgrade.sqlite", "upgrade.sqlite-wal", "upgrade.sqlite-shm"] where folder.has(file) {
                try folder.remove(file)
            }
            let store = try folder.store()
            #expect(try await store.entry("1", of: "a")?.after.stage == .shadow(sample: .all))
            #expect(try await store.history(of: "a", last: 5).map(\.id) == ["1"])
        }
    }

    @Test func `a kill switch whose file was not written when the process ended is not taken for cleared`()
        async throws
    {
        try await UpgradeFolder.with { folder in
            _ = try await carryOut(.kill(.legacy), folder.store(), id: "1")
            let text = try folder.text("a/state.json")
            try folder.write(
                text.replacing("\"isKillFileCurrent\" : true", with: "\"isKillFileCurrent\" : false"),
                to: "a/state.json"
            )
            try folder.remove("a/kill.json")
            #expect(try await folder.store().read("a")?.kill?.target == .legacy)
            #expect(try await folder.store().history(of: "a", last: 5).map(\.id) == ["1"])
            #expect(folder.has("a/kill.json"))
        }
    }
}
#endif

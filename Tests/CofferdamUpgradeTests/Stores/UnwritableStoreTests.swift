#if SQLite
import Cofferdam
import Foundation
import Testing
import TestSupport
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// A change by a person takes effect even if nothing can be written, and is written as soon as possible.
@Suite(.timeLimit(.minutes(1))) struct UnwritableStoreTests {
    /// The reasons why a store cannot write.
    enum Fault: String, CaseIterable {
        case full, readOnly, corruptLog

        var needsDisk: Bool { self != .corruptLog }
    }

    private let plan: UpgradePlan
    init() throws { plan = try Readings.plan() }

    private func with(_ fault: Fault, _ body: (UpgradeFolder, SmallDisk?) async throws -> Void) async throws {
        if fault.needsDisk {
            try await SmallDisk.with { try await body($0.folder, $0) }
        } else {
            try await UpgradeFolder.with { try await body($0, nil) }
        }
    }

    private func begin(_ fault: Fault, _ folder: UpgradeFolder, _ disk: SmallDisk?) throws {
        switch fault {
        case .full: try disk?.fill()
        case .readOnly: try disk?.setReadOnly(true)
        case .corruptLog: try corrupt(folder)
        }
    }

    private func end(_ fault: Fault, _ folder: UpgradeFolder, _ disk: SmallDisk?) throws {
        switch fault {
        case .full: try disk?.empty()
        case .readOnly: try disk?.setReadOnly(false)
        case .corruptLog: for file in Self.logFiles where folder.has(file) { try folder.remove(file) }
        }
    }

    /// Like a process that has ended, without an open file.
    private func advance(_ folder: UpgradeFolder) async throws -> StoredUpgrade {
        var stored: StoredUpgrade?
        try await UpgradeFolder.with { before in
            let request = Requests.request(.advance(despiteGate: true), id: "1")
            stored = try await before.store().carryOut(request, for: "a", plan: plan)
            try folder.copy("a", from: before)
        }
        return try #require(stored)
    }

    private static let logFiles = ["", "-wal", "-shm"].map { "upgrade.sqlite\($0)" }

    private func corrupt(_ folder: UpgradeFolder) throws {
        for file in Self.logFiles where folder.has(file) { try folder.remove(file) }
        try folder.write(String(repeating: "no database at all ", count: 400), to: "upgrade.sqlite")
    }

    /// Sets the kill switch as a person with a full disk does: by renaming an existing file. If the disk is
    /// read-only, the file is written from elsewhere.
    private func setKill(_ text: String, _ folder: UpgradeFolder, _ disk: SmallDisk?, _ fault: Fault) throws {
        try end(fault, folder, disk)
        try folder.write(text, to: "a/kill.new")
        try begin(fault, folder, disk)
        if fault == .readOnly { try disk?.setReadOnly(false) }
        try #require(rename(folder.path + "/a/kill.new", folder.path + "/a/kill.json") == 0)
        if fault == .readOnly { try disk?.setReadOnly(true) }
    }

    @Test(.enabled(if: SmallDisk.isAvailable, SmallDisk.reason), arguments: Fault.allCases)
    func `a kill by hand is obeyed where nothing can be written`(fault: Fault) async throws {
        try await with(fault) { folder, disk in
            let before = try await advance(folder)
            let store = try folder.store()
            #expect(try await store.read("a") == before)
            try setKill(#"{"target": "legacy"}"#, folder, disk, fault)
            let killed = try #require(try await store.read("a"))
            #expect(killed.kill?.target == .legacy)
            #expect(killed.revision == before.revision + 1)
            #expect(try await store.read("a") == killed, "it is the same, however often it is read")
            #expect(try await folder.store().read("a") == killed, "and for every process")
            await #expect(throws: UpgradeStoreError.self) { try await store.settle("a") }
            #expect(try await store.read("a") == killed)
            try end(fault, folder, disk)
            try await store.settle("a")
            #expect(try await store.read("a") == killed)
            let line = try #require(try await store.history(of: "a", last: 1).first)
            #expect(line.request.action == .kill(.legacy))
            #expect(try folder.text("a/state.json").contains("\"target\" : \"legacy\""))
        }
    }

    @Test(.enabled(if: SmallDisk.isAvailable, SmallDisk.reason), arguments: Fault.allCases)
    func `a process that starts there obeys it, too, and follows the stage`(fault: Fault) async throws {
        try await with(fault) { folder, disk in
            let before = try await advance(folder)
            try begin(fault, folder, disk)
            #expect(try await folder.store().read("a") == before)
            try setKill(#"{"target": "candidate"}"#, folder, disk, fault)
            let (store, bench) = (try folder.store(), try EngineBench())
            let engine = UpgradeEngine(
                "a",
                plan: plan,
                store: store,
                control: bench.control,
                recorder: EvidenceRecorder()
            ) {
                $0.ledger = store.log
                $0.log = store.log
                $0.clock = bench.clock
            }
            let status = await engine.start()
            #expect(status.kill?.target == .candidate)
            #expect(bench.control.state.stage() == .candidateOnly)
            #expect(status.ageSeconds == 0)
            #expect(status.notes.contains { $0.contains(folder.path + "/") }, "\(status.notes)")
            try end(fault, folder, disk)
            await engine.refresh()
            #expect(try folder.text("a/state.json").contains("\"target\" : \"candidate\""))
        }
    }

    @Test(.enabled(if: SmallDisk.isAvailable, SmallDisk.reason))
    func `a kill by hand that is withdrawn before it was written leaves legacyOnly behind, and both lines`()
        async throws
    {
        try await with(.full) { folder, disk in
            let store = try folder.store()
            let request = Requests.request(.advance(despiteGate: true), id: "1")
            let before = try await store.carryOut(request, for: "a", plan: plan)
            try setKill(#"{"target": "legacy"}"#, folder, disk, .full)
            #expect(try await store.read("a")?.kill?.target == .legacy)
            try folder.remove("a/kill.json")
            try disk?.fill()
            let cleared = try #require(try await store.read("a"))
            #expect(cleared.kill == nil)
            #expect(cleared.state.stage == .legacyOnly, "units do not return by themselves")
            #expect(cleared.revision == before.revision + 2)
            try disk?.empty()
            try await store.settle("a")
            #expect(try await folder.store().read("a") == cleared)
            #expect(
                try await store.history(of: "a", last: 9).map(\.request.action.name) == [
                    "resume", "kill", "advance",
                ]
            )
        }
    }

    @Test func `a store whose directory cannot be made says so when it is asked, and works when it can be`()
        async throws
    {
        try await UpgradeFolder.with { folder in
            try folder.write("a file", to: "in the way")
            let store = FileUpgradeStore(directory: folder.path + "/in the way")
            let request = Requests.request(.advance(despiteGate: true), id: "1")
            for change in [true, false] {
                let error = await #expect(throws: UpgradeStoreError.self) {
                    if change { _ = try await store.carryOut(request, for: "a", plan: plan) }
                    _ = try await store.read("a")
                }
                #expect(error?.code == .unavailable)
            }
            try folder.remove("in the way")
            #expect(try await store.carryOut(request, for: "a", plan: plan).state.stage == .shadow(sample: .all))
        }
    }

    @Test func `a kill by hand is read while another process holds the lock of the directory`() async throws {
        try await UpgradeFolder.with { folder in
            let store = try folder.store()
            _ = try await store.carryOut(Requests.request(.advance(despiteGate: true), id: "1"), for: "a", plan: plan)
            let lock = open(folder.path + "/a/lock", O_RDWR | O_CLOEXEC)
            try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
            let ended = Log<Void>()
            let change = Task {
                defer { ended.add(()) }
                return try await store.carryOut(Requests.request(.abort, id: "2"), for: "a", plan: plan)
            }
            try folder.write(#"{"target": "candidate"}"#, to: "a/kill.new")
            try #require(rename(folder.path + "/a/kill.new", folder.path + "/a/kill.json") == 0)
            await until { (try? await store.read("a"))??.kill?.target == .candidate }
            #expect(ended.entries.isEmpty, "it waits for the lock")
            close(lock)
            #expect(try await change.value.state.stage == .legacyOnly)
            #expect(try await store.read("a")?.kill?.target == .candidate)
        }
    }

    @Test func `a kill by hand while another one is being written is recorded as a person's`() async throws {
        try await UpgradeFolder.with { folder in
            let store = try folder.store()
            _ = try await store.carryOut(Requests.request(.kill(.freeze), id: "1"), for: "a", plan: plan)
            // As left by a process that could write nothing after the state.
            let text = try folder.text("a/state.json")
            try folder.remove("a/kill.json")
            let unfinished = text.replacing("\"isKillFileCurrent\" : true", with: "\"isKillFileCurrent\" : false")
            try #require(unfinished != text)
            try folder.write(unfinished, to: "a/state.json")
            #expect(try await store.read("a")?.kill?.target == .freeze)
            try folder.write(#"{"target": "legacy"}"#, to: "a/kill.json")
            #expect(try await store.read("a")?.kill?.target == .legacy)
            try await store.settle("a")
            #expect(try folder.text("a/kill.json") == #"{"target": "legacy"}"#, "it is not overwritten")
            #expect(try await folder.store().read("a")?.kill?.target == .legacy)
        }
    }

    @Test func `concurrent readers do not take a change for an edit by hand`() async throws {
        try await UpgradeFolder.with { folder in
            let store = try folder.store()
            try await withThrowingTaskGroup { group in
                let ended = Log<Void>()
                group.addTask {
                    defer { ended.add(()) }
                    for number in 0..<60 {
                        let action: UpgradeAction = number % 2 == 0 ? .kill(.freeze) : .resume
                        let request = Requests.request(action, id: "\(number)")
                        _ = try await store.carryOut(request, for: "a", plan: plan)
                    }
                }
                for reader in [store, try folder.store()] {
                    group.addTask {
                        while ended.entries.isEmpty {
                            let entry = try await reader.read("a")?.state.entry ?? ""
                            try #require(!entry.hasPrefix("kill.json"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.history(of: "a", last: 100).count == 60)
        }
    }

    @Test func `a kill of this machine is read while what was seen cannot be written`() async throws {
        try await UpgradeFolder.with { folder in
            let memory = FileUpgradeMemory(directory: folder.path)
            let stored = Requests.stored(at: .candidateOnly)
            let seen = RememberedUpgrade(stored, seen: 1, pendingRequests: [])
            try await memory.remember(seen)
            let lock = open(folder.path + "/catalogue/lock", O_RDWR | O_CLOEXEC)
            try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
            let ended = Log<Void>()
            let writing = Task {
                defer { ended.add(()) }
                try await memory.remember(seen)
            }
            try folder.write(#"{"target": "legacy"}"#, to: "catalogue/kill.json")
            #expect(try await memory.localKill(of: "catalogue")?.target == .legacy)
            #expect(ended.entries.isEmpty, "it waits for the lock")
            close(lock)
            try await writing.value
        }
    }
}
#endif

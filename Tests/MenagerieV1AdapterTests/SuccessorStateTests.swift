#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

private let lastCentury: @Sendable () -> Instant = { Instant(millisecondsSince1970: 946_641_600_000) }

/// Checks the state that V2 left: an unreadable or damaged file is not treated as missing.
struct SuccessorStateTests {
    /// A file's name, with its reader.
    enum File: String, CaseIterable, CustomTestStringConvertible {
        case outbox = "com.menagerie.outbox.v2.json"
        case owner = "sanctuary.unsent.json"
        case old = "menagerie.outbox"
        case session = "com.menagerie.session.v2.json"

        var testDescription: String { rawValue }

        func read(in directory: String) throws(SanctuaryError) {
            if self == .session {
                try SuccessorState(directory: directory).checkSession()
            } else {
                _ = try SuccessorOutbox(directory: directory, now: lastCentury).handOver()
            }
        }
    }

    @Test(arguments: File.allCases)
    func `D25, D26: an unreadable file is an error that names it, and stays`(_ file: File) throws {
        try inDirectory { directory in
            let path = directory + "/" + file.rawValue
            try FileManager.default.removeItem(atPath: path)
            // Without the file there is nothing to report.
            try file.read(in: directory)
            try Self.fill(directory)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path + "/inside", withIntermediateDirectories: true)
            let error = #expect(throws: SanctuaryError.self) { try file.read(in: directory) }
            #expect(error?.code == .unknown)
            #expect(error?.subject == path)
            #expect(FileManager.default.fileExists(atPath: path + "/inside"))
        }
    }

    @Test(arguments: File.allCases)
    func `D25, D26: a damaged file is an error that names it, except for a session, which is removed`(
        _ file: File
    ) throws {
        try inDirectory { directory in
            let path = directory + "/" + file.rawValue
            try Data("{".utf8).write(to: URL(fileURLWithPath: path))
            guard file != .session else {
                let state = SuccessorState(directory: directory)
                try state.checkSession()
                try state.forgetSession(unlessOwnedBy: "amara")
                #expect(!FileManager.default.fileExists(atPath: path))
                return
            }
            let error = #expect(throws: SanctuaryError.self) { try file.read(in: directory) }
            #expect(error?.code == .decoding)
            #expect(error?.subject == path)
            #expect(FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `D26: V1 takes over what V2 could not send, once`() throws {
        try inDirectory { directory in
            for _ in 1...2 { #expect(try SuccessorOutbox(directory: directory, now: lastCentury).handOver().isEmpty) }
            let unsent = try Self.unsent(in: directory)
            #expect(unsent == [Unsent(id: "old", userID: "noor"), Unsent(id: "k-1", userID: "amara")])
            #expect(unsent.last?.sentAt == Date(lastCentury()))
        }
    }

    @Test func `D26: V1 takes over what other users could not send, too, but not what V2 has tried to send`() throws {
        try inDirectory { directory in
            try Data(#"[{"localId": "k-1", "text": "fed"}, {"localId": "k-2", "text": "fed"}]"#.utf8)
                .write(to: URL(fileURLWithPath: directory + "/" + File.outbox.rawValue))
            let kept = #"""
                {"owner": "amara", "tried": ["k-1", "k-4"],
                 "others": {"noor": [{"localId": "k-3", "text": "fed"}, {"localId": "k-4", "text": "fed"}]}}
                """#
            try Data(kept.utf8).write(to: URL(fileURLWithPath: directory + "/" + File.owner.rawValue))
            let outbox = SuccessorOutbox(directory: directory, now: lastCentury)
            for _ in 1...2 { #expect(try outbox.handOver() == ["k-1", "k-4"]) }
            let unsent = try Self.unsent(in: directory).map { "\($0.id) \($0.userID)" }
            #expect(unsent == ["old noor", "k-2 amara", "k-3 noor"])
            for (file, keys) in [(File.outbox, ["k-1"]), (.owner, ["k-4"])] {
                let text = try String(contentsOfFile: directory + "/" + file.rawValue, encoding: .utf8)
                #expect(["k-1", "k-2", "k-3", "k-4"].filter { text.contains(#""localId":"\#($0)""#) } == keys)
            }
        }
    }

    @Test func `D26: what is unsent and was on its way once is noted until it is known to have arrived`() async throws {
        try await inDirectory { directory in
            let tried = TriedMessages(directory: directory)
            func noted() -> String {
                FileManager.default.contents(atPath: directory + "/sanctuary.tried.json")
                    .map { String(decoding: $0, as: UTF8.self) } ?? ""
            }
            func failing(_ error: any Error) async {
                await #expect(throws: (any Error).self) {
                    try await tried.trying(["old"]) {
                        #expect(noted() == #"["old"]"#)
                        throw error
                    }
                }
            }
            await failing(SanctuaryError(.unreachable, "not sent"))
            #expect(noted() == "")
            for code in [SanctuaryError.Code.unavailable, .outcomeUnknown, nil] {
                await failing(code.map { SanctuaryError($0, "sent") } ?? CancellationError())
                #expect(noted() == #"["old"]"#)
            }
            // It was sent before: what happens now says nothing about that.
            await failing(SanctuaryError(.unreachable, "not sent"))
            #expect(noted() == #"["old"]"#)
            try await tried.trying(["old"]) {}
            #expect(noted() == "")
        }
    }

    /// Two sends of one unsent message at once, which end in this order.
    @Test(arguments: [
        (SanctuaryError.Code.outcomeUnknown, SanctuaryError.Code.unreachable, true),
        (.unreachable, .outcomeUnknown, true),
        (.unreachable, .unreachable, false),
    ])
    func `D26: a refused send says nothing about another one under way`(
        first: SanctuaryError.Code,
        second: SanctuaryError.Code,
        isNoted: Bool
    ) async throws {
        try await inDirectory { directory in
            let tried = TriedMessages(directory: directory)
            func send(_ code: SanctuaryError.Code, _ meanwhile: () async -> Void = {}) async {
                do {
                    try await tried.trying(["old"]) {
                        await meanwhile()
                        throw SanctuaryError(code, "as told")
                    }
                    Issue.record("it was sent")
                } catch {
                    #expect((error as? SanctuaryError)?.code == code)
                }
            }
            await send(second) { await send(first) }
            #expect(FileManager.default.fileExists(atPath: directory + "/sanctuary.tried.json") == isNoted)
        }
    }

    @Test func `D25: while V2 answers, its session stays where it is`() throws {
        try inDirectory { directory in
            let state = SuccessorState(directory: directory) { true }
            try state.forgetSession(unlessOwnedBy: nil)
            #expect(FileManager.default.fileExists(atPath: directory + "/" + File.session.rawValue))
        }
    }

    @Test func `D18, D29: what V2 will not take over is reported, by file and key`() throws {
        try inDirectory { directory in
            #expect(menagerieV1Remainder(in: directory).isEmpty)
            let journal = OrderJournal(directory: directory)
            try journal.put(.init(key: "known", user: "amara", lines: [], before: 0, orderID: "1"))
            try journal.put(.init(key: "open", user: "amara", lines: [], before: 0))
            try Data().write(to: URL(fileURLWithPath: directory + "/menagerie.accessories"))
            let session = directory + "/menagerie.session"
            try FileManager.default.createDirectory(atPath: session + "/inside", withIntermediateDirectories: true)
            let remainder = menagerieV1Remainder(in: directory)
            #expect(remainder.map(\.path) == ["order", session, "accessories"])
            #expect(remainder.first?.raw == "open")
        }
    }

    private struct Unsent: Codable, Equatable {
        var id: String
        var userID: String
        var text = "fed"
        var sentAt: Date

        init(id: String, userID: String) {
            (self.id, self.userID) = (id, userID)
            sentAt = Date(timeIntervalSince1970: 1_700_000_000)
        }

        static func == (a: Unsent, b: Unsent) -> Bool { (a.id, a.userID, a.text) == (b.id, b.userID, b.text) }
    }

    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = try Self.makeDirectory()
        try body(directory)
        try FileManager.default.removeItem(atPath: directory)
    }

    private func inDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = try Self.makeDirectory()
        try await body(directory)
        try FileManager.default.removeItem(atPath: directory)
    }

    private static func makeDirectory() throws -> String {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try fill(directory)
        return directory
    }

    private static func unsent(in directory: String) throws -> [Unsent] {
        let content = try Data(contentsOf: URL(fileURLWithPath: directory + "/menagerie.outbox"))
        return try PropertyListDecoder().decode([Unsent].self, from: content)
    }

    private static func fill(_ directory: String) throws {
        let texts: [File: String] = [
            .outbox: #"[{"localId": "k-1", "text": "fed"}]"#, .owner: #"{"owner": "amara", "others": {}}"#,
            .session: #"{"account": {"id": "amara"}}"#,
        ]
        for (file, text) in texts {
            try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/" + file.rawValue))
        }
        try PropertyListEncoder().encode([Unsent(id: "old", userID: "noor")])
            .write(to: URL(fileURLWithPath: directory + "/" + File.old.rawValue))
    }
}

extension EndToEndTests {
    @Test func `D25: an unreadable session of V2 prevents signing in, and an unreadable outbox is an issue`()
        async throws
    {
        try await OpenSanctuary.with { sanctuary in
            await sanctuary.services.close()
            let names = ["com.menagerie.session.v2.json", "com.menagerie.outbox.v2.json"]
            let paths = names.map { sanctuary.directory + "/" + $0 }
            for path in paths {
                try FileManager.default.createDirectory(atPath: path + "/inside", withIntermediateDirectories: true)
            }
            let services = try await openMenagerieV1(
                MenagerieV1Configuration(
                    serviceURL: sanctuary.service.url,
                    key: "test",
                    directory: sanctuary.directory,
                    issues: sanctuary.issues.sink
                )
            )
            #expect(sanctuary.issues.issues.map(\.path) == [paths[1]])
            let credentials = Credentials(user: "amara", password: "sandbox")
            let error = await SanctuaryError.of { try await services.accounts.signIn(credentials) }
            #expect(error?.subject == paths[0])
            #expect(try await services.accounts.state() == .signedOut)
            #expect(sanctuary.control.calls(of: .signIn) == 0)
            await services.close()
        }
    }
}
#endif

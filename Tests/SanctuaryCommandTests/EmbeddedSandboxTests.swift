#if Sandbox
import CommandTestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Checks the commands without `--service`: the sandbox is then part of the command.
@Suite(.timeLimit(.minutes(5)))
struct EmbeddedSandboxTests {
    private let sanctuary = BuiltCommand.sanctuary
    private let password = ["SANCTUARY_PASSWORD": "sandbox"]

    @Test("animals lists the whole catalogue, and each kind is a part of it")
    func animals() async throws {
        let all = try await sanctuary.run(["animals", "--json"]).json([AnimalDocument].self)
        let regular = try await sanctuary.run(["animals", "--kind", "regular", "--json"]).json([AnimalDocument].self)
        let mythological = try await sanctuary.run(["animals", "--kind", "mythological", "--json"])
            .json([AnimalDocument].self)
        #expect(all.count > 100)
        #expect(mythological.map(\.name).contains("kerberos"))
        #expect(!regular.map(\.name).contains("kerberos"))
        #expect(Set(all) == Set(regular + mythological))
        #expect(all.count == regular.count + mythological.count)
    }

    @Test("animals --find searches names in any letter case, and finding nothing is no error")
    func find() async throws {
        let frogs = try await sanctuary.run(["animals", "--find", "FROG", "--json"]).json([AnimalDocument].self)
        #expect(frogs.map(\.name) == ["frog", "frog"])
        let nothing = try await sanctuary.run(["animals", "--find", "unicorn", "--json"])
        #expect(nothing.code == 0)
        #expect(try nothing.json([AnimalDocument].self).isEmpty)
    }

    @Test("animals as text is an aligned table without colours, because no terminal reads it", arguments: ["", "1"])
    func table(_ noColour: String) async throws {
        let finished = try await sanctuary.run(
            ["animals", "--find", "kerberos"],
            environment: ["TERM": "xterm", "NO_COLOR": noColour]
        )
        #expect(finished.code == 0)
        #expect(finished.output.hasPrefix("ID"))
        #expect(finished.output.contains("kerberos"))
        #expect(!finished.output.contains("\u{1B}"))
        let lines = finished.output.split(separator: "\n").map(String.init)
        let title = try #require(lines.first?.firstRange(of: "NAME"))
        let column = lines[0].distance(from: lines[0].startIndex, to: title.lowerBound)
        try #require(lines.count > 1)
        #expect(lines[1].dropFirst(column).hasPrefix("kerberos"))
    }

    @Test("animal shows one, and says which does not exist (GET-02)")
    func animal() async throws {
        let all = try await sanctuary.run(["animals", "--json"]).json([AnimalDocument].self)
        let first = try #require(all.first)
        let one = try await sanctuary.run(["animal", first.id, "--json"])
        #expect(try one.json(AnimalDocument.self) == first)
        #expect(try await sanctuary.run(["animal", first.id]).output.contains(first.name))

        let unknown = try await sanctuary.run(["animal", "no-such-animal"])
        #expect(unknown.code == 66)
        #expect(unknown.output == "")
        #expect(unknown.error.hasPrefix("sanctuary: notFound: "))
        #expect(unknown.error.contains("no-such-animal"))
        #expect(unknown.error.split(separator: "\n").count == 1)
    }

    @Test("photo writes the picture whole, refuses a directory, and leaves nothing behind for an unknown animal")
    func photo() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "photos-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: directory) } catch {} }
        let file = directory.appending(path: "animal").path
        let all = try await sanctuary.run(["animals", "--find", "lion", "--json"]).json([AnimalDocument].self)
        let id = try #require(all.first?.id)

        let saved = try await sanctuary.run(["photo", id, "-o", file, "--json"])
        #expect(saved.code == 0)
        let size = try Data(contentsOf: URL(filePath: file)).count
        #expect(saved.output.contains("\"bytes\" : \(size)"))
        #expect(size > 0)

        #expect(try await sanctuary.run(["photo", id, "-o", directory.path]).code == 73)
        #expect(try await sanctuary.run(["photo", "unknown", "-o", file + "2"]).code == 66)
        #expect(try await sanctuary.run(["photo", id, "-o", file + "/below"]).code == 73)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["animal"])
    }

    @Test("accessories lists those in reach, at most one of them active")
    func accessories() async throws {
        let all = try await sanctuary.run(["accessories", "--json"]).json([AccessoryDocument].self)
        #expect(!all.isEmpty)
        #expect(all.filter { $0.link == "active" }.count <= 1)
        #expect(all.allSatisfy { (0...100).contains($0.battery ?? 0) && $0.lastSeen.hasPrefix("20") })
        #expect(try await sanctuary.run(["accessories"]).output.contains("BATTERY"))
    }

    @Test("Orders and messages need a user, who stays signed in from one sandbox to the next (AUTH-10)")
    func user() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "command-tests-\(UUID().uuidString)")
        defer { do { try FileManager.default.removeItem(at: directory) } catch {} }
        let state = ["--state", directory.path]
        let signedOut = try await sanctuary.run(["orders"] + state)
        #expect(signedOut.code == 77)
        #expect(signedOut.error.contains("account sign-in"))
        #expect(try await sanctuary.run(["messages"] + state).code == 77)

        let signedIn = try await sanctuary.run(["account", "sign-in", "amara"] + state, environment: password)
        #expect(signedIn.code == 0, "\(signedIn.error)")
        let orders = try await sanctuary.run(["orders", "--json"] + state)
        #expect(try orders.json([OrderDocument].self).isEmpty == false)
        let messages = try await sanctuary.run(["messages", "--json"] + state)
        #expect(try messages.json([MessageDocument].self).isEmpty == false)
    }

    @Test("A refused password ends with 77 and is never shown")
    func refused() async throws {
        let finished = try await sanctuary.run(
            ["account", "sign-in", "amara"],
            environment: ["SANCTUARY_PASSWORD": "hunter2"]
        )
        #expect(finished.code == 77)
        #expect(!(finished.output + finished.error).contains("hunter2"))
    }

    @Test("The sandbox leaves no session behind")
    func noTrace() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: directory) } catch {} }
        let finished = try await sanctuary.run(
            ["account", "sign-in", "amara"],
            environment: password.merging(["TMPDIR": directory.path, "HOME": directory.path]) { _, new in new }
        )
        #expect(finished.code == 0)
        #expect(finished.output.contains("amara"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }
}
#endif

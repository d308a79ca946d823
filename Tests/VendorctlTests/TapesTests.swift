#if Sandbox
import CommandTestSupport
import Foundation
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5)))
struct TapesTests {
    private let vendorctl = BuiltCommand.vendorctl

    @Test(
        "tapes compare makes V1's calls on V2: every difference is declared (D2, D19, D20), and no secret is revealed"
    )
    func recordAndCompare() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "v1-\(UUID().uuidString).tape.json")
        defer { removeFolder(file.path) }
        let path = file.path(percentEncoded: false)
        let recorded = try await vendorctl.run(["tapes", "record", "--adapter", "v1", path])
        #expect(recorded.code == 0, "\(recorded.error)")
        let tape = try String(contentsOf: file, encoding: .utf8)
        #expect(!tape.contains("sandbox"))

        let compared = try await vendorctl.run(["tapes", "compare", path, "--adapter", "v2", "--json"])
        #expect(compared.code == 0, "\(compared.output.prefix(4000)) \(compared.error)")
        let report = try compared.json(Differences.self)
        #expect(report.unexpected.isEmpty)
        #expect(report.ids.isSuperset(of: ["D2", "D19", "D20"]))
        // Every page of a walk is a call.
        #expect((report.calls.first { $0.name == "catalogue.animals" }?.compared ?? 0) > 3)

        // An adapter agrees with itself, and the differences that are expected of V2 are not expected of it.
        let own = try await vendorctl.run(["tapes", "compare", path, "--adapter", "v1", "--json"])
        #expect(own.code == 0, "\(own.output.prefix(4000)) \(own.error)")
        #expect(try own.json(Differences.self).drifts.isEmpty)
    }

    @Test("tapes compare against the fake is not green: it has other animals")
    func fake() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "fake-\(UUID().uuidString).tape.json")
        defer { removeFolder(file.path) }
        let path = file.path(percentEncoded: false)
        let only = ["--call", "catalogue.animals"]
        #expect(try await vendorctl.run(["tapes", "record", "--adapter", "fake", path] + only).code == 0)
        let compared = try await vendorctl.run(["tapes", "compare", path, "--adapter", "v2"])
        #expect(compared.code == 1)
        #expect(compared.output.contains("drift: "))
    }
}
#endif

import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// The guide's code is the code of `mytool`, which is compiled, and whose commands are run.
@Suite(.timeLimit(.minutes(3))) struct ToolGuideTests {
    private let guide: Guide

    init() throws {
        guide = try Guide(
            "Sources/Kit/Team/CofferdamTool/CofferdamTool.docc/YourTeamsTool.md",
            codeIn: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../mytool")
                .standardizedFileURL
        )
    }

    @Test func `every block of the guide is the code of the tool, and none of that is missing`() {
        #expect(Set(guide.blocks.map(\.name)) == Set(guide.snippets.keys))
        #expect(guide.blocks.count == guide.snippets.count)
        for block in guide.blocks {
            #expect(block.text == guide.snippets[block.name], "the guide's block \(block.name)")
        }
    }

    #if CommandLine && SQLite
    @Test func `each command of the guide prints what the guide shows, in the guide's order`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "mytool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder.path) }
        let calls = guide.text.components(separatedBy: "```\n$ ").dropFirst()
            .flatMap { $0.components(separatedBy: "\n```")[0].components(separatedBy: "\n$ ") }
            .map { $0.components(separatedBy: "\n") }
        #expect(
            Set(calls.map { $0[0].split(separator: " ").prefix(3).joined(separator: " ") }).isSuperset(of: [
                "mytool contracts", "mytool upgrade status", "mytool upgrade advance", "mytool upgrade kill",
                "mytool rehearse --scenario", "mytool tapes record", "mytool tapes compare",
            ])
        )
        for call in calls {
            let ended = try await BuiltCommand.shell("cd '\(folder.path)' && export USER=amara && \(call[0])")
            // Nothing has been counted.
            let isRefused = call[0].contains("promote") || call[0].contains("advance --reason")
            #expect(ended.code == (isRefused ? 1 : 0), "\(call[0]): \(ended.error)")
            for part in call.dropFirst().flatMap({ $0.split(separator: "…") }) {
                #expect((ended.output + ended.error).contains(part), "\(call[0]): \(ended.output)\(ended.error)")
            }
        }
    }

    @Test func `the guide's rehearsal arrives with a candidate as good as V1, and nothing is lost`() async throws {
        let quick = ["rehearse", "--scenario", "good", "--limit", "0.05", "--baseline", "1000"]
        let ended = try await BuiltCommand.mytool.run(quick)
        #expect(ended.code == 0, "\(ended.output)\(ended.error)")
        #expect(ended.output.contains("lost: nothing\nscenario good: arrived, as expected"))
    }
    #endif
}

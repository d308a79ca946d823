#if Sandbox
import Foundation
import Testing

@testable import MenagerieV1

@Suite struct StateFileTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)").path

    /// The state after a process was killed between writing a file and moving it into place.
    @Test func `what an interrupted write left behind is removed with the file`() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let file = StateFile("session", in: directory)
        for hasFile in [true, false] {
            if hasFile { try file.write(Data("token".utf8)) }
            try Data("token".utf8).write(to: URL(filePath: file.path + ".new"))
            try file.write(nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
        }
    }

    @Test func `a write that fails leaves nothing beside the file`() throws {
        let file = StateFile("session", in: directory)
        // Nothing can be moved onto a directory that holds something.
        try FileManager.default.createDirectory(atPath: file.path + "/inside", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        #expect(throws: NSError.self) { try file.write(Data("token".utf8)) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["menagerie.session"])
    }
}
#endif

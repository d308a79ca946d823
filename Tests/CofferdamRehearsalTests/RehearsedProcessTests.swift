import CofferdamUpgrade
import Foundation
import Testing
import TestSupport

@testable import CofferdamRehearsal

struct RehearsedProcessTests {
    @Test func `a call left behind by a process does not end a call of the next one`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "process-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { removeFolder(directory.path) }
        let call = CandidateCall(isUnitsOnlyCall: true)
        let process = RehearsedProcess(in: directory.path)
        _ = try process.begin(at: 0)
        let first = try #require(process.calls)
        first.began(call)
        #expect(process.inFlight == 1)
        process.end()
        #expect(process.calls == nil)

        #expect(try process.begin(at: 1_000).crash?.calls == 1)
        try #require(process.calls).began(call)
        // Too late: the call's process has ended.
        first.ended(call)
        #expect(process.inFlight == 1)
        process.end()
        #expect(try process.begin(at: 2_000).crash?.calls == 1)
    }
}

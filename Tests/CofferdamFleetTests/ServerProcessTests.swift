#if Fleet
import Foundation
import Testing
import UpgradeTestSupport

@Suite(.timeLimit(.minutes(1))) struct ServerProcessTests {
    #if os(Linux)
    /// The threads that tests run on block all signals.
    @Test func `a program that a test starts has no signal blocked`() async throws {
        let folder = try TemporaryFolder()
        let log = folder.path + "/log"
        let server = try await ServerProcess("/bin/cat", ["/proc/self/status"], log: log)
        var mask: String?
        try await eventually("cat shows its status") {
            mask = try String(contentsOfFile: log, encoding: .utf8).firstMatch(of: /SigBlk:\t(.*)\n/).map {
                String($0.1)
            }
            return mask != nil
        }
        #expect(mask == "0000000000000000")
        try await server.end()
    }
    #endif
}
#endif

#if Sandbox
package import MenagerieService

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A service in the tests' process, and a directory for its users' sessions.
package struct ServiceFixture: Sendable {
    package let service: RunningService
    package let state: String

    /// `--service` and `--state`.
    package var options: [String] { ["--service", service.url, "--state", state] }

    /// Runs the body, then stops the service and removes the directory, even if the body throws.
    package static func with(_ body: (ServiceFixture) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "command-tests-\(UUID().uuidString)")
        let fixture = ServiceFixture(service: try await startService(), state: directory.path)
        do {
            try await body(fixture)
        } catch {
            await fixture.end()
            throw error
        }
        await fixture.end()
    }

    /// Signs a user in, for the commands that follow.
    package func signIn(_ user: String = "amara") async throws -> Finished {
        try await BuiltCommand.sanctuary.run(["account", "sign-in", user] + options, input: "sandbox\n")
    }

    private func end() async {
        await service.stop()
        // Does not exist if no command was run.
        if FileManager.default.fileExists(atPath: state) {
            do { try FileManager.default.removeItem(atPath: state) } catch {}
        }
    }
}
#endif

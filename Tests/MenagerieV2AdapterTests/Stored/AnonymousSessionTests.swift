#if Sandbox
import Cofferdam
import Foundation
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

/// The vendor creates an anonymous session when it is called before it is configured, and stores it over a real one.
/// The vendor is not called here.
@Suite(.timeLimit(.minutes(5))) struct AnonymousSessionTests {
    private let nowhere = "http://127.0.0.1:1"

    @Test(arguments: Handling.allCases)
    func `D27: a call before the session is read waits for it, and the session stays`(_ handling: Handling)
        async throws
    {
        try await with(.v2) { installation in
            let answers = Answers()
            // While another instance is being opened, there is none.
            let asked = try await LegacyArchive(directory: temporaryDirectory()).hidden {
                let asked = Task {
                    let found = try await user(handling, installation.directory)
                    answers.count.withLock { $0 += 1 }
                    return found
                }
                if handling == .naive { _ = await asked.result }
                for _ in 0..<100 { await Task.yield() }
                #expect(answers.count.withLock { $0 } == (handling == .naive ? 1 : 0))
                return asked
            }
            let answer = try await asked.value
            let kept = try await SessionStore(directory: installation.directory).load()?.account.id
            _ = try handling.refuses(answer == "amara" && kept == "amara")
        }
    }

    @Test(arguments: Handling.allCases)
    func `D27: of two instances at once none takes the session from the other`(_ handling: Handling) async throws {
        try await with(.v2) { installation in
            async let one = user(handling, installation.directory)
            async let other = user(handling, installation.directory)
            let users = try await [one, other]
            let next = try await installation.withV2(at: nowhere) { try await $0.accounts.state().userID }
            _ = try handling.refuses(users == ["amara", "amara"] && next == "amara")
        }
    }

    @Test(arguments: [StoredBy.v19, .v2])
    func `D27: an anonymous session has no user, and does not hide one of V1`(stored: StoredBy) async throws {
        try await with(stored) { installation in
            _ = try await NaiveSession(url: nowhere, directory: installation.directory).user()
            let state = try await installation.withV2(at: nowhere) { try await $0.accounts.state() }
            #expect(state.userID == (stored == .v19 ? "amara" : nil))
            #expect(stored == .v19 || state == .signedOut)
        }
    }

    @Test func `D27: an instance that is open keeps its user, whatever the SDK beside it has stored`() async throws {
        try await with(.v2) { installation in
            try await installation.withV2(at: nowhere) { services in
                _ = try await NaiveSession(url: nowhere, directory: installation.directory).user()
                let state = try await services.accounts.state()
                #expect(state.userID == "amara")
            }
        }
    }

    /// The user signed in, in a new instance.
    private func user(_ handling: Handling, _ directory: String) async throws -> String? {
        if handling == .naive { return try await NaiveSession(url: nowhere, directory: directory).user() }
        let configuration = MenagerieV2Configuration(serviceURL: nowhere, key: "test", directory: directory)
        let services = try await openMenagerieV2(configuration)
        let state = try await services.accounts.state()
        await services.close()
        return state.userID
    }

    private func with(_ stored: StoredBy, _ body: (Installation) async throws -> Void) async throws {
        let installation = try Installation(stored)
        defer { installation.remove() }
        try await body(installation)
    }
}

/// Reads the session as from V1's `shared`, and configures afterwards.
private struct NaiveSession {
    let url: String
    let directory: String

    func user() async throws -> String? {
        let options = MenagerieOptions(
            serviceURL: url,
            apiKey: "naive",
            directory: directory,
            lifecycleTelemetry: false
        )
        let client = MenagerieClient(options: options)
        _ = try await client.currentSession()
        // Nothing is left to migrate, so the vendor is not called.
        try await client.configure()
        let user = await client.user
        await client.shutdown()
        return user?.id
    }
}

private final class Answers: Sendable {
    let count = Mutex(0)
}
#endif

#if Sandbox
import Cofferdam
import Foundation
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite final class CredentialsTests {
    private let directory = temporaryDirectory()

    deinit {
        // Missing if the test stored nothing.
        do { try FileManager.default.removeItem(atPath: directory) } catch {}
    }

    @Test("D16, AUTH-02: 100 parallel calls with an expired token refresh it once")
    func oneRefresh() async throws {
        let server = TokenServer(waitingFor: 100)
        let credentials = try await credentials(server)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await credentials.use(isExpired: Connection.isExpired) { try await server.call($0) }
                }
            }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: "access-2", count: 100))
        #expect(await server.refreshes == ["refresh-1"])
    }

    @Test("D16: the new pair is stored before it is used")
    func stored() async throws {
        let server = TokenServer(waitingFor: 1)
        let store = SessionStore(directory: directory)
        let credentials = try await credentials(server, store: store)
        let found = try await credentials.use(isExpired: Connection.isExpired) { session in
            _ = try await server.call(session)
            return try await store.load()
        }
        #expect(found?.refreshToken == "refresh-2")
        #expect(try await SessionStore(directory: "/nowhere/at/all").load() == nil)
        try await credentials.set(nil)
        #expect(try await store.load() == nil)
    }

    @Test("D16: a reused refresh token ends the session, and it is forgotten")
    func reused() async throws {
        let reply = ServerReply(status: 401, code: "token_reused")
        let server = TokenServer(waitingFor: 1, refusal: .unauthenticated(.tokenReused, reply))
        let store = SessionStore(directory: directory)
        let credentials = try await credentials(server, store: store)
        await #expect(throws: MenagerieError.self) {
            try await credentials.use(isExpired: Connection.isExpired) { try await server.call($0) }
        }
        let error = await #expect(throws: SanctuaryError.self) {
            try await credentials.use(isExpired: Connection.isExpired) { try await server.call($0) }
        }
        #expect(error?.code == .authenticationRequired)
        #expect(try await store.load() == nil)
        #expect(await server.refreshes.count == 1)
    }

    @Test("D16: a refresh that did not get through keeps the session")
    func offline() async throws {
        let server = TokenServer(waitingFor: 1, refusal: .transport(.init(.offline, message: "")))
        let credentials = try await credentials(server)
        await #expect(throws: MenagerieError.self) {
            try await credentials.use(isExpired: Connection.isExpired) { try await server.call($0) }
        }
        #expect(await credentials.current?.refreshToken == "refresh-1")
    }

    @Test("An unreadable session is an error that names the file, not a signed-out user")
    func unreadable() async throws {
        let store = SessionStore(directory: directory)
        try await store.save(session(1))
        try Data("{".utf8).write(to: URL(fileURLWithPath: store.path))
        await #expect(throws: MenagerieError.storage(path: store.path, message: "unexpected content: not JSON")) {
            try await store.load()
        }
        #expect(try FileManager.default.attributesOfItem(atPath: store.path)[.size] as? Int == 1)
    }

    private func credentials(
        _ server: TokenServer,
        store: SessionStore? = nil
    ) async throws -> CredentialSource<MenagerieV2.Session> {
        let store = store ?? SessionStore(directory: directory)
        let credentials = CredentialSource<MenagerieV2.Session>.menagerieV2(
            nil,
            deadline: .seconds(60),
            clock: ContinuousClock(),
            executor: nil,
            refresh: { try await server.refresh($0.refreshToken) },
            store: store
        )
        try await credentials.set(session(1))
        return credentials
    }
}

/// Accepts only the second access token, and rejects the first one after that many calls have used it.
private actor TokenServer {
    private(set) var refreshes: [String] = []
    private var arrived = 0
    private let expected: Int
    private let allArrived = Latch()
    private let refusal: MenagerieError?

    init(waitingFor expected: Int, refusal: MenagerieError? = nil) {
        self.expected = expected
        self.refusal = refusal
    }

    func call(_ session: MenagerieV2.Session) async throws -> String {
        guard session.accessToken != "access-2" else { return session.accessToken }
        arrived += 1
        if arrived == expected { allArrived.open() }
        try await allArrived.wait()
        throw MenagerieError.unauthenticated(.tokenExpired, .init(status: 401))
    }

    func refresh(_ token: String) throws -> TokenGrant {
        refreshes.append(token)
        if let refusal { throw refusal }
        let next = session(refreshes.count + 1)
        return TokenGrant(
            accessToken: next.accessToken,
            refreshToken: next.refreshToken,
            expiresIn: 900,
            account: next.account
        )
    }
}

private func session(_ number: Int) -> MenagerieV2.Session {
    MenagerieV2.Session(
        accessToken: "access-\(number)",
        refreshToken: "refresh-\(number)",
        account: .init(id: "amara", displayName: "Amara", currency: "EUR")
    )
}

/// A directory that is removed when the tests end, if something is there then.
func temporaryDirectory() -> String { "\(allDirectories)/\(UUID().uuidString)" }

private let allDirectories: String = {
    atexit { try? FileManager.default.removeItem(atPath: allDirectories) }
    return FileManager.default.temporaryDirectory.appendingPathComponent("menagerie-v2-\(UUID().uuidString)").path
}()
#endif

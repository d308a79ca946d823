#if CommandLine && (os(macOS) || os(Linux))
import Cofferdam
import CofferdamSides
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport

/// A router whose openers open sides: late, once, and with the usual stages.
@Suite struct SideRouterTests {
    private let control = StageControl()
    private let opened = Log<String>()

    private static let text = PortOperation<Text, String, String>("text", .read) { port, input in port(input) }

    /// The sides are copies, because a side counts its ports, and stays in the process.
    private func router(_ test: String) async throws -> Router<Text> {
        let fixtures = try await SideFixtures.all()
        func opener(_ name: String) throws -> @Sendable () async throws -> Text {
            let path = fixtures.path("\(test)-\(name)")
            try FileManager.default.copyItem(atPath: fixtures.path(name), toPath: path)
            return { [opened] in
                opened.add(name)
                return try SideLibrary.open(path, ports: "text").port(as: Text.self)
            }
        }
        return Router(legacy: try opener("libTextV1.so"), candidate: try opener("libTextV2.so"))
    }

    private func session() throws -> UnitSession {
        UnitSession(unit: "amara", control: control, bucketing: try Bucketing(salt: "text"))
    }

    private func call(_ router: Router<Text>, _ session: UnitSession) async throws -> String {
        let settings = RouteSettings(capability: "text", failures: ErrorClassifier(meaning: { _ in .failed }))
        return try await router.route(for: session, settings: settings) { $0 }.call(Self.text, "a")
    }

    @Test func `a side is opened with the first call that needs it, once`() async throws {
        let router = try await router("once")
        #expect(opened.entries == [])
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await self.call(router, try self.session()) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(answers == ["V1 port 1: a"])
        #expect(opened.entries == ["libTextV1.so"])
    }

    @Test func `a promotion, a kill and a rollback take effect for a session that is open`() async throws {
        let router = try await router("stages")
        let session = try session()
        #expect(try await call(router, session) == "V1 port 1: a")

        try control.move(to: .candidateWithFallback)
        #expect(session.cutOver())
        #expect(try await call(router, session) == "V2 port 1: a")

        control.kill(KillSwitch(.legacy, by: "amara", reason: "the new text looks wrong"))
        #expect(try await call(router, session) == "V1 port 1: a")
        control.kill(nil)
        #expect(try await call(router, session) == "V1 port 1: a")
        try control.move(to: .candidateOnly)
        #expect(session.cutOver())
        #expect(try await call(router, session) == "V2 port 1: a")

        try control.move(to: .legacyOnly)
        #expect(try await call(router, session) == "V1 port 1: a")
        try control.move(to: .candidateOnly)
        #expect(session.cutOver())
        #expect(try await call(router, session) == "V2 port 1: a")
        #expect(opened.entries == ["libTextV1.so", "libTextV2.so"])
    }

    @Test func `a side that is refused leaves users with the other, and is tried again`() async throws {
        let fixtures = try await SideFixtures.all()
        let legacy = fixtures.path("refused-libTextV1.so")
        try FileManager.default.copyItem(atPath: fixtures.path("libTextV1.so"), toPath: legacy)
        let candidate = fixtures.path("refused-libTextV2.so")
        let router = Router<Text>(
            legacy: { try SideLibrary.open(legacy, ports: "text").port(as: Text.self) },
            candidate: { try SideLibrary.open(candidate, ports: "text").port(as: Text.self) }
        )
        try control.move(to: .candidateOnly)
        await #expect(throws: SideLibraryError(path: candidate, reason: .missing)) {
            try await call(router, try session())
        }

        try control.move(to: .candidateWithFallback)
        #expect(try await call(router, try session()) == "V1 port 1: a")

        try FileManager.default.copyItem(atPath: fixtures.path("libTextV2.so"), toPath: candidate)
        #expect(try await call(router, try session()) == "V2 port 1: a")
    }
}
#endif

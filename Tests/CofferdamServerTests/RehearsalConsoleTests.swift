#if Server
import CofferdamCurl
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamRehearsal
@testable import CofferdamServer

@Suite("The console of a rehearsal", .timeLimit(.minutes(1))) struct RehearsalConsoleTests {
    private static func rehearsal() throws -> OngoingRehearsal {
        OngoingRehearsal(
            scenario: "good",
            capability: "orders",
            plan: try UpgradePlan.named(.small),
            store: MemoryUpgradeStore(),
            recorder: EvidenceRecorder(),
            now: { 1_800_000_000_000 }
        )
    }

    private static func withPlace(_ body: (URL) async throws -> Void) async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID())")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { removeFolder(place.path) }
        try await body(place)
    }

    @Test func `it shows the rehearsal to who has its token, and leaves nothing when it is closed`() async throws {
        try await Self.withPlace { place in
            let page = try await RehearsalConsole.Page.controlPlane(Self.rehearsal(), port: 0, in: place)
            let url = try #require(page.notes.first?.split(separator: " ").last)
            let token = try #require(page.notes.dropFirst().first?.split(separator: " ").last)
            let status = String(url) + "v1/capabilities/orders"
            var request = try HTTPRequest(.get, url: status)
            #expect(try await CurlClient().send(request).head.status == .unauthorized)
            request.headerFields[.authorization] = "Bearer \(token)"
            let shown = try await CurlClient().send(request)
            #expect(String(decoding: Array(shown.body), as: UTF8.self).contains("rehearsal of good"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).count == 1)

            await page.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
            await #expect(throws: CurlError.self) { try await CurlClient().send(request) }
        }
    }

    @Test func `a page that cannot start leaves nothing`() async throws {
        try await Self.withPlace { place in
            let first = try await RehearsalConsole.Page.controlPlane(Self.rehearsal(), port: 0, in: place)
            let port = try #require(first.notes.first?.split { !$0.isNumber }.last.flatMap { Int($0) })
            await #expect(throws: (any Error).self) {
                try await RehearsalConsole.Page.controlPlane(Self.rehearsal(), port: port, in: place)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).count == 1)
            await first.close()
        }
    }
}
#endif

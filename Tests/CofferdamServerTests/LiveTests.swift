#if Server
import Cofferdam
import CofferdamCurl
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
@testable import CofferdamServer

@Suite("Open pages are notified of changes") struct LiveTests {
    private struct Change: Decodable, Equatable {
        var capability: String
        var what: String
    }

    @Test func `a change of the stage comes at once, evidence at most once a second`() async throws {
        try await TestServer.with { server in
            let stream = try await server.live()
            #expect(stream.head.headerFields[.contentType] == "text/event-stream; charset=utf-8")
            let evidence = Change(capability: "orders", what: "evidence")
            let stage = Change(capability: "orders", what: "stage")
            var changes: [Change] = []
            for try await line in stream.body.lines() {
                let line = String(decoding: line, as: UTF8.self)
                guard line.hasPrefix("data: ") else { continue }
                changes.append(try JSONDecoder().decode(Change.self, from: Data(line.dropFirst(6).utf8)))
                switch changes.count {
                case 1: try await server.report([Reports.baseline(0..<1)])
                case 2:
                    // Until the clock advances, only the stage is reported, and not these.
                    await server.clock.waitForSleeper(until: .seconds(1))
                    for number in 1..<4 { try await server.report([Reports.baseline(number..<number + 1)]) }
                    try await server.order("kill", #""reason": "test", "target": "freeze""#)
                case 3: server.clock.advance(by: .seconds(1))
                default: await server.stop()
                }
            }
            #expect(changes == [stage, evidence, stage, evidence], "and it ends when the server stops")
        }
    }

    @Test func `evidence of several capabilities is one signal, with each of them once`() async throws {
        let live = LiveUpdates()
        let changes = try #require(live.changes())
        for name in ["orders", "search", "orders"] { live.evidenceChanged(of: name) }
        var signals = changes.signals.makeAsyncIterator()
        #expect(await signals.next() != nil)
        #expect(changes.take() == ["orders", "search"])
        #expect(changes.take().isEmpty)
        live.evidenceChanged(of: "search")
        #expect(await signals.next() != nil)
        #expect(changes.take() == ["search"])
    }

    @Test func `no more pages than the limit are open`() throws {
        let live = LiveUpdates()
        var open = (0..<LiveUpdates.maxPages).compactMap { _ in live.changes() }
        #expect(open.count == LiveUpdates.maxPages)
        #expect(live.changes() == nil)
        open.removeLast()
        #expect(live.changes() != nil, "a page that was closed makes room")
    }
}
#endif

#if Server
import Cofferdam
import CofferdamCurl
import CofferdamDevice
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamServer

@Suite("The stage, as devices read it") struct StageTests {
    @Test func `a device that polls has a stage when it waits for the next one, and a page is no device`() throws {
        let hub = StageHub(limit: 9)
        func publish(_ revision: Int64, epoch: Int? = nil) {
            var state = UpgradeState(capability: "orders", since: 0)
            state.epoch = epoch ?? Int(revision)
            hub.publish(ServedStage(StoredUpgrade(state: state, revision: revision), of: "orders"))
        }
        func connected(isRecent: Bool = true) -> ConnectedDevices { hub.connected(of: "orders", isRecent: isRecent) }
        publish(1)
        var poll = hub.stages(of: "orders")
        let others = [hub.stages(of: "orders", for: .stream), hub.stages(of: "orders", for: .page)]
        #expect(connected() == ConnectedDevices(have: 2, all: 2))
        publish(2)
        #expect(connected() == ConnectedDevices(have: 1, all: 2))
        poll = nil
        #expect(connected() == ConnectedDevices(have: 1, all: 2))
        #expect(connected(isRecent: false) == ConnectedDevices(have: 1, all: 1))
        poll = hub.stages(of: "orders")
        #expect(connected() == ConnectedDevices(have: 2, all: 2))
        // Two changes in a row: the poll that was sent the first has not ended, and its device is back.
        publish(3)
        let back = hub.stages(of: "orders")
        publish(4)
        #expect(connected() == ConnectedDevices(have: 1, all: 2))
        // The same, now that it is stored: the device that is not back yet is still missing.
        publish(5, epoch: 4)
        #expect(connected() == ConnectedDevices(have: 1, all: 2))
        let again = hub.stages(of: "orders")
        #expect(connected() == ConnectedDevices(have: 2, all: 2))
        withExtendedLifetime((poll, others, back, again)) {}
    }

    private static let path = "/v1/capabilities/orders/stage"

    private struct Stage: Decodable, Equatable {
        var stage: String
        var epoch: Int
        var revision: Int
        var kill: String?
    }

    @Test func `before the first step it is legacyOnly`() async throws {
        try await TestServer.with { server in
            let answer = try await server.get(Self.path, as: .device)
            #expect(answer.status == 200)
            #expect(try answer.json(Stage.self) == Stage(stage: "legacyOnly", epoch: 0, revision: 0))
            #expect(answer.headers[.contentType] == "application/json")
        }
    }

    @Test func `a known stage is not sent again`() async throws {
        try await TestServer.with { server in
            let first = try await server.get(Self.path, as: .device)
            let tag = try #require(first.headers[.eTag])
            let same = try await server.get(Self.path, as: .device, headers: [.ifNoneMatch: tag])
            #expect(same.status == 304)
            #expect(same.text.isEmpty)
            try await server.order("advance")
            let next = try await server.get(Self.path, as: .device, headers: [.ifNoneMatch: tag])
            #expect(next.status == 200)
            #expect(try next.json(Stage.self) == Stage(stage: "shadow(10000)", epoch: 1, revision: 1))
            #expect(next.headers[.eTag] != tag)
        }
    }

    @Test func `a long poll answers when the kill switch is set`() async throws {
        try await TestServer.with { server in
            let tag = try #require(try await server.get(Self.path, as: .device).headers[.eTag])
            async let poll = server.get(Self.path + "?wait=59", as: .device, headers: [.ifNoneMatch: tag])
            let hub = try server.plane.parts.hub
            await server.clock.waitForSleeper(until: .seconds(59))
            try await server.order("kill", #""reason": "orders fail", "target": "legacy""#)
            let answer = try await poll
            #expect(answer.status == 200)
            #expect(try answer.json(Stage.self).kill == "legacy")
            #expect(!answer.text.contains("orders fail"), "people's words stay on the server")
            await until { hub.subscriberCount == 0 }
        }
    }

    @Test func `a long poll ends after its wait, and when the server stops`() async throws {
        try await TestServer.with { server in
            let tag = try #require(try await server.get(Self.path, as: .device).headers[.eTag])
            async let first = server.get(Self.path + "?wait=7", as: .device, headers: [.ifNoneMatch: tag])
            await server.clock.waitForSleeper(until: .seconds(7))
            server.clock.advance(by: .seconds(7))
            #expect(try await first.status == 304)
            async let second = server.get(Self.path + "?wait=59", as: .device, headers: [.ifNoneMatch: tag])
            await server.clock.waitForSleeper(until: .seconds(66))
            await server.stop()
            #expect(try await second.status == 304)
        }
    }

    @Test(arguments: ["61", "-1", "soon", ""]) func `an invalid wait is refused`(_ wait: String) async throws {
        try await TestServer.with { server in
            let answer = try await server.get(
                Self.path + "?wait=\(wait)",
                as: .device,
                headers: [.ifNoneMatch: "\"0-\""]
            )
            #expect(answer.status == 400)
            #expect(answer.message == "wait must be 0 to 60 seconds")
        }
    }

    @Test func `an unknown capability is not found`() async throws {
        try await TestServer.with { server in
            let answer = try await server.get("/v1/capabilities/payments/stage", as: .device)
            #expect(answer.status == 404)
            #expect(answer.code == "unknownCapability")
        }
    }

    @Test func `an event stream brings the stage and each change`() async throws {
        try await TestServer.with { server in
            let headers: HTTPFields = [
                .accept: "text/event-stream",
                .authorization: "Bearer \(try #require(TestServer.tokens[.device]))",
            ]
            let url = try server.plane.url + Self.path
            let stream = try await server.client.stream(try HTTPRequest(.get, url: url, headerFields: headers))
            #expect(stream.head.status == .ok)
            #expect(stream.head.headerFields[.contentType] == "text/event-stream; charset=utf-8")
            var stages: [String] = []
            for try await line in stream.body.lines() {
                let line = String(decoding: line, as: UTF8.self)
                guard line.hasPrefix("data: ") else { continue }
                stages.append(try JSONDecoder().decode(Stage.self, from: Data(line.dropFirst(6).utf8)).stage)
                if stages.count == 1 { try await server.order("advance") } else { await server.stop() }
            }
            #expect(stages == ["legacyOnly", "shadow(10000)"], "and it ends when the server stops")
        }
    }

    @Test func `no more than the limit may wait`() async throws {
        try await TestServer.with({ $0.maxSubscribers = 1 }) { server in
            let tag = try #require(try await server.get(Self.path, as: .device).headers[.eTag])
            async let first = server.get(Self.path + "?wait=59", as: .device, headers: [.ifNoneMatch: tag])
            await server.clock.waitForSleeper(until: .seconds(59))
            let second = try await server.get(Self.path + "?wait=59", as: .device, headers: [.ifNoneMatch: tag])
            #expect(second.status == 503)
            try await server.order("advance")
            #expect(try await first.status == 200)
        }
    }
}
#endif

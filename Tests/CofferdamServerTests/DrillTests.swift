#if Server
import CofferdamCurl
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamRehearsal
@testable import CofferdamServer

@Suite("A drill", .timeLimit(.minutes(1))) struct DrillTests {
    private let clock = TestClock()
    private let steps = Shared<[Told]>([])

    private struct Told: Hashable {
        var step: Drill.Step
        var at: Duration
    }

    private func with(_ limit: Duration, _ body: (Drill) async throws -> Void) async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "drill-\(UUID())")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { removeFolder(place.path) }
        var setting = Drill.Setting("orders", costOfGoingBack: "Users of V2 are signed out.")
        (setting.devices, setting.limit) = (5, limit)
        let drill = try await Drill.controlPlane(setting, in: place, clock: clock)
        let result: Result<Void, any Error>
        do { result = .success(try await body(drill)) } catch { result = .failure(error) }
        await drill.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
        try result.get()
    }

    private func follow(_ drill: Drill) -> Task<Bool, any Error> {
        let steps = steps
        return Task { try await drill.follow { step, time in steps.change { $0.append(Told(step: step, at: time)) } } }
    }

    /// Sends what a person's tool or browser does.
    private func send(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, to drill: Drill) async throws
        -> String
    {
        let token = try String(contentsOfFile: drill.tokenFile, encoding: .utf8)
        var request = try HTTPRequest(method, url: drill.address + path)
        request.headerFields[.authorization] = "Bearer \(token)"
        if body != nil { request.headerFields[.contentType] = "application/json" }
        let reply = try await CurlClient().send(request, body: body.map { .bytes(Array($0.utf8)) } ?? .empty)
        #expect(reply.head.status == .ok)
        return String(decoding: Array(reply.body), as: UTF8.self)
    }

    @Test func `a person is timed from the alert until the last device is stopped`() async throws {
        try await with(.seconds(1_000_000)) { drill in
            #expect(drill.alert == "orders: 1 device has switched `place` from V2 to V1, because it fails")
            let drilled = follow(drill)
            await clock.waitForSleepers()
            clock.advance(by: .seconds(30))
            await clock.waitForSleepers()
            #expect(steps.current == [])
            let page = try await send(.get, "/capabilities/orders", to: drill)
            #expect(page.contains("3 of 24 had a failure on V2 (13 %); on V1 1 of 96 (1.0 %)"))
            #expect(page.contains("Users of V2 are signed out."))
            clock.advance(by: .seconds(10))
            await clock.waitForSleepers()
            #expect(steps.current == [Told(step: .looked, at: .seconds(40))])
            let stop = #"{"reason": "a drill", "target": "legacy"}"#
            _ = try await send(.post, "/v1/capabilities/orders/kill", stop, to: drill)
            clock.advance(by: .seconds(5))
            await until { steps.current.count > 1 }
            #expect(steps.current[1] == Told(step: .stopped("stopped: all on V1"), at: .seconds(45)))
            await until {
                clock.advance(by: .milliseconds(50))
                return steps.current.last?.step == .confirmed(5)
            }
            #expect(try await drilled.value)
        }
    }

    @Test func `a drill in which V2 is only held ends by its limit, and the gate does not act`() async throws {
        try await with(.seconds(60)) { drill in
            let drilled = follow(drill)
            await clock.waitForSleepers()
            let hold = #"{"reason": "a drill", "target": "freeze"}"#
            _ = try await send(.post, "/v1/capabilities/orders/kill", hold, to: drill)
            clock.advance(by: .seconds(59))
            await clock.waitForSleepers()
            #expect(steps.current == [])
            clock.advance(by: .seconds(1))
            #expect(try await drilled.value == false)
            let status = try await send(.get, "/v1/capabilities/orders", to: drill)
            #expect(status.contains(#""verdict":"hold""#) && status.contains(#""stage":"canary(2000)""#), "\(status)")
        }
    }
}
#endif

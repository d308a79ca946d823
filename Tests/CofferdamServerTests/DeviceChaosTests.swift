#if Server
import Cofferdam
import CofferdamSupport
import CofferdamDevice
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
@testable import CofferdamServer

/// Runs random programs of devices against a model of the server's stage and of the units it must have counted.
@Suite("Devices with wrong clocks, offline for days, restarted and reinstalled", .timeLimit(.minutes(5)))
struct DeviceChaosTests {
    private static let stages: [Stage] = [.canary(share: 2000), .candidateWithFallback]

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `no unit counts twice, none is lost, and no stage appears that nobody ordered`(_ seed: UInt64) async throws {
        try await TestServer.with { server in
            for _ in 0..<2 { try await server.order("advance") }
            var world = World(server: server, dice: SplitMix64(seed: seed))
            for number in 0..<4 { world.phones.append(try await Phone(number, of: server, &world.dice)) }
            for step in 0..<120 {
                try await world.step()
                if step % 10 == 9 { try await world.check("seed \(seed), step \(step)") }
            }
            // In the end, all devices are online.
            for place in world.phones.indices { try await world.deliver(place) }
            try await world.check("seed \(seed), at the end")
            #expect(world.delivered.count > 0, "seed \(seed) has counted something")
        }
    }

    /// An installation of the app.
    private struct Phone {
        let file: String
        /// The error of its clock, in milliseconds.
        let error: Int64
        /// The time by its own clock, in milliseconds since 1970.
        let time: Shared<Int64>
        var device: Device
        /// The units of its epoch that the server may not have, and whether one of their calls failed.
        var pending: [String: Bool] = [:]

        init(_ number: Int, of server: TestServer, _ dice: inout SplitMix64) async throws {
            file = server.folder + "/phone\(number).json"
            error = [0, -820_000_000_000, 2_300_000_000_000, -3_600_000].randomElement(using: &dice) ?? 0
            time = Shared(1_800_000_000_000 + error)
            device = try Device(at: try server.plane.url, file: file) { [time] in time.current }
            await device.engine.start()
        }
    }

    private struct World {
        let server: TestServer
        var dice: SplitMix64
        var phones: [Phone] = []
        var stage = DeviceChaosTests.stages[0]
        var epoch = 2
        /// The units of this epoch that the server has: whether one of their calls failed, and whether all did.
        var delivered: [String: (any: Bool, all: Bool)] = [:]
        var orders = 2

        mutating func step() async throws {
            let place = Int.random(in: phones.indices, using: &dice)
            switch Int.random(in: 0..<100, using: &dice) {
            case 0..<45: try await call(place)
            case 45..<65: try await deliver(place)
            case 65..<73: try await deliver(place, losingTheAnswer: true)
            case 73..<80: try await restart(place)
            case 80..<85: try await installAgain(place)
            case 85..<91: stayAway(place)
            case 91..<95: try await restartServer()
            case 95..<98: await refresh(place)
            default: try await move()
            }
        }

        private mutating func call(_ place: Int) async throws {
            let unit = "unit \(Int.random(in: 0..<12, using: &dice))"
            let fails = Bool.random(using: &dice)
            let routed = phones[place].device.call(unit, fails ? .failed(.failed, kind: "x") : .answered)
            await phones[place].device.engine.save()
            // A device that was offline for long is at legacyOnly, and counts nothing there.
            guard routed.epoch == epoch, routed.stage == stage else { return }
            phones[place].pending[unit] = (phones[place].pending[unit] ?? false) || fails
        }

        mutating func deliver(_ place: Int, losingTheAnswer: Bool = false) async throws {
            let file = try? Data(contentsOf: URL(filePath: phones[place].file))
            try await phones[place].device.evidence.deliver()
            let isCurrent = phones[place].device.control.state.epoch == epoch
            for (unit, fails) in phones[place].pending where isCurrent {
                let before = delivered[unit]
                delivered[unit] = ((before?.any ?? false) || fails, before?.all ?? true && fails)
            }
            guard losingTheAnswer, let file else {
                phones[place].pending = [:]
                return
            }
            // As if the app had ended before it noted the answer: it posts everything again.
            try file.write(to: URL(filePath: phones[place].file))
            try await open(place)
        }

        private mutating func restart(_ place: Int) async throws { try await open(place) }

        /// Removes the installation's counts; its users stay.
        private mutating func installAgain(_ place: Int) async throws {
            try? FileManager.default.removeItem(atPath: phones[place].file)
            phones[place].pending = [:]
            try await open(place)
        }

        private mutating func open(_ place: Int) async throws {
            let time = phones[place].time
            let before = phones[place].device.control.state.epoch
            phones[place].device = try Device(at: try server.plane.url, file: phones[place].file) { time.current }
            await phones[place].device.engine.start()
            if phones[place].device.control.state.epoch != before { phones[place].pending = [:] }
        }

        /// Spends hours or days offline: windows end, and the clock may be set back in the meantime.
        private mutating func stayAway(_ place: Int) {
            let seconds = Int64.random(in: 60...400_000, using: &dice)
            phones[place].device.clock.advance(by: .seconds(seconds))
            let wrong = Bool.random(using: &dice) ? seconds : -seconds
            phones[place].time.change { $0 += wrong * 1_000 }
        }

        private func restartServer() async throws {
            await server.stop()
            try await server.start()
        }

        private mutating func refresh(_ place: Int) async {
            let before = phones[place].device.control.state.epoch
            await phones[place].device.engine.refresh()
            if phones[place].device.control.state.epoch != before { phones[place].pending = [:] }
        }

        /// Moves one step up or back, by a person's order.
        private mutating func move() async throws {
            let isUp = stage == DeviceChaosTests.stages[0]
            let answer =
                isUp
                ? try await server.order("advance")
                : try await server.order("rollback", #""reason": "a test", "to": "canary(2000)""#)
            #expect(answer.status == 200, "\(answer.text)")
            stage = DeviceChaosTests.stages[isUp ? 1 : 0]
            (epoch, orders, delivered) = (epoch + 1, orders + 1, [:])
            for place in phones.indices { phones[place].pending = [:] }
        }

        func check(_ place: String) async throws {
            let state = try #require(try await server.plane.parts.upgrades["orders"]?.status().state)
            #expect(state.stage == stage, "\(place)")
            #expect(state.epoch == epoch, "\(place)")
            let counts = try await server.reading().metrics[Metric.candidateFailures.includingOpenWindows]
            #expect(counts?.total ?? 0 == delivered.count, "\(place)")
            let failures = counts?.failures ?? 0
            #expect(failures <= delivered.values.count(where: \.any), "\(place)")
            #expect(failures >= delivered.values.count(where: \.all), "\(place)")
            let store = try #require(try server.plane.parts.upgrades["orders"]).store
            let log = try await store.history(of: "orders", last: 1_000)
            #expect(log.count == orders, "\(place)")
            #expect(log.allSatisfy { $0.request.by == "operator" }, "\(place)")
        }
    }
}
#endif

import Cofferdam
import CofferdamDevice
import CofferdamTesting
import Foundation
import TestSupport
import Testing

@testable import CofferdamUpgrade

@Suite("The life of an app", .timeLimit(.minutes(2))) struct AppLifeTests {
    /// An app in the foreground, at `candidateOnly`.
    private static func withPhone(_ body: (ScriptedServer, Phone) async throws -> Void) async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.move(to: .candidateOnly)
            try await Phone.use(server.server, directory) { phone in
                try await phone.launch()
                #expect(try await phone.call() == "candidate")
                try await body(server, phone)
            }
        }
    }

    @Test func `a kill reaches an app that wakes, before its first call`() async throws {
        try await Self.withPhone { server, phone in
            // More than the first calls, which are timed.
            for _ in 0..<20 { _ = try await phone.call() }
            await phone.device.pause().value
            server.kill()
            #expect(try await phone.call() == "candidate", "in the background, nothing is polled")
            phone.device.resume()
            #expect(try await phone.call() == "legacy")
        }
    }

    @Test func `a call waits for the poll as long as the patience, and then follows what is known`() async throws {
        try await Self.withPhone { server, phone in
            await phone.device.pause().value
            server.set(.silent)
            let polled = phone.device.resume()
            let call = Task { try await phone.call() }
            await phone.clock.waitForSleeper(until: .seconds(2))
            #expect(phone.control.isHeld)
            phone.clock.advance(by: .seconds(2))
            let side = try await call.value
            #expect(side == "candidate")
            await polled.value
            #expect(!phone.control.isHeld)
            // From here on it knows.
            server.set(.up)
            server.kill()
            await until { phone.control.state.kill != nil }
            #expect(try await phone.call() == "legacy")
        }
    }

    @Test func `a call that is cancelled does not wait for the poll`() async throws {
        try await Self.withPhone { server, phone in
            await phone.device.pause().value
            server.set(.silent)
            phone.device.resume()
            let call = Task { try await phone.call() }
            await phone.clock.waitForSleeper(until: .seconds(2))
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    @Test func `the watch follows each change in the foreground, and ends in the background`() async throws {
        try await Self.withPhone { server, phone in
            await until { server.polls == 1 }
            server.move(to: .candidateWithFallback)
            await until { phone.control.state.stage == .candidateWithFallback }
            await phone.device.pause().value
            await until { server.polls == 0 }
            let reads = server.reads
            server.move(to: .candidateOnly)
            phone.clock.advance(by: .seconds(600))
            #expect(server.reads == reads)
            #expect(phone.control.state.stage == .candidateWithFallback)
            await phone.device.resume().value
            #expect(phone.control.state.stage == .candidateOnly, "without a wait")
        }
    }

    @Test func `in the background every count is on disk, and the next launch posts it`() async throws {
        try await Self.withPhone { server, phone in
            server.set(.down)
            phone.device.resume()
            _ = try await phone.call()
            await phone.device.pause().value
            // As if the app had been ended, and started again.
            server.set(.up)
            let next = try ServerEvidence(server.server, file: phone.directory + "/evidence.json", salt: Phone.salt)
            try await next.deliver()
            #expect(server.units(of: 1).count == 1)
        }
    }

    @Test func `a background task posts the counts, or says that they wait`() async throws {
        try await Self.withPhone { server, phone in
            await phone.device.pause().value
            server.set(.down)
            #expect(await phone.device.flush(within: .seconds(20)) == false)
            server.set(.silent)
            async let flush = phone.device.flush(within: .seconds(20))
            await phone.clock.waitForSleeper(until: .seconds(20))
            phone.clock.advance(by: .seconds(20))
            #expect(await flush == false)
            server.set(.up)
            #expect(await phone.device.flush(within: .seconds(20)))
            #expect(server.units(of: 1).count == 1)
            let count = server.reports.count
            #expect(await phone.device.flush(within: .seconds(20)), "there is nothing to post")
            #expect(server.reports.count == count)
        }
    }

    @Test func `a background task that is cancelled gives up`() async throws {
        try await Self.withPhone { server, phone in
            await phone.device.pause().value
            server.set(.silent)
            let flush = Task { await phone.device.flush(within: .seconds(20)) }
            await phone.clock.waitForSleeper(until: .seconds(20))
            flush.cancel()
            #expect(await flush.value == false)
        }
    }

    // MARK: Without a server

    @Test func `a launch without a network continues where the app was`() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.move(to: .candidateOnly)
            try await Phone.use(server.server, directory) { phone in
                try await phone.launch()
            }
            server.set(.down)
            try await Phone.use(server.server, directory) { phone in
                try await phone.launch()
                #expect(try await phone.call() == "candidate")
            }
        }
    }

    @Test func `a launch with a network that is silent does not take longer than the patience`() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.move(to: .candidateOnly)
            try await Phone.use(server.server, directory) { phone in
                try await phone.launch()
            }
            server.set(.silent)
            try await Phone.use(server.server, directory) { phone in
                let launch = Task { try await phone.launch() }
                await phone.clock.waitForSleeper(until: .seconds(2))
                phone.clock.advance(by: .seconds(2))
                try await launch.value
                #expect(try await phone.call() == "candidate")
            }
        }
    }

    @Test func `a first launch without a network uses the legacy side, and follows the server later`() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.move(to: .candidateOnly)
            server.set(.down)
            try await Phone.use(server.server, directory) { phone in
                try await phone.launch()
                #expect(try await phone.call() == "legacy")
                await phone.device.pause().value
                server.set(.up)
                try await phone.launch()
                #expect(try await phone.call() == "candidate")
            }
        }
    }

    @Test func `after days without a network a canary ends, and nothing that was counted is lost`() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.move(to: .canary(share: .all))
            try await Phone.use(server.server, directory) { phone in
                try await phone.launch()
                #expect(try await phone.call() == "candidate")
                server.set(.down)
                await phone.device.pause().value
                phone.clock.advance(by: .seconds(3 * 86_400))
                phone.device.resume()
                #expect(try await phone.call() == "legacy", "a canary is not followed for days without the server")
                await phone.device.pause().value
                server.set(.up)
                try await phone.launch()
                #expect(try await phone.call() == "candidate")
                await phone.device.pause().value
                #expect(await phone.device.flush(within: .seconds(20)))
                #expect(server.units(of: 1).count == 1)
            }
        }
    }

    /// By days, in milliseconds.
    @Test(arguments: [-9, -1, 0, 1, 9] as [Int64])
    func `a clock that is wrong by days, and set at each launch, changes no count and no stage`(_ days: Int64)
        async throws
    {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.move(to: .candidateOnly)
            for launch in 0..<3 as Range<Int64> {
                let now = 1_800_000_000_000 + launch * days * 86_400_000
                try await Phone.use(server.server, directory, now: { now }) { phone in
                    try await phone.launch()
                    #expect(try await phone.call() == "candidate")
                }
            }
            let evidence = try ServerEvidence(server.server, file: directory + "/evidence.json", salt: Phone.salt)
            try await evidence.deliver()
            #expect(server.units(of: 1).count == 1)
        }
    }

    // MARK: Order

    @Test func `calls in any order end in the last one's state`() async throws {
        try await Self.withPhone { server, phone in
            for _ in 0..<20 {
                phone.device.pause()
                phone.device.resume()
                phone.device.resume()
                phone.device.pause()
                phone.device.pause()
                phone.device.resume()
            }
            server.kill()
            await until { phone.control.state.kill != nil }
            await phone.device.pause().value
            await until { server.polls == 0 }
        }
    }

    @Test func `an upgrade that is added in the foreground runs at once`() async throws {
        try await withDirectory { directory in
            let server = ScriptedServer()
            server.move(to: .candidateOnly)
            let device = try DeviceUpgrades(server.server, directory: directory, salt: Phone.salt)
            device.resume()
            let upgrade = try device.orders()
            await until { upgrade.control.state.stage == .candidateOnly }
            await device.pause().value
            await until { server.polls == 0 }
        }
    }
}

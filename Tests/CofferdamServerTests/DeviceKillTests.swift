#if Server
import Cofferdam
import CofferdamSupport
import CofferdamDevice
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
@testable import CofferdamServer

/// A phone's system ends an app without a word. Here it does so while the app starts, counts, writes, posts, goes to
/// the background and comes back.
@Suite(.serialized) struct DeviceKillTests {
    @Test(.timeLimit(.minutes(20)))
    func `an app that is killed at any moment loses no unit, and counts none twice`() async throws {
        let kills = Int(Soak.number("COFFERDAM_SOAK_DEVICE_KILLS", default: 200))
        let noLimit = RequestRate(perSecond: 0, burst: 0)
        try await TestServer.with({
            ($0.addressRate, $0.tokenRate) = (noLimit, noLimit)
            // One that has enrolled counts for a few units only.
            $0.enrolmentsPerHour = 0
        }) { server in
            for _ in 0..<2 { try await server.order("advance") }
            let app = KilledApp(url: try server.plane.url, folder: server.folder)
            for round in 1...kills {
                await #expect(processExitsWith: .signal(SIGKILL), "round \(round)") {
                    [url = app.url as String, folder = app.folder as String, seed = UInt64(round) as UInt64] in
                    await KilledApp(url: url, folder: folder).run(seed: seed)
                }
                let counted = try await server.reading().metrics[Self.metric]?.total ?? 0
                // It may post a unit before it notes that it has saved it.
                let saved = try Notes.last(app.notes)
                try #require(counted <= saved + 1, "round \(round)")
            }
            let units = try await app.finish()
            let counted = try #require(try await server.reading().metrics[Self.metric])
            #expect(counted.total == units)
            #expect(counted.failures == (0..<units).count(where: KilledApp.fails))
            print("\(kills) kills, \(units) units")
        }
    }

    private static let metric = Metric.candidateFailures.includingOpenWindows
}

/// Counts one unit after the other, and notes how many it has saved.
private struct KilledApp: Sendable {
    let url: String
    let folder: String

    var notes: String { folder + "/saved" }

    /// A device keeps no more.
    private static let maxUnits = DeviceEvidence.maxUnits - 100

    static func fails(_ unit: Int) -> Bool { unit.isMultiple(of: 3) }

    /// Never returns.
    func run(seed: UInt64) async {
        do {
            var dice = Dice(seed: seed)
            // While it starts, or around a write or a post.
            let killer = Killer(in: folder, after: dice.roll(30), spins: dice.roll(400_000))
            killer.start()
            let phone = try await open(killer)
            while true {
                try await phone.count(after: try Notes.last(notes), notes)
                killer.count()
                switch dice.roll(4) {
                case 0: await phone.device.flush(within: .seconds(60))
                case 1:
                    await phone.device.pause().value
                    if dice.roll(2) == 0 { await phone.device.flush(within: .seconds(60)) }
                    killer.count()
                    await phone.device.resume().value
                default: break
                }
            }
        } catch {
            print("seed \(seed): \(error)")
            exit(1)
        }
    }

    /// Counts one more unit, and posts everything.
    ///
    /// - Returns: the number of units that were ever counted.
    func finish() async throws -> Int {
        let phone = try await open(nil)
        let number = try Notes.last(notes)
        try await phone.count(after: number, notes)
        await phone.device.pause().value
        try #require(await phone.device.flush(within: .seconds(60)))
        return try Notes.last(notes)
    }

    private struct Phone {
        let device: DeviceUpgrades
        let upgrade: Upgrade<Int>

        /// A unit that was counted earlier does not count again, killed or not.
        func count(after number: Int, _ notes: String) async throws {
            let next = min(number + 1, KilledApp.maxUnits)
            for unit in max(0, number - 5)..<next {
                upgrade.recorder.called(
                    RoutedCall(
                        capability: "orders",
                        operation: "place",
                        effect: .write,
                        stage: upgrade.control.state.stage,
                        epoch: upgrade.control.state.epoch,
                        unit: "unit \(unit)",
                        side: .candidate,
                        role: .first,
                        outcome: KilledApp.fails(unit) ? .failed(.failed, kind: "x") : .answered,
                        duration: .milliseconds(1)
                    )
                )
            }
            await upgrade.engine.save()
            try #require(upgrade.status.notes.isEmpty, "\(upgrade.status.notes)")
            try Notes(notes).add(next)
        }
    }

    private func open(_ killer: Killer?) async throws -> Phone {
        let session = DeviceTransport.urlSession()
        let transport = DeviceTransport { request, body, time in
            killer?.count()
            defer { killer?.count() }
            return try await session.exchange(request, body, time)
        }
        let server = UpgradeServer(url, token: TestServer.tokens[.device] ?? "", transport: transport)
        let salt = "salt of the app, 0123456789"
        let device = try DeviceUpgrades(server, directory: folder + "/app", salt: salt) {
            $0.patience = .seconds(60)
        }
        let plan = try UpgradePlan.named(.small)
        let failures = ErrorClassifier(meaning: { _ in .failed }, kind: { _ in "x" })
        let upgrade = try device.upgrade("orders", plan: plan, failures: failures, legacy: { 1 }, candidate: { 2 })
        await device.resume().value
        try #require(upgrade.control.state.epoch == 2)
        return Phone(device: device, upgrade: upgrade)
    }
}
#endif

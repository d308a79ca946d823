#if Server
import Cofferdam
import CofferdamCurl
import CofferdamDevice
import CofferdamFleet
import CofferdamRehearsal
import CofferdamUpgrade

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Drill {
    /// Starts a server on loopback with an upgrade at its canary, and devices that follow it, some of whose users V2 then
    /// fails. They are too few for the gate, so that a person must act.
    ///
    /// - Parameters:
    ///   - place: where the folder for the server's file and the token is made.
    ///   - clock: measures the steps and the limit.
    static func controlPlane(
        _ setting: Setting,
        in place: URL,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> Drill {
        let folder = place.appendingPathComponent("drill-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let plane = Mutex<ControlPlane?>(nil)
        let close: @Sendable () async -> Void = {
            await plane.withLock { $0 }?.stop()
            // What cannot be removed is a drill's counts, in the temporary directory.
            try? FileManager.default.removeItem(at: folder)
        }
        do {
            let (app, person) = (AccessTokens.makeToken(), AccessTokens.makeToken())
            let tokenFile = folder.path + "/token"
            try Data(person.utf8).write(to: URL(fileURLWithPath: tokenFile))
            var configuration = ControlPlaneConfiguration(
                database: folder.path + "/drill.sqlite",
                tokens: try AccessTokens([
                    .init(name: "app", role: .device, token: app),
                    .init(name: "operator", role: .operator, token: person),
                ]),
                capabilities: [HostedCapability(setting.capability, plan: .small)]
            )
            configuration.port = setting.port
            configuration.costOfGoingBack = setting.costOfGoingBack
            let server = try await ControlPlane.start(configuration)
            plane.withLock { $0 = server }
            let devices = try DrilledDevices(
                setting,
                UpgradeServer(server.url, token: app, transport: .curl(CurlClient()))
            )
            let running = Task(executorPreference: nil) { await devices.run() }
            let drilled = Drilled(parts: server.parts, setting: setting, devices: devices, clock: clock)
            let alert: String
            do { alert = try await drilled.begin() } catch {
                running.cancel()
                await running.value
                throw error
            }
            let looks = drilled.looks
            return Drill(address: server.url, tokenFile: tokenFile, alert: alert) {
                try await drilled.follow(since: looks, $0)
            } close: {
                running.cancel()
                await running.value
                await close()
            }
        } catch {
            await close()
            throw error
        }
    }
}

/// The devices of a drill, which follow the server as apps do.
private struct DrilledDevices: Sendable {
    private let devices: [(control: StageControl, engine: UpgradeEngine)]

    init(_ setting: Drill.Setting, _ server: UpgradeServer) throws(GateError) {
        let plan = try UpgradePlan.named(.small)
        devices = (0..<setting.devices).map { _ in
            let (control, store) = (StageControl(), ServerUpgradeStore(server))
            let engine = UpgradeEngine(
                setting.capability,
                plan: plan,
                store: store,
                control: control,
                recorder: EvidenceRecorder()
            ) {
                $0.settings.promotesAutomatically = false
                $0.watching = store
            }
            return (control, engine)
        }
    }

    /// The number of devices at a stage for which that holds.
    func count(where condition: (Stage) -> Bool) -> Int { devices.count { condition($0.control.state.stage()) } }

    /// Follows the server until it is cancelled.
    func run() async {
        await withTaskGroup { group in
            for device in devices {
                group.addTask {
                    await device.engine.start()
                    // Ends only by cancellation.
                    try? await device.engine.run()
                }
            }
        }
    }
}

/// A drill under way.
private struct Drilled: Sendable {
    let parts: ServerParts
    let setting: Drill.Setting
    let devices: DrilledDevices
    let clock: any Clock<Duration>

    private static let operation = "place"
    private static let receiver = "drill"

    /// How often a person has looked at the status or the page.
    var looks: Int { parts.metrics.requests(of: Self.looking) }

    private static let looking: Set = [
        "GET /", "GET /capabilities/{name}", "GET /v1/capabilities", "GET /v1/capabilities/{name}",
    ]

    /// Brings the upgrade to its canary, and lets V2 fail.
    ///
    /// - Returns: the alert's text.
    func begin() async throws -> String {
        let upgrade = try parts.upgrade(setting.capability)
        _ = try await parts.log.news(for: Self.receiver, limit: 0)
        for _ in 0..<2 {
            let stored = try await upgrade.store.read(upgrade.name)
            _ = try await upgrade.change(
                .certain(.advance(despiteGate: true)),
                by: "drill",
                reason: "a drill",
                id: UpgradeEngine.randomID(),
                from: .init(stage: stored?.state.stage ?? .legacyOnly, revision: stored?.revision ?? 0)
            )
        }
        guard let state = try await upgrade.store.read(upgrade.name)?.state else {
            throw UpgradeStoreError(.unreadable, "the drill's upgrade is gone", subject: upgrade.name)
        }
        while devices.count(where: { $0 == state.stage }) < setting.devices {
            try await Task.sleep(for: .milliseconds(50))
        }
        _ = try await parts.intake.add(Self.reports(at: state), of: upgrade.name)
        for news in try await parts.log.news(for: Self.receiver, limit: 100) {
            if case .breaker(let notice) = news.news { return WebhookEvent(notice).text }
        }
        throw UpgradeStoreError(.unreadable, "V2's failure raised no alert", subject: upgrade.name)
    }

    /// On V2, 3 of 24 users have a failure; on V1, 1 of 96.
    private static func reports(at state: UpgradeState) -> [EvidenceReport] {
        func report(_ tally: String, _ units: Range<Int>, failed: Int) -> EvidenceReport {
            var report = EvidenceReport(
                stage: state.stage,
                epoch: state.epoch,
                window: Int(EvidenceRecorder.window.components.seconds),
                build: "drill",
                side: nil,
                units: units.map { number in
                    let marks = number < units.lowerBound + failed ? ["failed"] : []
                    let windows = [operation, nil].map {
                        EvidenceReport.Window(
                            tally: tally,
                            operation: $0,
                            marks: marks,
                            isSettled: false,
                            isRead: $0 == nil ? nil : false
                        )
                    }
                    return EvidenceReport.Unit(unit: hexadecimal(number), windows: windows)
                }
            )
            report.device = hexadecimal(units.lowerBound)
            return report
        }
        var failing = report("candidate", 0..<24, failed: 3)
        failing.breakers = [
            .init(operation: operation, side: .candidate, number: 1, isOpen: true, at: WallTime.now() / 1_000)
        ]
        return [failing, report("legacy", 1_000..<1_096, failed: 1)]
    }

    /// 16 hexadecimal digits.
    private static func hexadecimal(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Waits until no device uses V2, or the limit has passed.
    ///
    /// - Parameter looks: the number of looks before the alert.
    /// - Returns: whether no device uses V2.
    func follow(since looks: Int, _ tell: @Sendable (Drill.Step, Duration) -> Void) async throws -> Bool {
        let elapsed = Self.stopwatch(clock)
        var (hasLooked, hasStopped, confirmed) = (false, false, 0)
        while true {
            let time = elapsed()
            if !hasLooked, self.looks > looks {
                hasLooked = true
                tell(.looked, time)
            }
            if !hasStopped, let stage = parts.hub.stage(of: setting.capability), stage.isOnV1 {
                hasStopped = true
                // The log may not have it yet: a stop is in force before it is stored.
                tell(.stopped(stage.stage.inBrief(stage.kill)), time)
            }
            let have = devices.count { $0.side == .legacy }
            if hasStopped, have > confirmed {
                confirmed = have
                tell(.confirmed(have), time)
            }
            if hasStopped, have == setting.devices { return true }
            guard time < setting.limit else { return false }
            try await clock.sleep(for: .milliseconds(50))
        }
    }

    private static func stopwatch(_ clock: some Clock<Duration>) -> () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}

extension ServedStage {
    fileprivate var isOnV1: Bool { kill == .legacy || kill != .candidate && stage.side == .legacy }
}
#endif

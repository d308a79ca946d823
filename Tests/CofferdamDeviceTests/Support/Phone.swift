import Cofferdam
import CofferdamDevice
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import TestSupport
import Testing

/// An app on a phone, with one upgrade whose candidate and legacy side say who they are.
final class Phone: Sendable {
    let clock = TestClock()
    let device: DeviceUpgrades
    let directory: String
    private let upgrade: Upgrade<String>
    private let session = Mutex<UnitSession?>(nil)

    static let salt = "salt of the app, 0123456789"
    private static let side = PortOperation<String, Int, String>("side", .read) { port, _ in port }

    var engine: UpgradeEngine { upgrade.engine }
    var control: StageControl { upgrade.control }

    /// - Parameter now: milliseconds since 1970, by the phone's own clock.
    private init(
        _ server: UpgradeServer,
        _ directory: String,
        now: @escaping @Sendable () -> Int64
    ) throws {
        self.directory = directory
        device = try DeviceUpgrades(server, directory: directory, salt: Self.salt) { [clock] in $0.clock = clock }
        upgrade = try device.orders { $0.now = now }
    }

    /// Runs the body, puts the app into the background, and ends its process: nothing of it is still open afterwards.
    static func use(
        _ server: UpgradeServer,
        _ directory: String,
        now: @escaping @Sendable () -> Int64 = { 1_800_000_000_000 },
        _ body: (Phone) async throws -> Void
    ) async throws {
        weak var calls: InFlightFile?
        weak var evidence: ServerEvidence?
        do {
            let phone = try Phone(server, directory, now: now)
            calls = phone.upgrade.routes.calls as? InFlightFile
            evidence = phone.device.evidence
            try await body(phone)
            await phone.device.pause().value
        }
        // A task that has ended still holds what it used for a moment.
        await until { calls == nil && evidence == nil }
    }

    /// Comes to the foreground for the first time, and begins a session once the stage has been read.
    func launch() async throws {
        await device.resume().value
        signIn()
    }

    /// Begins a session: a unit goes on to the candidate only between two sessions.
    func signIn() {
        session.withLock { $0 = upgrade.session(for: "ada") }
    }

    /// Calls the port, and returns the side that answered.
    func call() async throws -> String {
        let session = try #require(session.withLock { $0 })
        return try await upgrade.port({ $0 }, for: session).call(Self.side, 1)
    }
}

/// An empty directory of the app, removed after the body.
func withDirectory(_ body: (_ path: String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "device-\(UUID())").path
    defer { removeFolder(path) }
    try await body(path)
}

extension DeviceUpgrades {
    /// The candidate's calls in flight.
    func calls() throws -> InFlightFile { try #require(try orders().routes.calls as? InFlightFile) }

    /// An upgrade whose sides say who they are.
    func orders(_ change: (inout Upgrade<String>.Options) -> Void = { _ in }) throws -> Upgrade<String> {
        let failures = ErrorClassifier(meaning: { _ in .failed }, kind: { _ in "broken" })
        let plan = try UpgradePlan.named(.small)
        return try upgrade(
            "orders",
            plan: plan,
            failures: failures,
            legacy: { "legacy" },
            candidate: { "candidate" },
            change
        )
    }
}

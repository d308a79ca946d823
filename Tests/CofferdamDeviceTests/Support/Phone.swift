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
    let control = StageControl()
    let device: DeviceUpgrades
    let engine: UpgradeEngine
    let directory: String
    private let router: Router<String>
    private let settings: RouteSettings
    private let session = Mutex<UnitSession?>(nil)

    static let salt = "salt of the app, 0123456789"
    private static let side = PortOperation<String, Int, String>("side", .read) { port, _ in port }

    /// - Parameter now: milliseconds since 1970, by the phone's own clock.
    private init(
        _ server: UpgradeServer,
        _ directory: String,
        now: @escaping @Sendable () -> Int64
    ) throws {
        self.directory = directory
        let recorder = EvidenceRecorder(clock: clock, now: now)
        device = try DeviceUpgrades(server, directory: directory, salt: Self.salt) { [clock] in $0.clock = clock }
        engine = try device.engine(for: "orders", plan: .named(.small), control: control, recorder: recorder) {
            $0.now = now
        }
        settings = RouteSettings(
            capability: "orders",
            failures: ErrorClassifier(meaning: { _ in .failed }, kind: { _ in "broken" }),
            calls: try device.calls(of: "orders"),
            observer: recorder,
            clock: clock
        )
        router = Router<String>(clock: clock, legacy: { "legacy" }, candidate: { "candidate" })
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
            calls = try phone.device.calls(of: "orders")
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
        try signIn()
    }

    /// Begins a session: a unit goes on to the candidate only between two sessions.
    func signIn() throws {
        let session = UnitSession(
            unit: "ada",
            control: control,
            bucketing: try Bucketing(salt: "a salt of the upgrade")
        )
        self.session.withLock { $0 = session }
    }

    /// Calls the port, and returns the side that answered.
    func call() async throws -> String {
        let session = try #require(session.withLock { $0 })
        return try await router.route(for: session, settings: settings, port: \.self).call(Self.side, 1)
    }
}

/// An empty directory of the app, removed after the body.
func withDirectory(_ body: (_ path: String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "device-\(UUID())").path
    defer { removeFolder(path) }
    try await body(path)
}

#if Sandbox
import Foundation
import MenagerieService
import SanctuaryDomain
import Testing

/// A cell of the state-survival table: an installation, what happens to it, and the resulting state.
struct Survival: Sendable {
    /// The state that an installation keeps on the device.
    enum Kept: String, CaseIterable {
        case session
        case device = "device id"
        case outbox
        case pictures = "image cache"
        case accessory = "linked accessory"
        case favourites
    }

    /// What happens before V2 is opened for the last time.
    enum Fate: String, CaseIterable, CustomTestStringConvertible {
        case upgrade
        /// The process that opens V2 is killed in the middle.
        case kill = "killed in the middle"
        /// V2 is opened while the file cannot be read.
        case locked = "locked store"
        /// V1 is opened after V2.
        case downgrade

        var testDescription: String { rawValue }
    }

    enum Outcome: String {
        case kept
        case deliveredOnce = "delivered once"
        case downloadedOnce = "downloaded once more"
        /// But present again with V2.
        case notKnownToV1 = "not known to V1"
    }

    let cell: SurvivalTable.Cell
    let installation: Installation
    let service: RunningService

    var stored: StoredBy { cell.stored }
    var fate: Fate { cell.fate }
    var control: SandboxControl { service.control }
    var url: String { service.url }
    var directory: String { installation.directory }

    init(_ cell: SurvivalTable.Cell) async throws {
        self.cell = cell
        installation = try Installation(cell.stored)
        service = try await startService()
    }

    func end() async {
        await service.stop()
        installation.remove()
    }

    func outcome() async throws -> Outcome {
        switch cell.kept {
        case .session: try await session()
        case .device: try await device()
        case .outbox: try await outbox()
        case .pictures: try await pictures()
        case .accessory: try await accessory()
        case .favourites: try await favourites()
        }
    }

    /// The path of a file stored by the SDK.
    func file(v1: String, v2: String) -> String { directory + "/" + (stored == .v2 ? v2 : v1) }

    func withV1<Value: Sendable>(_ body: (SanctuaryServices) async throws -> Value) async throws -> Value {
        try await installation.withV1(at: url, body)
    }

    func withV2<Value: Sendable>(
        allowsTelemetry: Bool = false,
        _ body: (SanctuaryServices) async throws -> Value
    ) async throws -> Value {
        try await installation.withV2(at: url, allowsTelemetry: allowsTelemetry, body)
    }

    /// Kills the child process when the moment has come; the child has called ``announce(in:)`` before.
    func killChild(when moment: @Sendable (SandboxControl) async -> Void) async throws {
        await moment(control)
        try Task.checkCancellation()
        let child = try String(contentsOfFile: Self.announcement(in: directory), encoding: .utf8)
        _ = kill(try #require(pid_t(child)), SIGKILL)
    }

    /// Announces the process to kill.
    static func announce(in directory: String) throws {
        try "\(getpid())".write(toFile: announcement(in: directory), atomically: true, encoding: .utf8)
    }

    private static func announcement(in directory: String) -> String { directory + "/child" }
}
#endif

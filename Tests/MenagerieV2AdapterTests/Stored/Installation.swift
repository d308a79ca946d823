import Cofferdam
import Foundation
import MenagerieV1Adapter
import MenagerieV2
import MenagerieV2Adapter
import SanctuaryDomain
import Testing

/// Which version of the vendor's SDK has written what is on disk: a folder of golden files.
enum StoredBy: String, CaseIterable, CustomTestStringConvertible {
    case v10 = "V1.0"
    case v19 = "V1.9"
    case v2 = "V2"

    var testDescription: String { rawValue }

    var sessionFile: String { self == .v2 ? "com.menagerie.session.v2.json" : "menagerie.session" }
}

/// A directory as an app finds it: amara is signed in, and a message of hers could not be sent.
struct Installation: Sendable {
    static let device = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
    static let unsent = "The hydra is hungry."

    let directory = temporaryDirectory()
    let sessionFile: String

    init(_ stored: StoredBy) throws {
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Golden/\(stored.rawValue)").path
        try FileManager.default.copyItem(atPath: golden, toPath: directory)
        sessionFile = directory + "/" + stored.sessionFile
    }

    func remove() {
        // Left to the system otherwise.
        do { try FileManager.default.removeItem(atPath: directory) } catch {}
    }

    var hasSessionFile: Bool { FileManager.default.fileExists(atPath: sessionFile) }

    /// Makes the session unreadable for the time of `body`: its place is a directory, which holds it.
    func locked(_ body: () async throws -> Void) async throws {
        let inside = sessionFile + "/locked"
        try FileManager.default.moveItem(atPath: sessionFile, toPath: sessionFile + ".moving")
        try FileManager.default.createDirectory(atPath: sessionFile, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: sessionFile + ".moving", toPath: inside)
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        // The vendor may have deleted it.
        if FileManager.default.fileExists(atPath: inside) {
            try FileManager.default.moveItem(atPath: inside, toPath: sessionFile + ".moving")
            try FileManager.default.removeItem(atPath: sessionFile)
            try FileManager.default.moveItem(atPath: sessionFile + ".moving", toPath: sessionFile)
        }
        return try result.get()
    }

    /// Opens V1 of the SDK upon it, alone in this process.
    func withV1<Value: Sendable>(at url: String, _ body: (SanctuaryServices) async throws -> Value) async throws
        -> Value
    {
        try await menagerieV1Turnstile.run {
            let configuration = MenagerieV1Configuration(
                serviceURL: url,
                key: "test",
                directory: directory,
                issues: IssueSink { _, _ in }
            )
            return try await closing(openMenagerieV1(configuration), body)
        }
    }

    /// Opens V2 of the SDK upon it.
    func withV2<Value: Sendable>(
        at url: String,
        allowsTelemetry: Bool = false,
        _ body: (SanctuaryServices) async throws -> Value
    ) async throws -> Value {
        let configuration = MenagerieV2Configuration(
            serviceURL: url,
            key: "test",
            directory: directory,
            allowsTelemetry: allowsTelemetry
        )
        return try await closing(openMenagerieV2(configuration), body)
    }

    private func closing<Value: Sendable>(
        _ services: SanctuaryServices,
        _ body: (SanctuaryServices) async throws -> Value
    ) async throws -> Value {
        let result: Result<Value, any Error>
        do { result = .success(try await body(services)) } catch { result = .failure(error) }
        await services.close()
        return try result.get()
    }
}

extension AccountState {
    var userID: String? { if case .signedIn(let account) = self { account.id } else { nil } }
}

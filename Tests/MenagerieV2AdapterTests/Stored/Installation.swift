#if Sandbox
import Cofferdam
import Foundation
import MenagerieV1Adapter
import MenagerieV2
import MenagerieV2Adapter
import SanctuaryDomain
import Testing

/// The version of the vendor's SDK that wrote the state on disk: a folder of golden files.
enum StoredBy: String, CaseIterable, CustomTestStringConvertible {
    case v10 = "V1.0"
    case v19 = "V1.9"
    case v2 = "V2"

    var testDescription: String { rawValue }

    var sessionFile: String { self == .v2 ? "com.menagerie.session.v2.json" : "menagerie.session" }
}

/// A directory as an app finds it: amara is signed in, one of her messages could not be sent, a picture was viewed, an
/// accessory linked, and three animals are her favourites.
struct Installation: Sendable {
    static let device = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
    static let unsent = "The hydra is hungry."
    /// V1's picture of the fifth animal, until it has the name that the service's address gives it.
    static let picture = "animal-5"

    let directory = temporaryDirectory()
    let sessionFile: String

    init(_ stored: StoredBy) throws {
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Golden/\(stored.rawValue)").path
        try FileManager.default.copyItem(atPath: golden, toPath: directory)
        sessionFile = directory + "/" + stored.sessionFile
    }

    func remove() {
        // Otherwise the system removes it.
        do { try FileManager.default.removeItem(atPath: directory) } catch {}
    }

    var hasSessionFile: Bool { FileManager.default.fileExists(atPath: sessionFile) }

    /// Makes a file or folder unreadable during `body`: a folder replaces a file, and a file replaces a folder.
    func locked(_ path: String, _ body: () async throws -> Void) async throws {
        let files = FileManager.default
        let moving = path + ".moving"
        var isFolder: ObjCBool = false
        let exists = files.fileExists(atPath: path, isDirectory: &isFolder)
        if exists { try files.moveItem(atPath: path, toPath: moving) }
        if isFolder.boolValue {
            try Data().write(to: URL(fileURLWithPath: path))
        } else {
            try files.createDirectory(atPath: path + "/inside", withIntermediateDirectories: true)
            // It disappears with the folder, if the vendor deletes that.
            if exists { try files.moveItem(atPath: moving, toPath: path + "/locked") }
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        let inside = isFolder.boolValue ? moving : path + "/locked"
        if files.fileExists(atPath: inside), !isFolder.boolValue { try files.moveItem(atPath: inside, toPath: moving) }
        if files.fileExists(atPath: path) { try files.removeItem(atPath: path) }
        if files.fileExists(atPath: moving) { try files.moveItem(atPath: moving, toPath: path) }
        return try result.get()
    }

    /// Opens V1 of the SDK on it, alone in this process.
    func withV1<Value: Sendable>(at url: String, _ body: (SanctuaryServices) async throws -> Value) async throws
        -> Value
    {
        try await withMenagerieV1(at: url, in: directory, body)
    }

    /// Opens V2 of the SDK on it.
    func withV2<Value: Sendable>(
        at url: String,
        allowsTelemetry: Bool = false,
        issues: IssueSink = IssueSink { _, _ in },
        _ body: (SanctuaryServices) async throws -> Value
    ) async throws -> Value {
        let configuration = MenagerieV2Configuration(
            serviceURL: url,
            key: "test",
            directory: directory,
            issues: issues,
            allowsTelemetry: allowsTelemetry
        )
        return try await closing(openMenagerieV2(configuration), body)
    }
}

/// Opens V1 of the SDK on a directory, alone in this process.
func withMenagerieV1<Value: Sendable>(
    at url: String,
    in directory: String,
    _ body: (SanctuaryServices) async throws -> Value
) async throws -> Value {
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

private func closing<Value: Sendable>(
    _ services: SanctuaryServices,
    _ body: (SanctuaryServices) async throws -> Value
) async throws -> Value {
    let result: Result<Value, any Error>
    do { result = .success(try await body(services)) } catch { result = .failure(error) }
    await services.close()
    return try result.get()
}

extension AccountState {
    var userID: String? { if case .signedIn(let account) = self { account.id } else { nil } }
}
#endif

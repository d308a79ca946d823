#if Sandbox
import Cofferdam
import Foundation
import MenagerieV2
import SanctuaryDomain

/// The other files that the vendor's V1 keeps in the same directory, which its V2 ignores.
///
/// Each call throws `unknown` for a file that exists and cannot be read, and `decoding` for a damaged one: neither is
/// treated as missing.
struct LegacyState: Sendable {
    private let directory: String

    init(directory: String) { self.directory = directory }

    /// Returns V1's installation id; nil if there is none.
    func deviceID() throws(SanctuaryError) -> String? {
        let stored: [String: String]? = try propertyList("device")
        return stored?["deviceID"]
    }

    /// Stores the same id for V1, for the way back.
    func keep(deviceID: String) throws {
        guard !FileManager.default.fileExists(atPath: url("device").path) else { return }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try PropertyListEncoder().encode(["deviceID": deviceID]).write(to: url("device"), options: .atomic)
    }

    /// Returns V1's unsent messages, oldest first.
    ///
    /// - Returns: the messages that V2 may send, and the keys of those that were in flight once, so that it is unknown
    ///   whether they arrived: V1 can send them again under the same id, which has no meaning for V2.
    func unsent(by user: String) throws(SanctuaryError) -> (untried: [OutboxEntry], tried: [String]) {
        guard let all: [Unsent] = try propertyList("outbox") else { return ([], []) }
        let noted: [String]? = try stored(at: triedURL) { try JSONDecoder().decode($0, from: $1) }
        let tried = Set(noted ?? [])
        let theirs = all.filter { $0.userID == user }
        return (
            theirs.filter { !tried.contains($0.id) }.map { OutboxEntry(localId: $0.id, text: $0.text) },
            theirs.map(\.id).filter(tried.contains)
        )
    }

    /// Deletes the messages, once V2 has stored them.
    func forget(_ unsent: [OutboxEntry], by user: String) throws {
        guard let all: [Unsent] = try propertyList("outbox") else { return }
        let ids = Set(unsent.map(\.localId))
        let left = all.filter { $0.userID != user || !ids.contains($0.id) }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try encoder.encode(left).write(to: url("outbox"), options: .atomic)
    }

    /// V1's adapter writes this file.
    private var triedURL: URL { URL(fileURLWithPath: directory + "/sanctuary.tried.json") }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: directory + "/menagerie." + name) }

    private func propertyList<Value: Decodable>(_ name: String) throws(SanctuaryError) -> Value? {
        try stored(at: url(name)) { try PropertyListDecoder().decode($0, from: $1) }
    }

    private func stored<Value: Decodable>(
        at url: URL,
        _ decode: (Value.Type, Data) throws -> Value
    ) throws(SanctuaryError) -> Value? {
        do {
            return try decode(Value.self, Data(contentsOf: url))
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch is DecodingError {
            throw SanctuaryError(.decoding, "the data stored by V1 is damaged", subject: url.path)
        } catch {
            throw SanctuaryError(.unknown, "the data stored by V1 cannot be read", subject: url.path)
        }
    }

    private struct Unsent: Codable {
        var id: String
        var userID: String
        var text: String
        var sentAt: Date
    }
}
#endif

import Cofferdam
import Foundation
import MenagerieV2
import SanctuaryDomain

/// What else the vendor's V1 keeps in the same directory, and its V2 does not look at.
///
/// Each call throws `unknown` for a file that is there and cannot be read, and `decoding` for a damaged one: neither is
/// taken for one that is not there.
struct LegacyState: Sendable {
    private let directory: String

    init(directory: String) { self.directory = directory }

    /// The installation's id under V1; nil if there is none.
    func deviceID() throws(SanctuaryError) -> String? {
        let stored: [String: String]? = try propertyList("device")
        return stored?["deviceID"]
    }

    /// Gives V1 the same id, for the way back.
    func keep(deviceID: String) throws {
        guard !FileManager.default.fileExists(atPath: url("device").path) else { return }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try PropertyListEncoder().encode(["deviceID": deviceID]).write(to: url("device"), options: .atomic)
    }

    /// The messages that could not be sent under V1, oldest first.
    func unsent(by user: String) throws(SanctuaryError) -> [OutboxEntry] {
        let all: [Unsent]? = try propertyList("outbox")
        return (all ?? []).filter { $0.userID == user }.map { OutboxEntry(localId: $0.id, text: $0.text) }
    }

    /// Forgets them, once V2 keeps them.
    func forgetUnsent(by user: String) throws {
        guard let all: [Unsent] = try propertyList("outbox"), all.contains(where: { $0.userID == user }) else { return }
        let others = all.filter { $0.userID != user }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try encoder.encode(others).write(to: url("outbox"), options: .atomic)
    }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: directory + "/menagerie." + name) }

    private func propertyList<Value: Decodable>(_ name: String) throws(SanctuaryError) -> Value? {
        let url = url(name)
        do {
            return try PropertyListDecoder().decode(Value.self, from: Data(contentsOf: url))
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch is DecodingError {
            throw SanctuaryError(.decoding, "what V1 has stored is damaged", subject: url.path)
        } catch {
            throw SanctuaryError(.unknown, "what V1 has stored cannot be read", subject: url.path)
        }
    }

    private struct Unsent: Codable {
        var id: String
        var userID: String
        var text: String
        var sentAt: Date
    }
}

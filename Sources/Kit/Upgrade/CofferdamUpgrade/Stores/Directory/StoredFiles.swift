#if SQLite
import Foundation

/// The content of `state.json`: the stored state of a capability, and the last audit entry, from which an
/// incomplete log is completed.
struct StateFile: Codable {
    /// Version 2 added the counting rules and the baseline.
    static let format = 2
    /// The formats that this version reads.
    static let readFormats = 1...format

    var format = Self.format
    var revision: Int64
    var state: UpgradeState
    var kill: KillSwitch?
    /// False until `kill.json` has the same content, so that the difference is not taken for an edit by hand.
    var isKillFileCurrent: Bool
    var last: AuditEntry

    var stored: StoredUpgrade { StoredUpgrade(state: state, kill: kill, revision: revision) }
}

/// The content of `kill.json`. A person may write it: only the target is required.
struct KillFile: Codable {
    var format: Int?
    var target: KillSwitch.Target
    var by: String?
    var reason: String?
    var seq: Int?

    init(_ kill: KillSwitch) {
        (format, target, by, reason, seq) = (StateFile.format, kill.target, kill.by, kill.reason, kill.seq)
    }

    /// Whether it is the same switch. `seq` is ignored, because an edit by hand has none.
    func matches(_ kill: KillSwitch?) -> Bool {
        guard let kill else { return false }
        return kill.target == target && kill.by == author && kill.reason == explanation
    }

    /// The author and the reason for the log, if a person gave none.
    var author: String { by.flatMap { $0.isEmpty ? nil : $0 } ?? "by hand" }
    var explanation: String { reason.flatMap { $0.isEmpty ? nil : $0 } ?? "kill.json was put there" }
}

extension DurableFile {
    /// - Throws: ``UpgradeStoreError``: `unreadable` for content that this version does not write, `unavailable`.
    func read<Content: Decodable>(_ type: Content.Type, needsFormat: Bool) throws -> Content? {
        guard let data = try read() else { return nil }
        do {
            let format = try JSONDecoder.ofUpgrades.decode(Format.self, from: data).format
            guard let format = format ?? (needsFormat ? nil : StateFile.format) else {
                throw UpgradeStoreError(.unreadable, "the file does not name its format", subject: path)
            }
            guard StateFile.readFormats.contains(format) else {
                throw UpgradeStoreError(
                    .unreadable,
                    "the file has format \(format), and this version knows \(StateFile.readFormats.lowerBound) to \(StateFile.format)",
                    subject: path
                )
            }
            return try JSONDecoder.ofUpgrades.decode(type, from: data)
        } catch let error as DecodingError {
            throw UpgradeStoreError(.unreadable, error.place, subject: path, cause: error)
        }
    }

    func write(_ content: some Encodable) throws {
        try write(JSONEncoder.ofUpgrades(isForPeople: true).encode(content))
    }

    private struct Format: Decodable { var format: Int? }
}

extension DecodingError {
    /// What is wrong and where.
    fileprivate var place: String {
        switch self {
        case .keyNotFound(let key, let context): "\(key.stringValue) is missing\(Self.path(context))"
        case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
            "\(context.debugDescription)\(Self.path(context))"
        @unknown default: "the file cannot be read"
        }
    }

    private static func path(_ context: Context) -> String {
        context.codingPath.isEmpty ? "" : ", at \(context.codingPath.map(\.stringValue).joined(separator: "."))"
    }
}
#endif

#if Server
import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Foundation

/// The tokens that a server accepts, stored as their SHA-256, so that the file holds no secret.
///
/// ```json
/// {"tokens": [{"name": "amara", "role": "operator", "sha256": "5f70…"}]}
/// ```
public struct AccessTokens: Sendable {
    /// One token.
    public struct Entry: Sendable, Hashable, Codable {
        /// The holder's name, which the audit log shows.
        let name: String
        /// What its holder may do.
        let role: ServerRole
        /// SHA-256 of the token, in hexadecimal.
        let sha256: String

        /// An entry for that token.
        public init(name: String, role: ServerRole, token: String) {
            (self.name, self.role, sha256) = (name, role, Digest.sha256(of: token))
        }
    }

    private struct File: Codable { var tokens: [Entry] }

    /// All tokens.
    package let entries: [Entry]
    private let digests: [[UInt8]]

    /// - Throws: ``ControlPlaneError`` with `invalidTokens` for a name that is empty, duplicate or longer than 100
    ///   bytes, and for a digest that is invalid or duplicate.
    public init(_ entries: [Entry]) throws(ControlPlaneError) {
        var names: Set<String> = []
        var digests: [[UInt8]] = []
        var holders: [[UInt8]: String] = [:]
        for (number, entry) in entries.enumerated() {
            let digest = Self.bytes(entry.sha256)
            guard let digest else {
                throw ControlPlaneError(.invalidTokens, "token \(number + 1) has no SHA-256 of 64 digits")
            }
            let isPlain = entry.name.unicodeScalars.allSatisfy { !$0.properties.generalCategory.isControl }
            guard !entry.name.isEmpty, entry.name.utf8.count <= 100, isPlain else {
                throw ControlPlaneError(
                    .invalidTokens,
                    "token \(number + 1) needs a name of 1 to 100 bytes without control characters"
                )
            }
            guard names.insert(entry.name).inserted else {
                throw ControlPlaneError(.invalidTokens, "two tokens have the name \(entry.name)")
            }
            if let other = holders.updateValue(entry.name, forKey: digest) {
                throw ControlPlaneError(.invalidTokens, "\(other) and \(entry.name) have the same token")
            }
            digests.append(digest)
        }
        (self.entries, self.digests) = (entries, digests)
    }

    /// Reads the file.
    ///
    /// - Throws: ``ControlPlaneError`` with `invalidTokens`, also for a file that others than its owner may write: they
    ///   could give themselves any role.
    public init(contentsOfFile path: String) throws(ControlPlaneError) {
        var status = stat()
        guard stat(path, &status) == 0, let data = FileManager.default.contents(atPath: path) else {
            throw ControlPlaneError(.invalidTokens, "\(path) cannot be read")
        }
        guard status.st_mode & 0o022 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw ControlPlaneError(
                .invalidTokens,
                "\(path) has the mode \(mode), so others may write it: chmod go-w \(path)"
            )
        }
        guard let file = try? JSONDecoder().decode(File.self, from: data) else {
            throw ControlPlaneError(
                .invalidTokens,
                "\(path) is not {\"tokens\": [{\"name\", \"role\", \"sha256\"}]} with a role of "
                    + ServerRole.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        try self.init(file.tokens)
    }

    /// Makes a token and adds its digest to the file, which is created if it is missing, readable only by its owner.
    /// Others may add theirs at the same time.
    ///
    /// - Returns: the token.
    /// - Throws: ``ControlPlaneError`` with `invalidTokens`; the file is then unchanged, unless the message says that
    ///   this is unknown.
    package static func add(_ name: String, _ role: ServerRole, toFile path: String) throws(ControlPlaneError)
        -> String
    {
        do {
            let file = try NamedFile(path).path
            return try DirectoryLock(path: (file as NSString).deletingLastPathComponent).withLock {
                let exists = FileManager.default.fileExists(atPath: file)
                let known = exists ? try AccessTokens(contentsOfFile: file).entries : []
                let token = makeToken()
                try AccessTokens(known + [Entry(name: name, role: role, token: token)]).write(toFile: file)
                return token
            }
        } catch let error as ControlPlaneError {
            throw error
        } catch is DirectoryLock.Busy {
            throw ControlPlaneError(.invalidTokens, "\(path): another process holds the lock of its directory")
        } catch {
            throw ControlPlaneError(.invalidTokens, "\(error)")
        }
    }

    /// Writes the file, readable only by its owner; one that exists keeps its mode.
    func write(toFile path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try DurableFile(path: path).write(encoder.encode(File(tokens: entries)), keepsAttributes: true)
    }

    /// A new token of 256 random bits.
    package static func makeToken() -> String {
        var random = SystemRandomNumberGenerator()
        return "cofferdam_" + (0..<4).map { _ in (random.next() as UInt64).hexadecimal }.joined()
    }

    /// The entry of that token; nil if it is unknown. Takes the same time for every token.
    func entry(of token: String) -> Entry? {
        let digest = Digest.sha256(of: Array(token.utf8))
        var found: Int?
        for (place, known) in digests.enumerated() {
            var difference: UInt8 = 0
            for (a, b) in zip(digest, known) { difference |= a ^ b }
            if difference == 0 { found = place }
        }
        return found.map { entries[$0] }
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8]? {
        let digits = Array(hexadecimal.utf8)
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: 64, by: 2) {
            guard let byte = UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}

extension Unicode.GeneralCategory {
    /// Whether it may move the cursor or reorder a line, so that a text for people must not contain it.
    var isControl: Bool {
        switch self {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}

extension String {
    /// The text for logs: at most `limit` characters, none of which may move the cursor or reorder a line.
    func plain(_ limit: Int = 200) -> String {
        let scalars = unicodeScalars.prefix(limit).map { scalar -> Character in
            scalar.properties.generalCategory.isControl ? "\u{FFFD}" : Character(scalar)
        }
        return String(scalars)
    }
}
#endif

public import Cofferdam  // for TapeError

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Tape {
    /// The version of the file's format that this kit writes, and the newest that it reads.
    static let formatVersion = 1

    /// Returns the tape's file: JSON in UTF-8. Equal tapes give equal bytes.
    ///
    /// - Throws: `TapeError` with `unrecordable` for a value that JSON cannot hold.
    package func json() throws(TapeError) -> [UInt8] {
        do {
            return [UInt8](try JSONEncoder.tape(isPretty: true).encode(TapeFile(self))) + [10]
        } catch {
            throw TapeError(.unrecordable, "the tape cannot be written as JSON", subject: title)
        }
    }

    /// Reads a tape that `json()` has written.
    ///
    /// - Parameter subject: the tape's name in errors, such as a file's path.
    /// - Throws: `TapeError` with `damaged`, saying where, or `newer`.
    package init(json bytes: [UInt8], subject: String = "tape") throws(TapeError) {
        let data = Data(bytes)
        let decoder = JSONDecoder.tape
        do {
            let version = try decoder.decode(TapeFile.Header.self, from: data).cofferdamTape
            guard version <= Self.formatVersion else {
                let versions = "it has format \(version), and this kit reads up to \(Self.formatVersion)"
                throw TapeError(.newer, "made by a newer version: \(versions)", subject: subject)
            }
            let file = try decoder.decode(TapeFile.self, from: data)
            self.init(title: file.title, redaction: file.redaction, entries: file.entries)
        } catch let error as TapeError {
            throw error
        } catch let error as DecodingError {
            throw TapeError(.damaged, Self.damage(in: bytes) ?? error.whatAndWhere, subject: subject)
        } catch {
            throw TapeError(.damaged, "not a tape: \(error)", subject: subject)
        }
    }

    /// Describes the usual damage of files under version control, because the decoder does not say where a file is not
    /// JSON.
    private static func damage(in bytes: [UInt8]) -> String? {
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        if let line = lines.firstIndex(where: { $0.starts(with: "<<<<<<< ".utf8) }) {
            return "line \(line + 1): a merge conflict"
        }
        guard let last = lines.lastIndex(where: { !$0.isEmpty }) else { return "the file is empty" }
        return lines[last].last == 125 ? nil : "line \(last + 1): the file ends before the tape does"
    }

    /// Reads a tape from a file.
    ///
    /// - Throws: `TapeError` with `file`, and what `init(json:subject:)` throws.
    public init(contentsOf path: String) throws(TapeError) {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw TapeError(.file, "the tape cannot be read: it is missing, or not readable", subject: path)
        }
        try self.init(json: [UInt8](data), subject: path)
    }

    /// Writes the tape to a file atomically, replacing an existing one; creates missing directories.
    ///
    /// - Throws: `TapeError` with `file`, and what `json()` throws.
    public func write(to path: String) throws(TapeError) {
        let data = Data(try json())
        let url = URL(filePath: path)
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try data.write(to: url, options: .atomic)
        } catch {
            throw TapeError(.file, "the tape cannot be written: \(error)", subject: path)
        }
    }
}

private struct TapeFile: Codable {
    struct Header: Codable {
        /// The format's version.
        var cofferdamTape: Int
    }

    var cofferdamTape: Int
    var title: String
    var redaction: TapeRedactionSummary
    var entries: [TapeEntry]

    init(_ tape: Tape) {
        cofferdamTape = Tape.formatVersion
        title = tape.title
        redaction = tape.redaction
        entries = tape.entries
    }
}

extension DecodingError {
    /// "entries[2].outcome: exactly one of …".
    var whatAndWhere: String {
        let (context, missing): (Context, String?) =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                (context, nil)
            case .keyNotFound(let key, let context): (context, key.stringValue)
            @unknown default: (Context(codingPath: [], debugDescription: "cannot be read"), nil)
            }
        let path = TapePath(context.codingPath).description
        let what = missing.map { "\($0) is missing" } ?? context.debugDescription
        return (path.isEmpty ? "" : path + ": ") + what
    }
}

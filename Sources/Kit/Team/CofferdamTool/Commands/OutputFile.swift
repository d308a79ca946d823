#if CommandLine
import CofferdamContracts

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Files that commands read and write.
enum OutputFile {
    /// Encodes JSON as all commands print it: the same bytes for the same value.
    static func json(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return Array(try encoder.encode(value)) + [10]
    }

    /// Writes the whole file or nothing, and creates missing folders.
    static func write(_ bytes: [UInt8], to path: String) throws {
        do {
            let url = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(bytes).write(to: url, options: .atomic)
        } catch {
            throw FileProblem("cannot write '\(path)': \(error)")
        }
    }

    static func write(_ value: some Encodable, to path: String) throws { try write(json(value), to: path) }

    static func read<Value: Decodable>(_ type: Value.Type, from path: String) throws -> Value {
        guard FileManager.default.fileExists(atPath: path) else { throw FileProblem("there is no file '\(path)'") }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw FileProblem("cannot read '\(path)': \(error)")
        }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw FileProblem("'\(path)' is not what was expected: \(error)")
        }
    }
}

/// When each fake last passed, in a file that may not exist yet.
enum CertificateFile {
    static func read(_ path: String) throws -> [Certification] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try OutputFile.read([Certification].self, from: path)
    }

    static func write(_ certifications: [Certification], to path: String) throws {
        if !certifications.isEmpty { try OutputFile.write(certifications, to: path) }
    }
}

struct FileProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
#endif

import Foundation
import Testing

/// Numbers in a file, one on each line, each written at once: the system keeps them when the process is killed.
package final class Notes: Sendable {
    private let file: Int32

    package init(_ path: String) throws {
        file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(file >= 0)
    }

    deinit { close(file) }

    package func add(_ number: Int) throws {
        let bytes = Array("\(number)\n".utf8)
        try #require(write(file, bytes, bytes.count) == bytes.count)
    }

    /// The last number, or 0 if there is none.
    package static func last(_ path: String) throws -> Int {
        guard FileManager.default.fileExists(atPath: path) else { return 0 }
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return text.split(separator: "\n").last.flatMap { Int($0) } ?? 0
    }
}

import Foundation
import Testing

/// Lines at the end of a file, each written at once: what the vendor's backend did, or what a caller was told. The system
/// keeps them when the process is killed.
final class Ledger: Sendable {
    private let file: Int32
    let path: String

    init(path: String) throws {
        self.path = path
        file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(file >= 0, "\(path): \(errno)")
    }

    deinit { close(file) }

    func add(_ words: String...) {
        let line = Array((words.joined(separator: " ") + "\n").utf8)
        guard write(file, line, line.count) == line.count else { exit(2) }
    }

    /// The words of each line; without the one that a kill has cut off.
    func lines() throws -> [[String]] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let whole = text.prefix { _ in true }.split(separator: "\n", omittingEmptySubsequences: true)
        return whole.map { $0.split(separator: " ").map(String.init) }
    }
}

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

    /// The words of each line.
    func lines() throws -> [[String]] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }
}

/// What outlives a process: what the vendors did, what callers were told, and at which stages calls were made.
struct ChaosLedgers: Sendable {
    let backend: Ledger
    let notes: Ledger
    let seen: Ledger

    init(in directory: String) throws {
        backend = try Ledger(path: directory + "/backend")
        notes = try Ledger(path: directory + "/notes")
        seen = try Ledger(path: directory + "/seen")
    }
}

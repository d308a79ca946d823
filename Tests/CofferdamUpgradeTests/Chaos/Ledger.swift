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

/// What outlives a process.
struct ChaosLedgers: Sendable {
    /// What the vendors did.
    let backend: Ledger
    /// What callers were told.
    let notes: Ledger
    /// At which stages calls were made.
    let seen: Ledger
    /// What has happened, and what of it a side has left out.
    let feed: Ledger
    /// What listeners were told.
    let heard: Ledger
    /// Which calls of the candidate began and ended.
    let calls: Ledger
    /// What each process has found of the one before.
    let processes: Ledger
    /// What was seen at once that must not be.
    let violations: Ledger

    init(in directory: String) throws {
        func ledger(_ name: String) throws -> Ledger { try Ledger(path: "\(directory)/\(name)") }
        backend = try ledger("backend")
        notes = try ledger("notes")
        seen = try ledger("seen")
        feed = try ledger("feed")
        heard = try ledger("heard")
        calls = try ledger("calls")
        processes = try ledger("processes")
        violations = try ledger("violations")
    }
}

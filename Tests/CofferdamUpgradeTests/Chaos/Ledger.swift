import Foundation
import Testing

/// Appends lines to a file, each at once: what the vendor's backend did, or what a caller received. The system keeps
/// them when the process is killed.
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

/// The ledgers, which outlive the process.
struct ChaosLedgers: Sendable {
    /// What the vendors did.
    let backend: Ledger
    /// The results of the calls.
    let notes: Ledger
    /// The stages at which calls were made.
    let seen: Ledger
    /// The events, and those that a side left out.
    let feed: Ledger
    /// What listeners received.
    let received: Ledger
    /// Calls of the candidate that began and ended.
    let calls: Ledger
    /// What each process found of the previous one.
    let processes: Ledger
    /// Violations that were seen at once.
    let violations: Ledger

    init(in directory: String) throws {
        func ledger(_ name: String) throws -> Ledger { try Ledger(path: "\(directory)/\(name)") }
        backend = try ledger("backend")
        notes = try ledger("notes")
        seen = try ledger("seen")
        feed = try ledger("feed")
        received = try ledger("received")
        calls = try ledger("calls")
        processes = try ledger("processes")
        violations = try ledger("violations")
    }
}

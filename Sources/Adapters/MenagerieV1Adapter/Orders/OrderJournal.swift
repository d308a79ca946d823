import Cofferdam
import Foundation
import SanctuaryDomain

/// A journal of the orders sent and their keys: this vendor has no idempotency keys, so it cannot tell a repeat from a
/// second order. An entry is on disk before its order is sent, because the answer may never arrive.
final class OrderJournal: Sendable {
    struct Entry: Codable, Sendable, Hashable {
        var key: String
        var user: String
        var lines: [Line]
        /// The number of orders the user had before this one was sent.
        var before: Int
        /// Nil while it is unknown whether the order was placed.
        var orderID: String?
    }

    struct Line: Codable, Sendable, Hashable {
        var article: String
        var quantity: Int
        var minorUnits: Int64
        var currency: String

        init(_ line: OrderLine) {
            article = line.article
            quantity = line.quantity
            minorUnits = line.unitPrice.minorUnits
            currency = line.unitPrice.currency.code
        }
    }

    /// Serialises orders, so that a search for one never finds another that is in flight.
    let turnstile = AsyncMutex()
    private let url: URL
    private let known = Mutex<Known?>(nil)

    /// The file's content when it was last read or written: reading it for each order would take longer than the order.
    private struct Known {
        let version: Version
        let entries: [Entry]
    }

    /// Identifies the file's version: each change makes a new file.
    private struct Version: Equatable {
        let number: Int?
        let changed: Date?
        let size: Int?
    }

    /// The maximum number of entries.
    static let capacity = 200

    init(directory: String) { url = URL(fileURLWithPath: directory + "/sanctuary.orders.json") }

    func entry(_ key: String, of user: String) throws(SanctuaryError) -> Entry? {
        try entries().first { $0.key == key && $0.user == user }
    }

    /// The ids of orders that belong to other keys.
    func claimed(by user: String) throws(SanctuaryError) -> Set<String> {
        Set(try entries().filter { $0.user == user }.compactMap(\.orderID))
    }

    /// The entries whose outcome is unknown.
    func open() throws(SanctuaryError) -> [Entry] { try entries().filter { $0.orderID == nil } }

    /// Inserts the entry, or replaces the one with the same key.
    func put(_ entry: Entry) throws(SanctuaryError) {
        try change { entries in
            entries.removeAll { $0.key == entry.key && $0.user == entry.user }
            entries.append(entry)
            // Entries with a known outcome are dropped first.
            while entries.count > Self.capacity {
                entries.remove(at: entries.firstIndex { $0.orderID != nil } ?? 0)
            }
        }
    }

    func forget(_ entry: Entry) throws(SanctuaryError) {
        try change { entries in entries.removeAll { $0.key == entry.key && $0.user == entry.user } }
    }

    private func entries() throws(SanctuaryError) -> [Entry] {
        do {
            return try known.withLock { try read(&$0) }
        } catch {
            throw SanctuaryError(.unknown, "the journal of orders cannot be read", subject: url.path)
        }
    }

    private func change(_ body: (inout [Entry]) -> Void) throws(SanctuaryError) {
        do {
            try known.withLock { known in
                var entries = try read(&known)
                body(&entries)
                known = nil
                try JSONEncoder().encode(entries).write(to: url, options: .atomic)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
                known = try Known(version: version(), entries: entries)
            }
        } catch {
            throw SanctuaryError(.unknown, "the journal of orders cannot be written", subject: url.path)
        }
    }

    private func read(_ known: inout Known?) throws -> [Entry] {
        do {
            let version = try version()
            if let known, known.version == version { return known.entries }
            let entries = try JSONDecoder().decode([Entry].self, from: Data(contentsOf: url))
            known = Known(version: version, entries: entries)
            return entries
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            known = nil
            return []
        }
    }

    private func version() throws -> Version {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return Version(
            number: attributes[.systemFileNumber] as? Int,
            changed: attributes[.modificationDate] as? Date,
            size: attributes[.size] as? Int
        )
    }
}

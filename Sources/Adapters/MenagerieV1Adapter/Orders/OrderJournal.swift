import Cofferdam
import Foundation
import SanctuaryDomain

/// Which orders have been sent under which key: this vendor does not know a key again, and so cannot tell a repeat from a
/// second order. On disk before an order is sent, because the answer may never come.
final class OrderJournal: Sendable {
    struct Entry: Codable, Sendable, Hashable {
        var key: String
        var user: String
        var lines: [Line]
        /// How many orders the user had before it was sent.
        var before: Int
        /// Nil as long as nobody knows whether it was placed.
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

    /// One order after the other, so that looking for one never finds another that is on its way.
    let turnstile = AsyncMutex()
    private let url: URL
    private let known = Mutex<Known?>(nil)

    /// What the file held when it was last read or written: reading it for each order would take longer than the order.
    private struct Known {
        let version: Version
        let entries: [Entry]
    }

    /// Which file it is, and since when: each change makes another one.
    private struct Version: Equatable {
        let number: Int?
        let changed: Date?
        let size: Int?
    }

    /// How many entries are kept.
    static let capacity = 200

    init(directory: String) { url = URL(fileURLWithPath: directory + "/sanctuary.orders.json") }

    func entry(_ key: String, of user: String) throws(SanctuaryError) -> Entry? {
        try entries().first { $0.key == key && $0.user == user }
    }

    /// The orders that are known to be another key's.
    func claimed(by user: String) throws(SanctuaryError) -> Set<String> {
        Set(try entries().filter { $0.user == user }.compactMap(\.orderID))
    }

    /// Those of which nobody knows whether they were placed.
    func open() throws(SanctuaryError) -> [Entry] { try entries().filter { $0.orderID == nil } }

    /// Puts it in the place of the one with its key.
    func put(_ entry: Entry) throws(SanctuaryError) {
        try change { entries in
            entries.removeAll { $0.key == entry.key && $0.user == entry.user }
            entries.append(entry)
            // An open one is the last to go.
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

#if Sandbox
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
        let stored: [Stored]
    }

    /// An entry and its JSON, which is encoded only once: the file is written twice for each order.
    private struct Stored {
        let entry: Entry
        let json: Data

        init(_ entry: Entry) throws {
            self.entry = entry
            json = try JSONEncoder().encode(entry)
        }

        func isFor(_ key: String, _ user: String) -> Bool { entry.key == key && entry.user == user }
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
        try stored().first { $0.isFor(key, user) }?.entry
    }

    /// The ids of orders that belong to other keys.
    func claimed(by user: String) throws(SanctuaryError) -> Set<String> {
        Set(try stored().filter { $0.entry.user == user }.compactMap(\.entry.orderID))
    }

    /// The entries whose outcome is unknown.
    func open() throws(SanctuaryError) -> [Entry] { try stored().map(\.entry).filter { $0.orderID == nil } }

    /// Inserts the entry, or replaces the one with the same key.
    func put(_ entry: Entry) throws(SanctuaryError) {
        try change { stored in
            stored.removeAll { $0.isFor(entry.key, entry.user) }
            stored.append(try Stored(entry))
            // Entries with a known outcome are dropped first.
            while stored.count > Self.capacity {
                stored.remove(at: stored.firstIndex { $0.entry.orderID != nil } ?? 0)
            }
        }
    }

    func forget(_ entry: Entry) throws(SanctuaryError) {
        try change { stored in stored.removeAll { $0.isFor(entry.key, entry.user) } }
    }

    private func stored() throws(SanctuaryError) -> [Stored] {
        do {
            return try known.withLock { try read(&$0) }
        } catch {
            throw SanctuaryError(.unknown, "the journal of orders cannot be read", subject: url.path)
        }
    }

    private func change(_ body: (inout [Stored]) throws -> Void) throws(SanctuaryError) {
        do {
            try known.withLock { known in
                var stored = try read(&known)
                try body(&stored)
                known = nil
                try Self.array(of: stored).write(to: url, options: .atomic)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
                known = try Known(version: version(), stored: stored)
            }
        } catch {
            throw SanctuaryError(.unknown, "the journal of orders cannot be written", subject: url.path)
        }
    }

    private static func array(of stored: [Stored]) -> Data {
        var json = Data("[".utf8)
        for (index, part) in stored.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json.append(part.json)
        }
        json.append(UInt8(ascii: "]"))
        return json
    }

    private func read(_ known: inout Known?) throws -> [Stored] {
        do {
            let version = try version()
            if let known, known.version == version { return known.stored }
            let stored = try JSONDecoder().decode([Entry].self, from: Data(contentsOf: url)).map(Stored.init)
            known = Known(version: version, stored: stored)
            return stored
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
#endif

#if Sandbox
import Cofferdam
import Foundation
import SanctuaryDomain

/// Maps those of the vendor's UUIDs about which the vendor has been asked to the domain's animals.
///
/// The domain identifies an animal by the vendor's legacy decimal id if there is one, otherwise by the UUID in lower
/// case. The vendor's first answer is final: an id never changes, nor, with a journal, from one launch to the next.
final class AnimalIDMap: Sendable {
    fileprivate struct Tables {
        var legacyOf: [String: Int] = [:]
        var vendorOf: [Int: String] = [:]
        /// UUIDs for which the vendor has no legacy id.
        var withoutLegacy: Set<String> = []
    }

    private let tables: Mutex<Tables>
    private let journal: AnimalIDJournal?

    /// - Parameters:
    ///   - journal: stores the vendor's answers; a contradictory journal is started anew.
    ///   - isKept: whether new answers are stored in the journal.
    init(journal: AnimalIDJournal? = nil, isKept: Bool = true) {
        self.journal = isKept ? journal : nil
        let entries = journal?.load() ?? []
        do throws(SanctuaryError) {
            var read = Tables()
            try read.take(entries)
            tables = Mutex(read)
        } catch {
            journal?.begin([], because: error.message)
            tables = Mutex(Tables())
        }
    }

    /// How to find the vendor's id of a domain id.
    enum Way: Hashable {
        /// The UUID is known.
        case known(String)
        /// The vendor must be asked about this legacy id.
        case legacy(Int)
        /// The id cannot belong to an animal of this vendor.
        case none
    }

    /// Returns a UUID's canonical spelling; nil if `uuid` is not a UUID. The result is stable under repetition.
    static func normalised(_ uuid: String) -> String? { UUID(uuidString: uuid)?.uuidString.lowercased() }

    func way(from id: AnimalID) -> Way {
        if let legacy = Int(id.rawValue), legacy >= 0, String(legacy) == id.rawValue {
            return tables.withLock { $0.vendorOf[legacy] }.map(Way.known) ?? .legacy(legacy)
        }
        return Self.normalised(id.rawValue).map(Way.known) ?? .none
    }

    /// Returns the domain's id of a UUID; nil if it is not a UUID, or the vendor has not been asked yet.
    func id(of uuid: String) -> AnimalID? {
        guard let uuid = Self.normalised(uuid) else { return nil }
        return tables.withLock { tables in
            if let legacy = tables.legacyOf[uuid] { return AnimalID("\(legacy)") }
            return tables.withoutLegacy.contains(uuid) ? AnimalID(uuid) : nil
        }
    }

    /// Returns the UUIDs that the vendor has to be asked about, each once, in order.
    func unknown(among uuids: some Sequence<String>) -> [String] {
        tables.withLock { tables in
            var seen: Set<String> = []
            return uuids.compactMap(Self.normalised).filter { uuid in
                tables.legacyOf[uuid] == nil && !tables.withoutLegacy.contains(uuid) && seen.insert(uuid).inserted
            }
        }
    }

    /// Records the vendor's answer: all of it or, on a contradiction, nothing.
    ///
    /// - Parameter asked: the requested UUIDs; those the vendor left out have no legacy id.
    /// - Throws: `conflict` if a UUID has two legacy ids, or a legacy id two UUIDs; `decoding` for an invalid id.
    func record(_ pairs: [(legacy: Int, uuid: String)], asked: [String] = []) throws(SanctuaryError) {
        var entries: [AnimalIDJournal.Entry] = []
        for (index, pair) in pairs.enumerated() {
            guard pair.legacy >= 0, let uuid = Self.normalised(pair.uuid) else {
                throw SanctuaryError(.decoding, "not a pair of ids", subject: "pairs[\(index)]")
            }
            entries.append(.pair(legacy: pair.legacy, uuid: uuid))
        }
        let answered = Set(pairs.compactMap { Self.normalised($0.uuid) })
        entries += asked.compactMap(Self.normalised).filter { !answered.contains($0) }.map { .withoutLegacy($0) }
        try tables.withLock { (tables) throws(SanctuaryError) in
            var updated = tables
            let new = try updated.take(entries)
            journal?.append(new)
            tables = updated
        }
    }
}

extension AnimalIDMap.Tables {
    /// - Returns: the entries that are new.
    @discardableResult
    fileprivate mutating func take(
        _ entries: [AnimalIDJournal.Entry]
    ) throws(SanctuaryError) -> [AnimalIDJournal.Entry] {
        var new: [AnimalIDJournal.Entry] = []
        for entry in entries {
            switch entry {
            case .pair(let legacy, let uuid):
                guard legacyOf[uuid] ?? legacy == legacy, vendorOf[legacy] ?? uuid == uuid,
                    !withoutLegacy.contains(uuid)
                else { throw SanctuaryError(.conflict, "two animals share an id", subject: "\(legacy) = \(uuid)") }
                if legacyOf.updateValue(legacy, forKey: uuid) == nil { new.append(entry) }
                vendorOf[legacy] = uuid
            case .withoutLegacy(let uuid):
                if legacyOf[uuid] == nil, withoutLegacy.insert(uuid).inserted { new.append(entry) }
            }
        }
        return new
    }
}
#endif

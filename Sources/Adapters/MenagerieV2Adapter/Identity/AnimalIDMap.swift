import Cofferdam
import Foundation
import SanctuaryDomain

/// Which of the vendor's UUIDs is which of the domain's animals, as far as the vendor has been asked.
///
/// The domain names an animal by the vendor's old decimal id where there is one, else by the UUID in lower case. What the
/// vendor has once said stays so: an id never changes, and with a journal not from one launch to the next either.
final class AnimalIDMap: Sendable {
    fileprivate struct Tables {
        var legacyOf: [String: Int] = [:]
        var vendorOf: [Int: String] = [:]
        /// UUIDs of which the vendor said that they have no old id.
        var withoutLegacy: Set<String> = []
    }

    private let tables: Mutex<Tables>
    private let journal: AnimalIDJournal?

    /// - Parameters:
    ///   - journal: where what the vendor said is kept; one that contradicts itself is begun anew.
    ///   - isKept: whether what the vendor says from now on is kept there as well.
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

    /// How the domain's id leads to the vendor's.
    enum Way: Hashable {
        /// This is the UUID.
        case known(String)
        /// The vendor has to be asked about this old id.
        case legacy(Int)
        /// No animal of this vendor can be named so.
        case none
    }

    /// One spelling for each UUID; nil if it is none. Normalising again changes nothing.
    static func normalised(_ uuid: String) -> String? { UUID(uuidString: uuid)?.uuidString.lowercased() }

    func way(from id: AnimalID) -> Way {
        if let legacy = Int(id.rawValue), legacy >= 0, String(legacy) == id.rawValue {
            return tables.withLock { $0.vendorOf[legacy] }.map(Way.known) ?? .legacy(legacy)
        }
        return Self.normalised(id.rawValue).map(Way.known) ?? .none
    }

    /// The domain's id of a UUID; nil if it is none, or the vendor has not been asked yet.
    func id(of uuid: String) -> AnimalID? {
        guard let uuid = Self.normalised(uuid) else { return nil }
        return tables.withLock { tables in
            if let legacy = tables.legacyOf[uuid] { return AnimalID("\(legacy)") }
            return tables.withoutLegacy.contains(uuid) ? AnimalID(uuid) : nil
        }
    }

    /// Those about which the vendor has to be asked, each once, in their order.
    func unknown(among uuids: some Sequence<String>) -> [String] {
        tables.withLock { tables in
            var seen: Set<String> = []
            return uuids.compactMap(Self.normalised).filter { uuid in
                tables.legacyOf[uuid] == nil && !tables.withoutLegacy.contains(uuid) && seen.insert(uuid).inserted
            }
        }
    }

    /// Takes what the vendor answered. All of it or, at a contradiction, nothing.
    ///
    /// - Parameter asked: the UUIDs that the vendor was asked about; those of them that it left out have no old id.
    /// - Throws: `conflict` if one UUID has two old ids, or one old id two UUIDs; `decoding` for what is no id.
    func record(_ pairs: [(legacy: Int, uuid: String)], asked: [String] = []) throws(SanctuaryError) {
        var entries: [AnimalIDJournal.Entry] = []
        for (index, pair) in pairs.enumerated() {
            guard pair.legacy >= 0, let uuid = Self.normalised(pair.uuid) else {
                throw SanctuaryError(.decoding, "no pair of ids", subject: "pairs[\(index)]")
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
    /// - Returns: what was not known before.
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

import Cofferdam

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where and in which format a ``StoreList`` is saved between launches.
///
/// Each model is saved as a record of another type, so that a model need not be `Codable` and may change without making
/// the saved lists unreadable. Add new properties to a record as optional ones.
///
/// ```swift
/// struct AnimalRecord: Codable {
///     var id: Int
///     var name: String
/// }
///
/// let persistence = ListPersistence<Animal>(storage, key: "animals") {
///     AnimalRecord(id: $0.id, name: $0.name)
/// } model: {
///     Animal(id: $0.id, name: $0.name)
/// }
/// ```
public struct ListPersistence<Model: StoreModel>: Sendable {
    let storage: ListStorage
    let key: String
    let owner: ListOwner
    let encode: @Sendable (_ models: [Model], _ owner: String, _ loadedAt: Int64) throws -> [UInt8]
    let decode: @Sendable (_ bytes: [UInt8]) throws -> SavedList<Model>

    /// - Parameters:
    ///   - key: names the list in the storage.
    ///   - owner: who may see the saved list.
    ///   - isPersistent: returns false for a model that is not saved, such as an order that is still being placed.
    ///   - record: returns the record of a model.
    ///   - model: returns the model of a record. If it throws, the list is loaded as if nothing had been saved.
    public init<Record: Codable & Sendable>(
        _ storage: ListStorage,
        key: String,
        owner: ListOwner = .everyone,
        isPersistent: @escaping @Sendable (Model) -> Bool = { _ in true },
        record: @escaping @Sendable (Model) -> Record,
        model: @escaping @Sendable (Record) throws -> Model
    ) {
        (self.storage, self.key, self.owner) = (storage, key, owner)
        encode = { models, owner, loadedAt in
            let items = models.filter(isPersistent).map(record)
            return [UInt8](try JSONEncoder().encode(SavedList(owner: owner, loadedAt: loadedAt, items: items)))
        }
        decode = { bytes in
            let saved = try JSONDecoder().decode(SavedList<Record>.self, from: Data(bytes))
            return SavedList(owner: saved.owner, loadedAt: saved.loadedAt, items: try saved.items.map(model))
        }
    }
}

extension ListPersistence where Model: Codable {
    /// Saves the models as they are.
    public init(_ storage: ListStorage, key: String, owner: ListOwner = .everyone) {
        self.init(storage, key: key, owner: owner, record: { $0 }, model: { $0 })
    }
}

/// Who may see a saved list.
public enum ListOwner: Sendable {
    /// Every user of the device.
    case everyone
    /// The signed-in user, whose id the closure returns. Nothing is saved or restored while it returns nil.
    case user(@Sendable () async throws -> String?)

    /// Empty for everyone; nil if no user is signed in.
    var name: String? {
        get async throws {
            switch self {
            case .everyone: ""
            case .user(let user): try await user().flatMap { $0.isEmpty ? nil : $0 }
            }
        }
    }
}

/// A list as it is stored.
struct SavedList<Item> {
    /// Empty for ``ListOwner/everyone``; nil in a list that was saved before lists had owners.
    var owner: String?
    /// In milliseconds since 1970.
    var loadedAt: Int64
    var items: [Item]
}

extension SavedList: Encodable where Item: Encodable {}
extension SavedList: Decodable where Item: Decodable {}

/// A model that a ``CachedStore`` can keep.
public protocol CachedModel: StoreModel, Codable where ID: Codable {
    /// Names the model's entries in the cache. If it changes, what was kept is found no longer.
    static var cacheName: String { get }
}

extension CachedModel {
    /// The type's name, with its module.
    public static var cacheName: String { String(reflecting: Self.self) }
}

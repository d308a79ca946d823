#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The cache keys of a ``CachedStore``.
enum CacheKeys {
    static func model<Model: CachedModel>(_ type: Model.Type, _ id: Model.ID) -> String {
        "model/\(Model.cacheName)/\(name(id))"
    }

    /// The key of a list's entry, which holds its ids.
    static func list<Model: CachedModel>(_ type: Model.Type, _ key: String) -> String {
        "list/\(Model.cacheName)/\(key)"
    }

    /// The key of the entry that holds the names of all lists.
    static func lists<Model: CachedModel>(_ type: Model.Type) -> String { "lists/\(Model.cacheName)" }

    /// The id as JSON, in which `1` and `"1"` differ; an id that JSON cannot represent, as its debug description.
    private static func name<ID: Codable>(_ id: ID) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return String(decoding: try encoder.encode(id), as: UTF8.self) } catch { return String(reflecting: id) }
    }
}

func encoded(_ value: some Encodable, for key: String) throws -> [UInt8] {
    do { return [UInt8](try JSONEncoder().encode(value)) } catch {
        throw CachedStoreError(.unwritable, key, cause: error)
    }
}

func decoded<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8], for key: String) throws -> Value {
    do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
        throw CachedStoreError(.unreadable, key, cause: error)
    }
}

extension ModelCache {
    func value<Value: Decodable>(_ type: Value.Type, for key: String) async throws -> Value? {
        try await bytes(for: key).map { try decoded(type, $0, for: key) }
    }

    /// The saved model; nil if there is none or an empty entry marks it as deleted.
    func model<Model: CachedModel>(_ type: Model.Type, for key: String) async throws -> Model? {
        guard let bytes = try await bytes(for: key), !bytes.isEmpty else { return nil }
        return try decoded(type, bytes, for: key)
    }
}

// snippet: port
/// Keeps the app's texts, each under a key.
protocol Storage: Sendable {
    func set(_ text: String, for key: String) async throws

    /// - Throws: `missing` for a key that has no text.
    func text(for key: String) async throws -> String

    /// A key without a text may be removed as well.
    func remove(_ key: String) async throws

    /// One page of the keys, in their order.
    ///
    /// - Throws: `badCursor` for a cursor that this storage has not given, or that leads nowhere.
    func keys(after cursor: String?, limit: Int) async throws -> KeyPage
}

struct KeyPage: Sendable {
    var keys: [String]
    var next: String?
}

enum StorageError: Error {
    case missing, badCursor
}
// end

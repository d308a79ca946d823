#if Sandbox
/// Persistent storage of a world: values under the name of a part and a number.
protocol Storage: Sendable {
    func values(of part: String) throws -> [(position: Int, value: [UInt8])]

    /// Applies all changes atomically.
    func apply(_ changes: [StorageChange]) throws

    /// Releases the storage; later changes fail.
    func close()
}

enum StorageChange: Sendable, Hashable {
    case clear(part: String)
    case put(part: String, position: Int, value: [UInt8])
}

/// Opens the file, and creates it if it is missing.
func openStorage(path: String) throws(ServiceError) -> any Storage {
    #if SQLite
    do {
        return try SQLiteStorage(path: path)
    } catch {
        throw ServiceError(.badState, "cannot keep the state in \(path): \(error)")
    }
    #else
    throw ServiceError(
        .invalidConfiguration,
        "state in a file needs the trait SQLite: swift run --traits SDKv1,SQLite menagerie-service …"
    )
    #endif
}
#endif

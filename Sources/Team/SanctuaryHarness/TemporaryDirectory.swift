import Foundation

/// A directory for one adapter's state.
public struct TemporaryDirectory: Sendable {
    public let path: String

    public init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "cofferdam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path(percentEncoded: false)
    }

    /// Removes it with all that is in it; what cannot be removed is left to the system, which empties that place.
    public func remove() {
        do { try FileManager.default.removeItem(atPath: path) } catch {}
    }
}

#if Sandbox
import Foundation

/// A temporary directory for one adapter's state.
public struct TemporaryDirectory: Sendable {
    public let path: String

    public init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "cofferdam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path(percentEncoded: false)
    }

    /// Removes the directory with its contents. Files that cannot be removed are left to the system's cleanup.
    public func remove() {
        // What a vendor's SDK still writes meanwhile needs another turn.
        for _ in 0..<10 where FileManager.default.fileExists(atPath: path) {
            do { try FileManager.default.removeItem(atPath: path) } catch {}
        }
    }
}
#endif

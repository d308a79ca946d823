import Foundation
import Testing

/// Removes a test's folder with all that is in it, or a file, if it is there.
///
/// A database that was released without being closed may still be removing its own files, or making one; a plain removal then stops
/// half-way, and leaves the folder behind.
package func removeFolder(_ path: String) {
    var attempts = 0
    while FileManager.default.fileExists(atPath: path) {
        attempts += 1
        do { try FileManager.default.removeItem(atPath: path) } catch {
            // Something else is wrong, such as the folder's permissions.
            if attempts == 10_000 { Issue.record(error); return }
        }
    }
}

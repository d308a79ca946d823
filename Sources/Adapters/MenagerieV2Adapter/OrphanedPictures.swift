import Foundation
public import SanctuaryDomain  // its error is thrown

/// The pictures that the vendor's V1 has left on this device: V2 neither reads nor removes them. They are removed when the
/// app says so, which is when nobody goes back to V1 any more; V1 would fetch them again.
public struct OrphanedPictures: Sendable, Hashable {
    public var files: Int
    public var bytes: Int

    /// What there is under the state directory.
    ///
    /// - Throws: `unknown` if it is there and cannot be read.
    public static func found(in directory: String) throws(SanctuaryError) -> OrphanedPictures {
        OrphanedPictures(try list(directory))
    }

    /// Removes them, and nothing else; none there, nothing changes.
    ///
    /// - Returns: what was removed.
    /// - Throws: `unknown` if one cannot be removed; the others before it are gone then.
    @discardableResult
    public static func remove(in directory: String) throws(SanctuaryError) -> OrphanedPictures {
        let files = try list(directory)
        do {
            for file in files { try FileManager.default.removeItem(atPath: file.path) }
            // Only if nothing else is in it.
            if !files.isEmpty { _ = rmdir(folder(directory)) }
        } catch {
            throw cannot("be removed", directory)
        }
        return OrphanedPictures(files)
    }

    private init(_ files: [(path: String, size: Int)]) {
        self.files = files.count
        bytes = files.reduce(0) { $0 + $1.size }
    }

    private static func list(_ directory: String) throws(SanctuaryError) -> [(path: String, size: Int)] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder(directory))
                .filter { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) }
                .map { name in
                    let path = folder(directory) + "/" + name
                    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
                    return (path, size?.intValue ?? 0)
                }
        } catch CocoaError.fileReadNoSuchFile {
            return []
        } catch {
            throw cannot("be read", directory)
        }
    }

    private static func folder(_ directory: String) -> String { directory + "/menagerie.photos" }

    private static func cannot(_ what: String, _ directory: String) -> SanctuaryError {
        SanctuaryError(.unknown, "the pictures of the vendor's V1 cannot \(what)", subject: folder(directory))
    }
}

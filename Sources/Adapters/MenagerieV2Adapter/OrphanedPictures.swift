#if Sandbox
import Foundation
public import SanctuaryDomain  // the domain's error

/// The pictures that the vendor's V1 left on this device: V2 neither reads nor removes them. The app removes them once
/// there is no way back to V1, which would download them again.
public struct OrphanedPictures: Sendable, Hashable {
    public var files: Int
    public var bytes: Int

    /// Finds the pictures in the state directory.
    ///
    /// - Throws: `unknown` if the pictures' folder exists and cannot be read.
    public static func found(in directory: String) throws(SanctuaryError) -> OrphanedPictures {
        OrphanedPictures(try list(directory))
    }

    /// Removes the pictures and nothing else; does nothing if there are none.
    ///
    /// - Returns: the pictures that were removed.
    /// - Throws: `unknown` if a picture cannot be removed; those before it are gone then.
    @discardableResult
    public static func remove(in directory: String) throws(SanctuaryError) -> OrphanedPictures {
        let files = try list(directory)
        do {
            for file in files { try FileManager.default.removeItem(atPath: file.path) }
            // Succeeds only if the folder is empty.
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
#endif

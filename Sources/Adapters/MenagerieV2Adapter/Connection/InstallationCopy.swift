#if Sandbox
import Foundation
import SanctuaryDomain

/// A copy of what V2 needs of an installation, in a directory that only the user can read: ids and links. It holds no
/// sessions, which have one owner; no unsent messages, which must not be sent twice; and no pictures.
///
/// It is in the installation's own directory. A copy that a killed process has left is removed by the next one.
struct InstallationCopy: Sendable {
    let directory: String
    private let lock: Lock?

    private static let prefix = "sanctuary.shadow-"

    private static let names = [
        "menagerie.device", "com.menagerie.device.v2.json", "com.menagerie.v2.links.json", "sanctuary.animal-ids",
    ]

    /// - Throws: a ``SanctuaryError`` that names a file that exists and cannot be copied.
    init(of original: String) throws(SanctuaryError) {
        Self.removeAbandoned(in: original)
        let name = Self.prefix + UUID().uuidString
        // An installation that cannot be written to is copied to the system's temporary directory.
        let places = [original, FileManager.default.temporaryDirectory.path].map { "\($0)/\(name)" }
        guard let directory = places.first(where: Self.create) else {
            throw SanctuaryError(.unknown, "the copy for the shadow cannot be created", subject: places[0])
        }
        self.directory = directory
        lock = Lock(directory)
        for name in Self.names {
            let path = original + "/" + name
            do {
                try Data(contentsOf: URL(fileURLWithPath: path)).write(to: URL(fileURLWithPath: directory + "/" + name))
            } catch CocoaError.fileReadNoSuchFile {
                continue
            } catch {
                remove()
                throw SanctuaryError(.unknown, "the stored data cannot be copied for the shadow", subject: path)
            }
        }
    }

    /// Removes the copy. Files that cannot be removed are left to the system: they hold no secret.
    func remove() {
        do { try FileManager.default.removeItem(atPath: directory) } catch {}
    }

    private static func create(_ path: String) -> Bool {
        do {
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: attributes
            )
            return true
        } catch { return false }
    }

    /// What cannot be read or removed now is left to the next process.
    private static func removeAbandoned(in original: String) {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: original)) ?? [] where name.hasPrefix(prefix) {
            let path = "\(original)/\(name)"
            // A new one may not be locked yet.
            guard let made = try? files.attributesOfItem(atPath: path)[.modificationDate] as? Date,
                made.timeIntervalSinceNow < -10, let lock = Lock(path)
            else { continue }
            do { try files.removeItem(atPath: path) } catch {}
            withExtendedLifetime(lock) {}
        }
    }

    /// A lock on a directory, which ends with the process.
    private final class Lock: Sendable {
        private let folder: Int32

        /// Nil if a process holds it, or if it cannot be taken.
        init?(_ path: String) {
            // Not the property yet: once that is set, `deinit` closes it too.
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { return nil }
            guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
                close(folder)
                return nil
            }
            self.folder = folder
        }

        deinit { close(folder) }
    }
}
#endif

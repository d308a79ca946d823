import Foundation
import SanctuaryDomain

/// A copy of what V2 needs of an installation, in a directory that only the user can read: ids and links. It holds no
/// sessions, which have one owner; no unsent messages, which must not be sent twice; and no pictures.
struct InstallationCopy: Sendable {
    let directory: String

    private static let names = [
        "menagerie.device", "com.menagerie.device.v2.json", "com.menagerie.v2.links.json", "sanctuary.animal-ids",
    ]

    /// - Throws: a ``SanctuaryError`` that names a file that exists and cannot be copied.
    init(of original: String) throws(SanctuaryError) {
        let files = FileManager.default
        directory = files.temporaryDirectory.appending(path: "sanctuary-rehearsal-\(UUID().uuidString)").path
        do {
            try files.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw SanctuaryError(.unknown, "the copy to rehearse on cannot be made", subject: directory)
        }
        for name in Self.names {
            let path = original + "/" + name
            do {
                try Data(contentsOf: URL(fileURLWithPath: path)).write(to: URL(fileURLWithPath: directory + "/" + name))
            } catch CocoaError.fileReadNoSuchFile {
                continue
            } catch {
                remove()
                throw SanctuaryError(.unknown, "what is stored cannot be copied, to rehearse on", subject: path)
            }
        }
    }

    /// Removes the copy. Files that cannot be removed are left to the system: they hold no secret.
    func remove() {
        do { try FileManager.default.removeItem(atPath: directory) } catch {}
    }
}

#if Staged
import Cofferdam
import CofferdamUpgrade
import Foundation
import SanctuaryDomain

/// The upgrade's unit for this installation while no user is signed in, and the side it was on last: two small
/// files in the state directory, beside the SDKs' own.
struct InstallationUnit: Sendable {
    private let directory: String

    init(directory: String) { self.directory = directory }

    /// Returns the installation's id, which is created once and never changes.
    ///
    /// - Throws: a ``SanctuaryError`` that names the file, if it exists and cannot be read, or cannot be created.
    ///   An unreadable id is not replaced, because it may be readable later.
    func id() throws(SanctuaryError) -> String {
        if let known = try text("sanctuary.unit") { return try checked(known) }
        try make("device-" + UUID().uuidString.lowercased())
        return try checked(try text("sanctuary.unit") ?? "")
    }

    /// The side that answered last; nil if there is none, or it cannot be read.
    var side: Side? {
        get {
            // Only messages to the user depend on it.
            (try? text("sanctuary.side")).flatMap { $0 }.flatMap(Side.init)
        }
        nonmutating set {
            guard let newValue, newValue != side else { return }
            let file = URL(fileURLWithPath: path("sanctuary.side"))
            // If it is not written, the next start reports it again.
            do { try Data(newValue.rawValue.utf8).write(to: file, options: .atomic) } catch {}
        }
    }

    private func checked(_ text: String) throws(SanctuaryError) -> String {
        guard text.hasPrefix("device-"), UUID(uuidString: String(text.dropFirst(7))) != nil else {
            throw SanctuaryError(
                .decoding,
                "the stored id of the installation is invalid",
                subject: path("sanctuary.unit")
            )
        }
        return text
    }

    /// Creates the file atomically; if another process was faster, its id stays.
    private func make(_ id: String) throws(SanctuaryError) {
        let (file, fresh) = (path("sanctuary.unit"), path("sanctuary.unit.\(UUID().uuidString)"))
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data(id.utf8).write(to: URL(fileURLWithPath: fresh))
            defer { unlink(fresh) }
            guard link(fresh, file) == 0 || errno == EEXIST else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            throw SanctuaryError(.unknown, "the installation's id cannot be stored", subject: file)
        }
    }

    /// Reads a file; nil if it does not exist.
    private func text(_ name: String) throws(SanctuaryError) -> String? {
        do {
            return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw SanctuaryError(.unknown, "the stored data cannot be read", subject: path(name))
        }
    }

    private func path(_ name: String) -> String { directory + "/" + name }
}
#endif

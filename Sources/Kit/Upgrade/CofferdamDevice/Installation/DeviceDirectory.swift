import CofferdamUpgrade
import Foundation

/// The directory with the files of one installation. On Apple's systems no backup holds it, because a restored one would be a
/// second installation with the same identity; and it can be read while the phone is locked, after the first unlocking.
struct DeviceDirectory: Sendable {
    let path: String

    /// - Parameter path: created if it is missing, readable only by this account.
    /// - Throws: ``UpgradeStoreError`` with `unavailable`.
    init(_ path: String) throws(UpgradeStoreError) {
        guard path.hasPrefix("/") else {
            throw UpgradeStoreError(
                .unavailable,
                "the directory of an installation needs an absolute path",
                subject: path
            )
        }
        self.path = path
        do { try make() } catch {
            let message = "the directory cannot be made: \(error.localizedDescription)"
            throw UpgradeStoreError(.unavailable, message, subject: path, cause: error)
        }
    }

    var evidence: String { path + "/evidence.json" }
    var memory: String { path + "/upgrades.json" }

    private func make() throws {
        let manager = FileManager.default
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        // New files have the protection of their directory.
        attributes[.protectionKey] = FileProtectionType.completeUntilFirstUserAuthentication
        #endif
        try manager.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: attributes)
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        // What an earlier version of the app made.
        for name in try [""] + manager.contentsOfDirectory(atPath: path).map({ "/" + $0 }) {
            try manager.setAttributes(
                [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
                ofItemAtPath: path + name
            )
        }
        #endif
        #if canImport(Darwin)
        var url = URL(fileURLWithPath: path, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try url.setResourceValues(values)
        #endif
    }
}

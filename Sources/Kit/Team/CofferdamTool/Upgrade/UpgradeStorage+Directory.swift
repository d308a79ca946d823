import CofferdamUpgrade

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension UpgradeStorage {
    /// A directory in which an app keeps its upgrades. One that is only looked at is not made.
    ///
    /// - Throws: `UpgradeStoreError`.
    @Sendable public static func inDirectory(_ path: String, mayCreate: Bool) async throws -> UpgradeStorage {
        #if SQLite
        guard mayCreate || FileManager.default.fileExists(atPath: path) else {
            return UpgradeStorage(
                store: MemoryUpgradeStore(),
                evidence: .log(MemoryEvidenceLog()),
                note: "Nothing is stored in '\(path)' yet."
            )
        }
        let store = FileUpgradeStore(directory: path)
        return UpgradeStorage(store: store, evidence: .log(store.log, counted: store.log))
        #else
        throw UpgradeStoreError(
            .unavailable,
            "this build cannot read it: build with the trait SQLite",
            subject: path
        )
        #endif
    }
}

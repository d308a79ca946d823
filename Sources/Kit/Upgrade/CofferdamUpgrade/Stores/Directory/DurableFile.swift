import Cofferdam
import CofferdamSupport
package import Foundation  // files hold its data

/// A file of an upgrade: an `AtomicFile` with the errors of its stores.
package struct DurableFile: Sendable {
    private let file: AtomicFile

    package init(path: String) { file = AtomicFile(path: path) }

    package var path: String { file.path }

    /// The content; nil if the file does not exist.
    ///
    /// - Throws: ``UpgradeStoreError`` with `unavailable`.
    package func read() throws -> Data? {
        try Self.converting { try file.read().map { Data($0) } }
    }

    /// Replaces the content. There may be only one writer at a time.
    ///
    /// - Parameter keepsAttributes: whether a file that exists keeps its owner and its mode. A new one can be read by its
    ///   owner only.
    /// - Throws: ``UpgradeStoreError``: `unavailable` if the file is unchanged, `outcomeUnknown` if the change
    ///   may be lost again.
    package func write(_ data: Data, keepsAttributes: Bool = false) throws {
        try Self.converting {
            try file.write(data) { if keepsAttributes { try NamedFile(path).passAttributes(to: $0) } }
        }
    }

    /// - Throws: as ``write(_:)``.
    func remove() throws { try Self.converting { try file.remove() } }

    private static func converting<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let failure as AtomicFile.Failure {
            let code: UpgradeStoreError.Code = failure.isChanged ? .outcomeUnknown : .unavailable
            throw UpgradeStoreError(code, failure.reason, subject: failure.path)
        }
    }
}

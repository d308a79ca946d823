#if canImport(CryptoKit) || Fleet
package import CofferdamUpgrade  // its stops and errors

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a stop file says.
package struct SignedStop: Codable, Sendable, Hashable {
    /// The upgrades that it stops; empty for all.
    package var capabilities: [String]
    package var by: String
    package var reason: String
    /// When it was signed, in seconds since 1970.
    package var at: Int64

    package init(_ capabilities: [String], by: String, reason: String, at: Int64) {
        (self.capabilities, self.by, self.reason, self.at) = (capabilities, by, reason, at)
    }

    package subscript(capability: String) -> StopNotice? {
        guard capabilities.isEmpty || capabilities.contains(capability) else { return nil }
        return StopNotice(by: by, reason: reason, at: at)
    }
}

/// The signature of a stop file: Ed25519 (RFC 8032) over the text of the stop, after a prefix that no other signature
/// of the same key has.
package enum StopSignature {
    private struct Document: Codable {
        /// The ``SignedStop`` as the JSON text that was signed.
        var stop: String
        /// 64 bytes in Base64.
        var signature: Data
    }

    private static func signed(_ stop: String) -> Data { Data("cofferdam stop 1\n\(stop)".utf8) }

    /// The key that apps hold.
    package struct PublicKey: Sendable {
        // The key itself is not Sendable in every version of the library.
        private let bytes: Data

        /// - Parameter text: 32 bytes in Base64.
        package init(_ text: String, subject: String) throws(UpgradeStoreError) {
            guard let bytes = Data(base64Encoded: text),
                (try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)) != nil
            else {
                throw UpgradeStoreError(.unavailable, "not an Ed25519 public key in Base64", subject: subject)
            }
            self.bytes = bytes
        }

        fileprivate func hasSigned(_ stop: String, _ signature: Data) -> Bool {
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
            return key?.isValidSignature(signature, for: StopSignature.signed(stop)) ?? false
        }
    }

    /// The key that the team keeps.
    package struct PrivateKey {
        private let key: Curve25519.Signing.PrivateKey

        /// A new key.
        package init() { key = .init() }

        /// - Parameter text: 32 bytes in Base64. An error does not show it.
        package init(_ text: String, subject: String) throws(UpgradeStoreError) {
            guard let bytes = Data(base64Encoded: text),
                let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
            else {
                throw UpgradeStoreError(.unavailable, "not an Ed25519 private key in Base64", subject: subject)
            }
            self.key = key
        }

        package var text: String { key.rawRepresentation.base64EncodedString() }
        package var publicKey: String { key.publicKey.rawRepresentation.base64EncodedString() }

        /// Returns the file with that stop.
        package func sign(_ stop: SignedStop) throws -> [UInt8] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let text = String(decoding: try encoder.encode(stop), as: UTF8.self)
            let document = Document(stop: text, signature: try key.signature(for: StopSignature.signed(text)))
            encoder.outputFormatting.insert(.prettyPrinted)
            return Array(try encoder.encode(document)) + [10]
        }
    }

    /// Reads a file.
    ///
    /// - Throws: `UpgradeStoreError` with `unreadable`.
    package static func open(_ bytes: [UInt8], with key: PublicKey, subject: String) throws(UpgradeStoreError)
        -> SignedStop
    {
        let decoder = JSONDecoder()
        guard let document = try? decoder.decode(Document.self, from: Data(bytes)) else {
            throw UpgradeStoreError(.unreadable, "this is no stop file", subject: subject)
        }
        guard key.hasSigned(document.stop, document.signature) else {
            throw UpgradeStoreError(.unreadable, "the stop file is not signed with the app's key", subject: subject)
        }
        guard let stop = try? decoder.decode(SignedStop.self, from: Data(document.stop.utf8)),
            (0...(1 << 52)).contains(stop.at)
        else {
            throw UpgradeStoreError(.unreadable, "the stop file says nothing that is understood", subject: subject)
        }
        return stop
    }
}
#endif

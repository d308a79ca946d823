#if canImport(CryptoKit)
import CryptoKit
#elseif Fleet
import Crypto
#endif

#if !canImport(CryptoKit) && !Fleet
import FoundationEssentials
#elseif canImport(FoundationEssentials)
package import FoundationEssentials  // keys are its data
#else
package import Foundation
#endif

/// The signature of a post by an installation that has enrolled: ECDSA on P-256 over what the post says and where, so
/// that no part of it can be used for another.
///
/// A signed post that is sent again changes nothing, so it has no time and no number: a window has all its marks so
/// far, belongs to the epoch in the report, and counts once; an enrolment under a known key gives the same id.
package enum PostSignature {
    /// The fields of a signed post.
    package static let fields = (installation: "Cofferdam-Installation", signature: "Cofferdam-Signature")

    /// The path of what an installation posts: `evidence` or `enrolments`.
    package static func path(_ name: String, of capability: String) -> String {
        "/v1/capabilities/\(capability)/\(name)"
    }
}

#if canImport(CryptoKit) || Fleet
extension PostSignature {
    /// - Parameter path: as the server sees it, from `/v1` on: a proxy may add to what stands before.
    private static func signed(_ path: String, _ body: [UInt8]) -> Data {
        let digest = Data(SHA256.hash(data: body)).base64EncodedString()
        return Data("cofferdam post 1\nPOST\n\(path)\n\(digest)".utf8)
    }

    /// Whether the bytes are a public key in the format of X9.63.
    package static func isKey(_ publicKey: Data) -> Bool {
        publicKey.count == 65 && (try? P256.Signing.PublicKey(x963Representation: publicKey)) != nil
    }

    /// - Parameter signature: 64 bytes in Base64.
    package static func isValid(_ signature: String, by publicKey: Data, _ path: String, _ body: [UInt8]) -> Bool {
        guard let bytes = Data(base64Encoded: signature),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes),
            let key = try? P256.Signing.PublicKey(x963Representation: publicKey)
        else { return false }
        return key.isValidSignature(signature, for: signed(path, body))
    }

    /// The key of an installation.
    package struct Key: Sendable {
        // The key itself is not Sendable in every version of the library.
        package let bytes: Data
        package let publicKey: Data

        /// A new key.
        package init() {
            let key = P256.Signing.PrivateKey()
            (bytes, publicKey) = (key.rawRepresentation, key.publicKey.x963Representation)
        }

        static func new() -> Key? { Key() }

        /// Nil if the bytes are no key.
        package init?(_ bytes: Data) {
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else { return nil }
            (self.bytes, publicKey) = (bytes, key.publicKey.x963Representation)
        }

        /// Returns the signature of a post, in Base64.
        package func sign(_ path: String, _ body: [UInt8]) throws -> String {
            try P256.Signing.PrivateKey(rawRepresentation: bytes).signature(for: PostSignature.signed(path, body))
                .rawRepresentation.base64EncodedString()
        }
    }
}
#else
extension PostSignature {
    /// Without CryptoKit or the trait Fleet, which links swift-crypto, there are no keys, and no installation enrols.
    package struct Key: Sendable {
        let bytes = Data()
        let publicKey = Data()

        static func new() -> Key? { nil }

        init?(_ bytes: Data) { return nil }

        func sign(_ path: String, _ body: [UInt8]) throws -> String { "" }
    }
}
#endif

@_exported import Foundation
public protocol Digest: Hashable, ContiguousBytes, Sequence, Sendable where Element == UInt8 {}
public struct SHA256Digest: Digest {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
}
public struct SHA256: Sendable {
    public init() {}
    public static func hash<D: DataProtocol>(data: D) -> SHA256Digest { SHA256Digest() }
    public mutating func update<D: DataProtocol>(data: D) {}
    public func finalize() -> SHA256Digest { SHA256Digest() }
}
public enum Curve25519: Sendable {
    public enum Signing: Sendable {
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation data: D) throws {}
            public var rawRepresentation: Data { Data() }
            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
                false
            }
        }
        public struct PrivateKey: Sendable {
            public init() {}
            public init<D: ContiguousBytes>(rawRepresentation data: D) throws {}
            public var rawRepresentation: Data { Data() }
            public var publicKey: PublicKey { fatalError() }
            public func signature<D: DataProtocol>(for data: D) throws -> Data { Data() }
        }
    }
}
public enum P256: Sendable {
    public enum Signing: Sendable {
        public struct ECDSASignature: Sendable {
            public init<D: DataProtocol>(rawRepresentation: D) throws {}
            public init<D: DataProtocol>(derRepresentation: D) throws {}
            public var rawRepresentation: Data { Data() }
            public var derRepresentation: Data { Data() }
        }
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public init<D: ContiguousBytes>(x963Representation: D) throws {}
            public var rawRepresentation: Data { Data() }
            public var x963Representation: Data { Data() }
            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { false }
            public func isValidSignature<D: Digest>(_ signature: ECDSASignature, for digest: D) -> Bool { false }
        }
        public struct PrivateKey: Sendable {
            public init(compactRepresentable: Bool = true) {}
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public var rawRepresentation: Data { Data() }
            public var publicKey: PublicKey { fatalError() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { fatalError() }
            public func signature<D: Digest>(for digest: D) throws -> ECDSASignature { fatalError() }
        }
    }
}

import Cofferdam
import CofferdamSupport

/// An operation of a port that downloads bytes, described for the rules BIN-01 to BIN-07 and BIN-09.
///
/// BIN-05 and BIN-09 need `progress`; uploads are a ``BinaryUpload``.
public struct BinaryOperation<Subject: Sendable, Input: Sendable & Hashable>: RuleFamily {
    let call: PortCall<Subject, Input, [UInt8]>
    let seed: @Sendable (Subject, _ bytes: [UInt8]) async throws -> Input
    let vendor: BinaryEvidence<Subject>
    let isPortError: @Sendable (any Error) -> Bool
    let isTruncated: @Sendable (any Error) -> Bool
    let nonsense: Nonsense
    let progress: BinaryProgress<Subject, Input>?

    /// What the port does with bytes that do not match their type.
    public enum Nonsense: Sendable {
        /// The port returns the bytes as they are.
        case passedOn
        /// The port throws an error that the closure recognises.
        case refused(@Sendable (any Error) -> Bool)
    }

    /// Describes a download.
    ///
    /// - Parameters:
    ///   - seed: adds an object of these bytes to the vendor.
    ///   - isTruncated: whether the port's error says that the answer ended early.
    public init(
        call: PortCall<Subject, Input, [UInt8]>,
        seed: @escaping @Sendable (Subject, _ bytes: [UInt8]) async throws -> Input,
        vendor: BinaryEvidence<Subject>,
        isPortError: @escaping @Sendable (any Error) -> Bool,
        isTruncated: @escaping @Sendable (any Error) -> Bool,
        nonsense: Nonsense,
        progress: BinaryProgress<Subject, Input>? = nil
    ) {
        self.call = call
        self.seed = seed
        self.vendor = vendor
        self.isPortError = isPortError
        self.isTruncated = isTruncated
        self.nonsense = nonsense
        self.progress = progress
    }
}

/// The vendor's side of an operation that downloads bytes.
public struct BinaryEvidence<Subject: Sendable>: Sendable {
    let inject: @Sendable (Subject, VendorFault) async throws -> Void
    let waitForHeld: @Sendable (Subject, _ count: Int) async throws -> Void
    let files: PortCall<Subject, Void, Set<String>>

    /// Describes what the harness does at the vendor, and the adapter's files.
    ///
    /// - Parameters:
    ///   - inject: makes the next call fail, or be answered, as the fault says.
    ///   - waitForHeld: returns once exactly this many answers are held, not counting those whose caller has given
    ///     up.
    ///   - files: returns the names of the adapter's files on disk, finished or not.
    public init(
        inject: @escaping @Sendable (Subject, VendorFault) async throws -> Void,
        waitForHeld: @escaping @Sendable (Subject, _ count: Int) async throws -> Void,
        files: PortCall<Subject, Void, Set<String>>
    ) {
        self.inject = inject
        self.waitForHeld = waitForHeld
        self.files = files
    }
}

/// Bytes that rules send through ports.
enum SampleBytes {
    /// Every byte value, high values first. Each block of 256 bytes is shifted against the one before, so that a lost
    /// or repeated block shows.
    static func pattern(_ size: Int) -> [UInt8] {
        let period = 256 * 256
        var bytes = (0..<min(size, period)).map { UInt8(truncatingIfNeeded: 255 &- $0 &- ($0 >> 8) &* 7) }
        while bytes.count < size { bytes += bytes.prefix(size - bytes.count) }
        return bytes
    }

    /// A gzip archive of no bytes.
    static let archive: [UInt8] = [
        0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0xFF, 0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]

    /// Beginnings of pictures of several types, each followed by seeded random bytes: the same on every call.
    static func nonsense(_ count: Int) -> [[UInt8]] {
        let beginnings: [[UInt8]] = [
            [], [0x42, 0x4D], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF],
            Array("GIF89a".utf8), Array("<!doctype html>".utf8),
        ]
        var random = SplitMix64(seed: 0x9E37_79B9_7F4A_7C15)
        return (0..<count).map { index in
            beginnings[index % beginnings.count]
                + (0..<Int(random.next() % 80)).map { _ in
                    UInt8(truncatingIfNeeded: random.next())
                }
        }
    }
}

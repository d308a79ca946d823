import Cofferdam

/// An operation of a port that uploads a body while the body is being made, described for the rule BIN-08.
public struct BinaryUpload<Subject: Sendable>: RuleFamily {
    let call: PortCall<Subject, UploadBody, Void>
    let received: @Sendable (Subject) async throws -> [UInt8]
    let capability: CapabilityTag

    /// Describes an upload that streams its body.
    ///
    /// - Parameters:
    ///   - capability: the capability of adapters that stream uploads.
    ///   - received: returns the body of the last upload, as far as it has reached the vendor.
    public init(
        call: PortCall<Subject, UploadBody, Void>,
        capability: CapabilityTag = "streamUpload",
        received: @escaping @Sendable (Subject) async throws -> [UInt8]
    ) {
        self.call = call
        self.capability = capability
        self.received = received
    }

    /// BIN-08.
    public var rules: [Rule<Subject>] { Self.rules(of: self) }

    /// BIN-08. Without an upload, the rule fails on adapters that declare the capability.
    public static func rules(of upload: BinaryUpload?) -> [Rule<Subject>] {
        let tag = upload?.capability ?? "streamUpload"
        return [
            Rule(
                "BIN-08",
                "An upload arrives byte for byte, and is never held in memory as a whole",
                level: .optional,
                requires: [tag]
            ) { subject, _ in
                guard let upload else { return [Violation("there is no upload, though \(tag) is declared")] }
                return try await upload.violations(subject)
            }
        ]
    }

    /// The mutants that break BIN-08.
    public var mutants: [Mutant<Subject>] {
        [
            Mutant("BIN-08", "collects the whole body first") { subject, effect in
                call.replaced(in: subject) { clean, body in
                    var gathered: [UInt8] = []
                    while let piece = try await body.next() { gathered += piece }
                    effect.occurred()
                    try await clean(UploadBody(pieces: [gathered]))
                }
            },
            Mutant("BIN-08", "converts the bytes to text and back") { subject, effect in
                call.replaced(in: subject) { clean, body in
                    try await clean(
                        UploadBody {
                            try await body.next().map { piece in
                                effect.changing(piece, to: Array(String(decoding: piece, as: UTF8.self).utf8))
                            }
                        }
                    )
                }
            },
        ]
    }

    private func violations(_ subject: Subject) async throws -> [Violation] {
        var findings = Findings()
        let bytes = SampleBytes.pattern(200_000)
        let piece = 4_000
        let made = Mutex((count: 0, ahead: 0))
        let body = UploadBody {
            let arrived = try await received(subject).count
            return made.withLock { made -> [UInt8]? in
                guard made.count < bytes.count else { return nil }
                let next = Array(bytes[made.count..<min(made.count + piece, bytes.count)])
                made.count += next.count
                made.ahead = max(made.ahead, made.count - arrived)
                return next
            }
        }
        try await call(subject, body)
        findings.expect(try await received(subject) == bytes, "what arrived is not what was sent")
        let ahead = made.withLock { $0.ahead }
        findings.expect(ahead < bytes.count / 2, "\(ahead) of \(bytes.count) bytes were held at once")
        return findings.violations
    }
}

/// A body that is made piece by piece, on demand.
public struct UploadBody: Sendable {
    /// The next piece; nil at the end.
    public let next: @Sendable () async throws -> [UInt8]?

    /// Makes a body of the pieces that `next` returns until nil.
    public init(_ next: @escaping @Sendable () async throws -> [UInt8]?) { self.next = next }

    init(pieces: [[UInt8]]) {
        let rest = Mutex(pieces[...])
        self.init { rest.withLock { $0.popFirst() } }
    }
}

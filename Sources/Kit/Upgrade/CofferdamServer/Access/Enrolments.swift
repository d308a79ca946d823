#if Server
import Cofferdam
import CofferdamSupport
import CofferdamDevice
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Logging

/// Enrols the installations of an app, and knows them by their signatures afterwards.
///
/// The app's token is in each of its copies. An enrolment does not prove that an installation is genuine, which only
/// an attestation can, but each counts for a few units, and an address can make few of them.
struct Enrolments: Sendable {
    struct Request: Decodable {
        /// 65 bytes, in the format of X9.63.
        var publicKey: Data
        var attestation: String?
    }

    struct Answer: Encodable {
        var id: String
        var attested: Bool
    }

    /// The most units that one installation counts for in an epoch.
    static let maxUnits = 8
    /// How many addresses may enrol as many installations as each may.
    private static let addresses = 1_000
    /// A verifier's command gets it, with the key, through a pipe of 64 KiB.
    static let maxAttestationBytes = 32_768

    private let log: SQLiteUpgradeLog
    private let isOffered: Bool
    private let perAddress: RateLimiter
    private let inAll: RateLimiter
    private let check: AttestationCheck?
    /// Returns the time in milliseconds since 1970.
    private let now: @Sendable () -> Int64
    private let logger: Logger

    init(
        _ log: SQLiteUpgradeLog,
        _ configuration: ControlPlaneConfiguration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        logger: Logger
    ) {
        let perHour = configuration.enrolmentsPerHour
        (self.log, self.logger, now) = (log, logger, configuration.now)
        // Another server would not know the installation.
        isOffered = perHour > 0 && configuration.shared == nil
        perAddress = RateLimiter(perHour: perHour, key: IPAddress.bucket)
        inAll = RateLimiter(perHour: perHour * Self.addresses)
        check = configuration.attestation.map { AttestationCheck($0, sleep: sleep) }
    }

    /// Enrols the installation with that key. The same key gives the same id.
    func enrol(
        _ request: Request,
        _ call: Call,
        _ body: [UInt8],
        of capability: String,
        at elapsed: Duration
    ) async throws -> Answer {
        guard isOffered else {
            throw HTTPRefusal(.notFound, "notOffered", "this server does not enrol installations")
        }
        guard PostSignature.isKey(request.publicKey) else {
            throw HTTPRefusal(.badRequest, "invalidKey", "publicKey: a P-256 key, 65 bytes of X9.63, in Base64")
        }
        guard request.attestation?.utf8.count ?? 0 <= Self.maxAttestationBytes else {
            let message = "attestation: at most \(Self.maxAttestationBytes) bytes"
            throw HTTPRefusal(.badRequest, "invalidAttestation", message)
        }
        let path = PostSignature.path("enrolments", of: capability)
        guard PostSignature.isValid(call.signature ?? "", by: request.publicKey, path, body) else {
            throw Self.invalidSignature
        }
        if let wait = perAddress.wait(for: call.address, at: elapsed) ?? inAll.wait(for: "", at: elapsed) {
            var refusal = HTTPRefusal(.tooManyRequests, "tooMany", "too many installations have enrolled")
            refusal.retryAfter = wait
            throw refusal
        }
        let isAttested = try await isAttested(request)
        let installation = try await log.enrol(
            EnrolledInstallation(
                id: Self.id(of: request.publicKey),
                publicKey: request.publicKey,
                isAttested: isAttested
            ),
            at: now()
        )
        return Answer(id: installation.id, attested: installation.isAttested)
    }

    /// Whether the verifier says that it is genuine. One that is not may enrol as one that does not say anything.
    private func isAttested(_ request: Request) async throws -> Bool {
        guard let check, let attestation = request.attestation else { return false }
        do {
            return try await check.isGenuine(attestation, request.publicKey)
        } catch let failure as AttestationCheck.Failure {
            logger.warning("the attestation's verifier: \(failure.message.plain())")
            var refusal = HTTPRefusal.unavailable("the attestation could not be verified")
            refusal.retryAfter = 60
            throw refusal
        }
    }

    /// 128 bits of the key's SHA-256, in hexadecimal.
    private static func id(of publicKey: Data) -> String {
        Digest.hexadecimal(Array(Digest.sha256(of: Array(publicKey)).prefix(16)))
    }

    /// The installation that signed a post; nil if none did.
    ///
    /// - Throws: ``HTTPRefusal`` for one that has not enrolled, or a signature that is not its own. The post must not
    ///   count as that of another installation, or of none.
    func installation(
        _ call: Call,
        _ body: [UInt8],
        of capability: String
    ) async throws -> EnrolledInstallation? {
        guard let id = call.installation else {
            guard call.signature == nil else { throw Self.invalidSignature }
            return nil
        }
        guard let installation = try await log.installation(id) else {
            throw HTTPRefusal(.forbidden, "unknownInstallation", "the installation has not enrolled here")
        }
        let path = PostSignature.path("evidence", of: capability)
        guard PostSignature.isValid(call.signature ?? "", by: installation.publicKey, path, body) else {
            throw Self.invalidSignature
        }
        return installation
    }

    /// Decides for which units installations count: see ``SQLiteUpgradeLog/admit(_:of:epoch:limit:)``.
    func admit(
        _ reported: [(installation: String, units: [UInt64])],
        of capability: String,
        epoch: Int
    ) async throws -> [Set<UInt64>] {
        try await log.admit(reported, of: capability, epoch: epoch, limit: Self.maxUnits)
    }

    private static let invalidSignature = HTTPRefusal(
        .forbidden,
        "invalidSignature",
        "the post is not signed with the installation's key"
    )
}

extension Call {
    fileprivate var installation: String? { field(PostSignature.fields.installation) }
    fileprivate var signature: String? { field(PostSignature.fields.signature) }

    private func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
}
#endif

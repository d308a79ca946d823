#if canImport(CryptoKit) || Fleet
public import CofferdamUpgrade  // is one of its sources of stops
import HTTPTypes

/// A signed file, on a host that does not depend on the server of the upgrade, with which a team stops the candidate
/// while that server cannot be reached. `upgrade stop-file` writes it. It can only stop: nothing in it raises a stage.
///
/// ```swift
/// $0.stops = try StopFile("https://static.example.com/stop.json", key: publicKey, transport: .urlSession())
/// ```
///
/// The engine asks for it only while it cannot read its store. A host that gives no file (404 or 410), or a file for
/// other upgrades, stops nothing; a file without a valid signature is an error, which the engine's status shows.
public struct StopFile: StopSource {
    /// The address of the file.
    public let address: String
    private let request: HTTPRequest
    private let key: StopSignature.PublicKey
    private let transport: DeviceTransport
    /// The time that one request may take.
    public var timeout: Duration = .seconds(5)

    /// The names of the variables that `CofferdamFleet` reads.
    public static let variables = (address: "COFFERDAM_STOP_FILE", key: "COFFERDAM_STOP_KEY")
    private static let maximumSize = 65_536

    /// - Parameter key: the team's public key in Base64, as `upgrade stop-file --new-key` prints it.
    /// - Throws: `UpgradeStoreError` with `unavailable` for an invalid address or key.
    public init(_ address: String, key: String, transport: DeviceTransport) throws(UpgradeStoreError) {
        guard let request = HTTPRequest(.get, at: address, path: "", [:], unlike: "@#") else {
            throw UpgradeStoreError(
                .unavailable,
                "not an address of http or https",
                subject: Self.variables.address
            )
        }
        (self.address, self.request, self.transport) = (address, request, transport)
        self.key = try StopSignature.PublicKey(key, subject: Self.variables.key)
    }

    /// Fetches the file, and returns the stop in it that concerns the capability.
    ///
    /// - Throws: `UpgradeStoreError`: `unavailable` without an answer, `unreadable` for a file that is not signed with
    ///   the key; `CancellationError`.
    public func stop(of capability: String) async throws -> StopNotice? {
        let head: HTTPResponse
        let bytes: [UInt8]
        do {
            (head, bytes) = try await transport.exchange(request, [], timeout)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw UpgradeStoreError(.unavailable, "the stop file: \(error)", subject: address, cause: error)
        }
        switch head.status.code {
        case 200 where bytes.count > Self.maximumSize:
            throw UpgradeStoreError(.unavailable, "the stop file is too long", subject: address)
        case 200: return try StopSignature.open(bytes, with: key, subject: address)[capability]
        case 404, 410: return nil
        case let status: throw UpgradeStoreError(.unavailable, "the stop file: status \(status)", subject: address)
        }
    }
}
#endif

public import CofferdamCurl  // fetches with its CurlClient
public import CofferdamUpgrade  // is one of its sources of stops
import HTTPTypes

/// A signed file, on a host that does not depend on the server of the upgrade, with which a team stops the candidate
/// while that server cannot be reached. `upgrade stop-file` writes it. It can only stop: nothing in it raises a stage.
///
/// ```swift
/// $0.stops = try StopFile("https://static.example.com/stop.json", key: publicKey, client: client)
/// ```
///
/// The engine asks for it only while it cannot read its store. A host that gives no file (404 or 410), or a file for
/// other upgrades, stops nothing; a file without a valid signature is an error, which the engine's status shows.
public struct StopFile: StopSource {
    /// The address of the file.
    public let address: String
    private let key: StopSignature.PublicKey
    private let client: CurlClient
    /// The time that one request may take.
    public var timeout: Duration = .seconds(5)

    /// The names of the variables that ``init(environment:)`` reads.
    public static let variables = (address: "COFFERDAM_STOP_FILE", key: "COFFERDAM_STOP_KEY")
    private static let maximumSize = 65_536

    /// - Parameter key: the team's public key in Base64, as `upgrade stop-file --new-key` prints it.
    /// - Throws: `UpgradeStoreError` with `unavailable` for an invalid address or key.
    public init(_ address: String, key: String, client: CurlClient) throws(UpgradeStoreError) {
        do { _ = try HTTPRequest(.get, url: address) } catch {
            throw UpgradeStoreError(.unavailable, "not an address: \(error)", subject: Self.variables.address)
        }
        self.address = address
        self.key = try StopSignature.PublicKey(key, subject: Self.variables.key)
        self.client = client
    }

    /// Reads `COFFERDAM_STOP_FILE` and `COFFERDAM_STOP_KEY`; nil if neither is set.
    ///
    /// - Throws: `UpgradeStoreError` with `unavailable` if only one is set, or one is invalid.
    public init?(environment: [String: String]) throws(UpgradeStoreError) {
        let (address, key) = (environment[Self.variables.address] ?? "", environment[Self.variables.key] ?? "")
        if address.isEmpty, key.isEmpty { return nil }
        for (value, name) in [(address, Self.variables.address), (key, Self.variables.key)] where value.isEmpty {
            throw UpgradeStoreError(.unavailable, "a stop file needs an address and a key", subject: name)
        }
        try self.init(address, key: key, client: CurlClient())
    }

    /// Fetches the file, and returns the stop in it that concerns the capability.
    ///
    /// - Throws: `UpgradeStoreError`: `unavailable` without an answer, `unreadable` for a file that is not signed with
    ///   the key; `CancellationError`.
    public func stop(of capability: String) async throws -> StopNotice? {
        let options = client.options.with {
            $0.timeouts.connect = min(timeout, $0.timeouts.connect ?? timeout)
            $0.timeouts.whole = timeout
            $0.maximumBodySize = Self.maximumSize
        }
        let reply: CurlReply
        do {
            reply = try await client.send(HTTPRequest(.get, url: address), options: options)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw UpgradeStoreError(.unavailable, "the stop file: \(error)", subject: address, cause: error)
        }
        switch reply.head.status.code {
        case 200: return try StopSignature.open(Array(reply.body), with: key, subject: address)[capability]
        case 404, 410: return nil
        case let status: throw UpgradeStoreError(.unavailable, "the stop file: status \(status)", subject: address)
        }
    }
}

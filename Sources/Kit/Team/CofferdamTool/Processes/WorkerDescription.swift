#if CommandLine
import Cofferdam
import CofferdamSupport
import CofferdamContracts

/// The version of the protocol between a worker and its parent, with which every description begins.
struct WorkerVersion: Codable, Sendable, Hashable {
    static let current = WorkerVersion(version: 1)

    var version: Int
}

/// A tool's description of itself for another build's tool: whether its rows would be comparable, and its adapters.
struct WorkerDescription: Codable, Sendable, Hashable {
    var version = WorkerVersion.current.version
    /// The digest of the contract.
    var digest: String
    /// The digest of the fixtures; nil if there are none.
    var fixtures: String?
    /// "Swift 6.3.1".
    var toolchain: String
    var adapters: [AdapterDescription]

    /// - Throws: the fixtures' errors.
    init(of tooling: Tooling) async throws {
        digest = Digest.sha256(of: tooling.contractText)
        fixtures = try await tooling.fixtures?.text().contractDigest
        toolchain = RunStamp.toolchain
        adapters = tooling.adapters
    }
}

extension String {
    fileprivate var contractDigest: String { Digest.sha256(of: self) }
}
#endif

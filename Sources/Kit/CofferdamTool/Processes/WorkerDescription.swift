#if CommandLine
    import Cofferdam
    import CofferdamContracts

    /// The version of what a worker and its parent say to each other; every description begins with it.
    struct WorkerVersion: Codable, Sendable, Hashable {
        static let current = WorkerVersion(version: 1)

        var version: Int
    }

    /// What a tool says of itself to another build's: whether its rows would be comparable, and of which adapters it has them.
    struct WorkerDescription: Codable, Sendable, Hashable {
        var version = WorkerVersion.current.version
        /// The contract's.
        var digest: String
        /// Their digest; nil where there are none.
        var fixtures: String?
        /// "Swift 6.3.1".
        var toolchain: String
        var adapters: [AdapterDescription]

        /// - Throws: what the fixtures throw.
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

import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A measurement of a client, in a separate process.
struct ClientRun {
    let client: TransportClient
    private var options: [(name: String, value: String)]

    init(
        _ client: TransportClient,
        workload: String,
        url: String,
        _ options: KeyValuePairs<String, any CustomStringConvertible>
    ) {
        self.client = client
        self.options = [("--variant", client.rawValue), ("--workload", workload), ("--url", url)]
        for option in options { set(option.key, option.value) }
    }

    mutating func set(_ name: String, _ value: any CustomStringConvertible) {
        options.append(("--\(name)", value.description))
    }

    /// Returns the figures that the client prints.
    ///
    /// - Parameter limit: the time limit, after which the process is killed.
    func figures(
        of build: ClientBuild,
        environment: [String: String] = [:],
        limit: Duration
    ) async throws -> [String: Double] {
        let text = try await ChildProcess.output(
            of: .path(FilePath(build.executable(of: client).path())),
            options.flatMap { [$0.name, $0.value] },
            environment: environment,
            within: limit
        )
        return try Dictionary(text.split(separator: "\n").map(Self.figure)) { $1 }
    }

    private static func figure(_ line: Substring) throws -> (String, Double) {
        let words = line.split(separator: " ")
        guard words.count == 2, let value = Double(words[1]) else {
            throw TransportFailure("a client printed '\(line)'")
        }
        return (String(words[0]), value)
    }
}

import Dispatch
import Foundation

/// One measurement of a client, in a process of its own.
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

    /// The figures that the client prints.
    ///
    /// - Parameter limit: the process is killed after it.
    func figures(
        of build: ClientBuild,
        environment: [String: String] = [:],
        limit: Duration
    ) throws -> [String: Double] {
        let process = Process()
        process.executableURL = build.executable(of: client)
        process.arguments = options.flatMap { [$0.name, $0.value] }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let id = process.processIdentifier
        let killer = DispatchWorkItem { kill(id, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit.seconds, execute: killer)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        killer.cancel()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw TransportFailure("\(client.rawValue) failed: \(process.arguments?.joined(separator: " ") ?? "")")
        }
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

import Foundation

/// Runs another program to its end.
struct Command {
    struct Result {
        var status: Int32
        var output: Data
        var errors: String
    }

    /// - Throws: if it cannot be started.
    static func run(_ program: String, _ arguments: [String], in directory: String? = nil) async throws -> Result {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        if let directory { process.currentDirectoryURL = URL(filePath: directory) }
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        let (ended, end) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        async let texts = (read(output), read(errors))
        let (out, err) = await texts
        for await _ in ended {}
        return Result(status: process.terminationStatus, output: out, errors: String(decoding: err, as: UTF8.self))
    }

    @concurrent private static func read(_ pipe: Pipe) async -> Data {
        (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
    }
}

/// An expectation of the example that was not met.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

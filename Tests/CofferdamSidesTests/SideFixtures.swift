#if CommandLine && (os(macOS) || os(Linux))
@testable import CofferdamSides
import Foundation
import Subprocess
import Testing

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Sides, hosts, and libraries that are not sides, built once for all tests of a run.
struct SideFixtures: Sendable {
    let folder: URL

    private static let built = Task { try await build() }

    /// Builds the fixtures, or waits until they are built.
    static func all() async throws -> SideFixtures { try await built.value }

    private static func build() async throws -> SideFixtures {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appending(path: ".build/side-fixtures")
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let fixtures = tests.appending(path: "Fixtures")
        let run = try await Program.run(
            "/bin/sh",
            [
                fixtures.appending(path: "build.sh").path, root.appending(path: "Sources/Kit/Sides").path,
                fixtures.path,
                folder.path,
            ]
        )
        guard run.code == 0 else { throw BuildFailure(description: run.text) }
        return SideFixtures(folder: folder)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Compiles a library of C.
    func library(_ name: String, _ code: String, _ options: [String] = []) async throws -> String {
        let source = path("\(name).c")
        try code.write(toFile: source, atomically: true, encoding: .utf8)
        let library = path("lib\(name).so")
        let run = try await Program.run(
            "/usr/bin/env",
            ["clang", "-shared", "-fPIC", "-o", library, source] + options
        )
        guard run.code == 0 else { throw BuildFailure(description: run.text) }
        return library
    }

    /// A side written in C: its handshake, and what it does when the port is requested.
    func rawSide(
        _ name: String,
        _ handshake: (inout SideHandshake) -> Void = { _ in },
        port: String = "return 0;",
        text: String? = nil
    ) async throws -> String {
        var values = SideHandshake(ports: "text", port: Text.self)
        handshake(&values)
        let text = text ?? values.text
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return try await library(
            name,
            """
            #include <stdlib.h>
            #include <string.h>
            #include <unistd.h>
            void *cofferdam_side(int request, void *place) {
                if (request == 0) return strdup("\(escaped)");
                \(port)
            }
            """
        )
    }

    /// The program that a probe starts, built along with the tests.
    static var probe: String {
        get throws {
            let bundle = try #require(ProcessInfo.processInfo.arguments.first)
            var folder = URL(filePath: bundle).deletingLastPathComponent()
            // On Apple platforms the tests are in a bundle.
            while folder.path != "/" {
                let program = folder.appending(path: "cofferdam-side-probe").path
                if FileManager.default.isExecutableFile(atPath: program) { return program }
                folder.deleteLastPathComponent()
            }
            throw BuildFailure(description: "cofferdam-side-probe was not found beside \(bundle)")
        }
    }

    struct BuildFailure: Error, CustomStringConvertible {
        let description: String
    }
}

/// Programs that the tests run.
enum Program {
    struct Outcome: Sendable {
        var code: Int32
        var text: String
        var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    /// Runs a program to its end, and returns its output and errors together.
    static func run(_ path: String, _ arguments: [String]) async throws -> Outcome {
        let result = try await Subprocess.run(
            .path(FilePath(path)),
            arguments: Arguments(arguments),
            environment: .inherit.updating(["SWIFT_BACKTRACE": "enable=no"]),
            output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20)
        )
        var code: Int32 = -1
        if case .exited(let exited) = result.terminationStatus { code = exited }
        return Outcome(code: code, text: result.standardOutput + result.standardError)
    }
}
#endif

#if CommandLine && canImport(Subprocess)
import Subprocess

#if canImport(System)
import System
#elseif canImport(SystemPackage)
import SystemPackage
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension WallPackage {
    /// Asks SwiftPM about a package. This resolves nothing, so it needs no network, and leaves `.build` alone.
    ///
    /// - Parameter unset: environment variables that the manifest must not see.
    /// - Throws: ``WallProblem``.
    package static func read(_ folder: String, without unset: [String] = []) async throws -> WallPackage {
        async let description = output(of: ["describe", "--type", "json"], in: folder, without: unset)
        async let manifest = output(of: ["dump-package"], in: folder, without: unset)
        // Waits for both, even if one fails: what the other one's compiler still writes would stay behind.
        let outputs = await (description: description, manifest: manifest)
        do {
            return try WallPackage(
                description: outputs.description.get(),
                manifest: outputs.manifest.get(),
                text: String(contentsOfFile: "\(folder)/Package.swift", encoding: .utf8)
            )
        } catch let error as WallProblem {
            throw error
        } catch {
            throw WallProblem("the output of 'swift package' for '\(folder)' cannot be read: \(error)")
        }
    }

    private static func output(of command: [String], in folder: String, without unset: [String]) async
        -> Result<String, WallProblem>
    {
        // In the package's own scratch folder, SwiftPM would wait for a running build. The system empties this one
        // anyway. SwiftPM leaves locks and manifests in the temporary folder, so it gets the same one for these.
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("cofferdam-wall-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        do {
            try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
            var environment: [Environment.Key: String?] = ["TMPDIR": scratch]
            for name in unset { environment[Environment.Key(stringLiteral: name)] = .some(nil) }
            let result = try await Subprocess.run(
                .name("swift"),
                arguments: Arguments(["package", "--package-path", folder, "--scratch-path", scratch] + command),
                environment: .inherit.updating(environment),
                output: .string(limit: 64 << 20),
                error: .string(limit: 1 << 20)
            )
            guard result.terminationStatus.isSuccess else {
                return .failure(WallProblem("'swift package \(command[0])' failed:\n\(result.standardError)"))
            }
            return .success(result.standardOutput)
        } catch {
            return .failure(WallProblem("'swift package' could not be run: \(error)"))
        }
    }
}

/// Why a package cannot be checked.
package struct WallProblem: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
#endif

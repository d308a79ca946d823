#if canImport(Subprocess)
import Foundation
import Subprocess
import Testing

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A headless browser for viewing pages, if the machine has one.
package enum Browser {
    /// The result of loading a page.
    package struct Look {
        /// The document after its scripts have run.
        package var document: String
        package var console: [String]
        /// The URLs that the page requested.
        package var requests: Set<String>
    }

    package static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
        let candidates = names.flatMap { name in folders.map { "\($0)/\(name)" } }
        return candidates.first(where: FileManager.default.isExecutableFile)
    }()

    package static func look(at page: String) async throws -> Look {
        let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder.path) }
        let (input, network) = (folder.appending(path: "page.html"), folder.appending(path: "network.json"))
        try Data(page.utf8).write(to: input)
        // Cancelling this call ends the browser.
        let result = try await Subprocess.run(
            .path(FilePath(try #require(path))),
            arguments: [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--virtual-time-budget=5000",
                "--user-data-dir=\(folder.appending(path: "profile").path)", "--enable-logging=stderr",
                "--log-net-log=\(network.path)", "--dump-dom", input.absoluteString,
            ],
            output: .string(limit: 1 << 26),
            error: .string(limit: 1 << 26)
        )
        let said = result.standardError.split(whereSeparator: \.isNewline).map(String.init)
        let asked = try String(contentsOf: network, encoding: .utf8).matches(of: /"url":"([^"]*)"/)
        return Look(
            document: result.standardOutput,
            console: said.filter { $0.contains(":CONSOLE:") },
            requests: Set(asked.map { String($0.output.1) })
        )
    }
}
#endif

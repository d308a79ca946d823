import Foundation
import Testing

/// The browser that a reader's page is looked at in, if the machine has one.
enum Browser {
    /// What came of a page.
    struct Look {
        /// As it is when its scripts have run.
        var document: String
        var console: [String]
        /// What it asked the network for.
        var requests: Set<String>
    }

    static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
        let candidates = names.flatMap { name in folders.map { "\($0)/\(name)" } }
        return candidates.first(where: FileManager.default.isExecutableFile)
    }()

    static func look(at page: String) async throws -> Look {
        let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["page.html", "document.html", "messages", "network.json"].map { folder.appending(path: $0) }
        let (input, document, messages, network) = (files[0], files[1], files[2], files[3])
        for file in files { try Data(file == input ? page.utf8 : "".utf8).write(to: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(path))
        process.arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--virtual-time-budget=5000",
            "--user-data-dir=\(folder.appending(path: "profile").path)", "--enable-logging=stderr",
            "--log-net-log=\(network.path)", "--dump-dom", input.absoluteString,
        ]
        process.standardOutput = try FileHandle(forWritingTo: document)
        process.standardError = try FileHandle(forWritingTo: messages)
        try await run(process)
        let said = try String(contentsOf: messages, encoding: .utf8).split(whereSeparator: \.isNewline).map(String.init)
        let asked = try String(contentsOf: network, encoding: .utf8).matches(of: /"url":"([^"]*)"/)
        return Look(
            document: try String(contentsOf: document, encoding: .utf8),
            console: said.filter { $0.contains(":CONSOLE:") },
            requests: Set(asked.map { String($0.output.1) })
        )
    }

    private static func run(_ process: Process) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
                process.terminationHandler = { _ in ended.resume() }
                do {
                    try process.run()
                } catch {
                    process.terminationHandler = nil
                    ended.resume(throwing: error)
                }
            }
        } onCancel: {
            if process.isRunning { process.terminate() }
        }
    }
}

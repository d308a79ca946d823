import Foundation
import Subprocess

/// The clients' executables, beside this one; built when the suite starts, so that other suites need not wait for them.
struct ClientBuild {
    /// The executable that is running.
    let own: URL
    var folder: URL { own.deletingLastPathComponent() }

    init(of clients: [TransportClient], countsAllocations: Bool) async throws {
        own = try Self.running()
        let products = Set(clients.map(\.product)).union(countsAllocations ? ["CountAllocations"] : [])
        for product in products.sorted() { try await build(product) }
    }

    /// Builds one product of this package.
    init(product: String) async throws {
        own = try Self.running()
        try await build(product)
    }

    private static func running() throws -> URL {
        guard let own = Bundle.main.executableURL?.resolvingSymlinksInPath() else {
            throw TransportFailure("the folder of this executable is not known")
        }
        return own
    }

    func executable(of client: TransportClient) -> URL { folder.appending(path: client.product) }

    var allocationCounter: URL { folder.appending(path: "libCountAllocations.so") }

    private func build(_ product: String) async throws {
        progress("building \(product)")
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        // <scratch>/<triple>/<configuration>/bench
        let scratch = folder.deletingLastPathComponent().deletingLastPathComponent()
        let printed = try await ChildProcess.output(
            of: .name("swift"),
            [
                "build", "--quiet", "--configuration", folder.lastPathComponent, "--package-path", package.path(),
                "--scratch-path", scratch.path(), "--product", product,
            ]
        )
        if !printed.isEmpty { progress(printed) }
    }
}

/// Prints progress for humans to standard error; only results go to stdout.
func progress(_ message: String) { FileHandle.standardError.write(Data("\(message)\n".utf8)) }

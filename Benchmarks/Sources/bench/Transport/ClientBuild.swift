import Foundation

/// The clients' executables, beside this one; built when the suite starts, so that other suites need not wait for them.
struct ClientBuild {
    private let folder: URL

    init(of clients: [TransportClient], countsAllocations: Bool) throws {
        guard let own = Bundle.main.executableURL?.resolvingSymlinksInPath() else {
            throw TransportFailure("the folder of this executable is not known")
        }
        folder = own.deletingLastPathComponent()
        let products = Set(clients.map(\.product)).union(countsAllocations ? ["CountAllocations"] : [])
        for product in products.sorted() { try build(product) }
    }

    func executable(of client: TransportClient) -> URL { folder.appending(path: client.product) }

    var allocationCounter: URL { folder.appending(path: "libCountAllocations.so") }

    private func build(_ product: String) throws {
        progress("building \(product)")
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        // <scratch>/<triple>/<configuration>/bench
        let scratch = folder.deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "build", "--quiet", "--configuration", folder.lastPathComponent, "--package-path", package.path(),
            "--scratch-path", scratch.path(), "--product", product,
        ]
        process.standardOutput = FileHandle.standardError
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TransportFailure("\(product) could not be built") }
    }
}

struct TransportFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// Tells a person what goes on; the results alone go to stdout.
func progress(_ message: String) { FileHandle.standardError.write(Data("\(message)\n".utf8)) }

#if CommandLine && Fleet
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamDevice
import CofferdamUpgrade

#if canImport(System)
import System
#else
import SystemPackage
#endif

struct UpgradeStopFileCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "stop-file",
            abstract: "Sign a file that stops V2 on devices while their server cannot be reached.",
            discussion: """
                A device that cannot reach its server when it starts or resumes, or at any poll, fetches this file from the \
                address that the app was built with (`StopFile`). It then stays on V1 until the server shows that the \
                upgrade has gone back. Put the file there only in an emergency, and remove it once the server is back.

                Make the key once, keep it where people on call find it, and build the public key into the app.

                EXAMPLES
                  \(Tool.name) upgrade stop-file --new-key stop.key
                  \(Tool.name) upgrade stop-file --key stop.key --all \\
                    --reason "orders fail" > stop.json
                  curl -T stop.json https://static.example.com/stop.json
                """
        )
    }

    @Option(
        help: ArgumentHelp("Write a new private key to this file, and print its public key.", valueName: "file")
    )
    var newKey: String?

    @Option(help: ArgumentHelp("The file with the private key.", valueName: "file"))
    var key: String?

    @OptionGroup var change: ChangeOptions
    @OptionGroup var capabilities: OneOrAllCapabilities

    func validate() throws {
        guard (newKey == nil) != (key == nil) else { throw ValidationError("Give either --new-key or --key.") }
    }

    func run() async throws {
        let environment = ToolEnvironment.current
        try await CommandRun<Tool>.run(isJSON: false) { tooling, _ in
            if let newKey {
                let key = StopSignature.PrivateKey()
                try KeyFile.write(key.text, to: newKey)
                return .init(["publicKey": key.publicKey], isGreen: true) { _ in
                    "\(key.publicKey)\n\nThe app needs this public key. Keep \(newKey.escapedForTerminal) secret.\n"
                }
            }
            let names = try names(in: tooling.upgrades)
            let path = key ?? ""
            let key = try StopSignature.PrivateKey(KeyFile.read(path), subject: path)
            let stop = SignedStop(
                names,
                by: try change.name(in: environment, at: .directory("")),
                reason: try change.reason(in: environment),
                at: environment.now() / 1_000
            )
            if let cost = tooling.upgrades?.costOfGoingBack {
                try StandardStream.error.write("\(Tool.name): \(cost.escapedForTerminal)\n")
            }
            let file = try key.sign(stop)
            return .init(stop, isGreen: true) { _ in String(decoding: file, as: UTF8.self) }
        }
    }

    /// The upgrades that the file names; none means all.
    ///
    /// - Throws: `ValidationError` without a name, or for a name that a tool with upgrades of its own does not know.
    func names(in upgrade: UpgradeTooling?) throws -> [String] {
        if capabilities.all { return [] }
        if let upgrade, !upgrade.capabilities.isEmpty { return try capabilities.choose(in: upgrade).map(\.name) }
        // Only the server knows its upgrades, and a stop file is for when it cannot be reached.
        guard let name = capabilities.one.capability, !name.isEmpty else {
            throw ValidationError("Name the upgrade with --capability, or give --all.")
        }
        return [name]
    }
}

/// A private key in a file that only its owner may read.
private enum KeyFile {
    static func write(_ text: String, to path: String) throws {
        do {
            let file = try FileDescriptor.open(
                FilePath(path),
                .writeOnly,
                options: [.create, .exclusiveCreate],
                permissions: .ownerReadWrite
            )
            try file.closeAfter { _ = try file.writeAll((text + "\n").utf8) }
        } catch {
            throw FileProblem("cannot create '\(path)': \(error)")
        }
    }

    static func read(_ path: String) throws -> String {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly)
            let bytes = try file.closeAfter {
                try [UInt8](unsafeUninitializedCapacity: 1_024) { buffer, count in
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
            }
            return UpgradeArguments.trimmed(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw FileProblem("cannot read '\(path)': \(error)")
        }
    }
}
#endif

#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamSupport

#if canImport(Subprocess)
import Subprocess
#endif

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

struct NewPortCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-port",
        abstract: "Generate a port from a protocol: its table, adapters, fake, harness, rules, upgrade and tests.",
        discussion: """
            Reads the protocol and its target's types from source, and writes new targets beside it: NAMETable, \
            NAMEV1, NAMEV2, NAMEFake, NAMEContract, NAMEStand, which the tests and your team's tool use, NAMEUpgrade, \
            which moves users from V1 to V2, and NAMEContractTests. They compile, and the tests fail until you \
            implement the adapters and the harnesses. Each method gets the rules for a get, a list or a stream, or one \
            of its own, and every call gets those for cancellation, errors and time. The files are yours: existing ones \
            are never overwritten, and the command prints the lines for Package.swift instead of changing it.

            A method is assumed to write, unless its name says that it only reads: "fetchOrder", "orders" that returns \
            orders, "animal(_ id: AnimalID)" that returns an animal. A shadow asks reads on both sides, so look at those that \
            the command lists, and correct the rest with the options.

            EXAMPLES
              swift run cofferdam new-port Weather --file Sources/App/Weather.swift \\
                --dry-run
              swift run cofferdam new-port Orders --file Sources/App/Orders.swift \\
                --read total --idempotent cancel
              swift run cofferdam new-port Orders --file Sources/App/Orders.swift \\
                --file Sources/Money
              swift run cofferdam new-port Accounts --file Sources/App/Accounts.swift \\
                --exclusive signIn,signOut

            EXIT CODES
              0    the files were written
              1    nothing was written: a file exists, or the protocol cannot be read
              64   wrong usage
            """
    )

    @Argument(help: "The name of the protocol, which must be public or package, and Sendable.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "The source file that declares it, and files or folders of other targets whose types it uses.",
            valueName: "path"
        )
    )
    var file: [String]

    @Option(help: "The file's target. Default: the folder below Sources.")
    var module: String?

    @Option(help: ArgumentHelp("The package's folder; paths are relative to it.", valueName: "path"))
    var packagePath = "."

    @Option(help: ArgumentHelp("Operations that only read.", valueName: "names"))
    var read: [String] = []

    @Option(
        help: ArgumentHelp("Operations that change something and are idempotent.", valueName: "names")
    )
    var idempotent: [String] = []

    @Option(help: ArgumentHelp("Operations that change something and are not idempotent.", valueName: "names"))
    var write: [String] = []

    @Option(help: ArgumentHelp("Operations that belong to one session or device.", valueName: "names"))
    var exclusive: [String] = []

    @Flag(
        help: """
            V1 and V2 talk to a server: a TestProxy before it does for both what the rules ask of a vendor. Needs the trait \
            TestStand of the package 'cofferdam'.
            """
    )
    var proxy = false

    @Flag(help: "Print the files instead of writing them.")
    var dryRun = false

    func run() async throws {
        do {
            let port = NewPort(
                name: name,
                files: file,
                package: URL(fileURLWithPath: packagePath, isDirectory: true),
                module: module,
                effects: Self.effects(read, .read) + Self.effects(idempotent, .idempotent)
                    + Self.effects(write, .write) + Self.effects(exclusive, .exclusive),
                usesProxy: proxy
            )
            let plan = try port.plan()
            var files = plan.files
            if !dryRun { try port.checkAbsence(of: files) }
            for index in files.indices { files[index].text = await Self.formatted(files[index], in: packagePath) }
            for problem in plan.types.unread {
                let words = "\(problem), so the types of this file are not known"
                try StandardStream.error.write(words.escapedForTerminal + "\n")
            }
            if dryRun {
                for file in files { try StandardStream.output.write("// \(file.path)\n\n\(file.text)\n") }
            } else {
                try port.write(files)
            }
            try StandardStream.output.write(plan.summary(isWritten: !dryRun))
        } catch let error as NewPortError {
            try StandardStream.error.write(
                error.description.split(separator: "\n").map { "\($0.escaped)\n" }.joined()
            )
            throw ExitCode.failure
        }
    }

    private static func effects(_ names: [String], _ effect: Effect) -> [(name: String, effect: Effect)] {
        names.flatMap { $0.split(separator: ",") }.map { ($0.filter { $0 != " " }, effect) }
    }

    /// The text formatted by the toolchain's swift-format with the package's settings; unchanged if there is no
    /// swift-format.
    private static func formatted(_ file: PortFile, in package: String) async -> String {
        #if canImport(Subprocess)
        do {
            let result = try await Subprocess.run(
                .name("swift"),
                arguments: ["format", "--assume-filename", file.path],
                workingDirectory: FilePath(package),
                input: .string(file.text),
                output: .string(limit: 1 << 22),
                error: .discarded
            )
            return result.terminationStatus.isSuccess && !result.standardOutput.isEmpty
                ? result.standardOutput : file.text
        } catch {
            return file.text
        }
        #else
        return file.text
        #endif
    }
}

extension Substring {
    fileprivate var escaped: String { String(self).escapedForTerminal }
}

extension PortPlan {
    /// What was assumed about calls that return something, with the options that correct it.
    private var assumptions: String {
        let assumed = calls.filter { $0.assumption != nil && $0.method.result != .nothing }
        func list(_ effect: Effect) -> String {
            assumed.filter { $0.effect == effect }.map(\.name).joined(separator: ", ")
        }
        let (reads, writes) = (list(.read), list(.write))
        return
            (reads.isEmpty
            ? ""
            : "Taken for reads, which a shadow asks on both sides. If one changes anything, use --write: \(reads)\n")
            + (writes.isEmpty ? "" : "Taken for writes. If one only reads, use --read: \(writes)\n")
            + (assumed.isEmpty ? "" : "\n")
    }

    /// What each method became, and what is left to do.
    func summary(isWritten: Bool) -> String {
        var table = TextTable(["operation", "effect", "checked by"].map { TextTable.Column($0) })
        for operation in operations {
            let calls = "CANC, ERR, TIME"
            let rules =
                switch operation.shape {
                case .get: "GET-01, GET-02, \(calls)"
                case .list: "LIST-01 to LIST-09, \(calls)"
                case .stream: "STRM-01 to STRM-11"
                case .own:
                    (operation.isCall ? "\(calls), " : "") + "a rule of its own"
                        + (operation.remark.map { ": \($0)" } ?? "")
                }
            let effect = operation.effect.rawValue + (operation.assumption == nil ? "" : " (assumed)")
            table.add([TextTable.Cell(operation.name), TextTable.Cell(effect), TextTable.Cell(rules)])
        }
        let written = isWritten ? "Written:\n" + files.map { "  \($0.path)\n" }.joined() + "\n" : ""
        return written + table.render(TerminalStyle(isColoured: false)) + """

            \(assumptions)Add to the targets of Package.swift, where the package 'cofferdam' is a dependency\(
                    usesProxy ? " with the trait TestStand" : ""
                ):

            \(manifest)
            Then `swift test` shows what is not written yet.

            """
    }
}
#endif

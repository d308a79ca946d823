#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct WallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wall",
        abstract: "Check who imports the vendor: a package's sources and targets, against a table in one file.",
        discussion: """
            Looks at every Swift file that SwiftPM compiles, in all branches of #if, and at the dependencies of every \
            target. It needs no build and no network. Prints a line with file and line for each violation.

            The table is .cofferdam-wall in the package's folder. With these lines alone, two targets may import the \
            vendor, and everything else is free:

              # Who may import the vendor.
              vendor Stripe StripeCore from stripe-ios: PaymentsV1 PaymentsV1Tests

            A vendor's module must not be imported as public, package or @testable outside tests, and must not be \
            re-exported. An adapter can have its clients, too:

              only PaymentsV1: App PaymentsV1Tests

            A target with a row may import what the row and 'system' name, and nothing else. With 'strict', every target \
            needs a row, and only a target whose 'exports' names a module may re-export it: each target that may \
            import that one gets the module too. A pure target may not even import the system's modules:

              strict
              system: Foundation Synchronization
              target App: Domain PaymentsV1
              pure Domain:
              exports App: Domain

            A line that begins with a space continues the one above, and # begins a comment.

            EXAMPLES
              swift run cofferdam wall
              swift run cofferdam wall --package-path App --table walls/app
              swift run cofferdam wall --json | jq '.violations[].path'

            EXIT CODES
              0    the wall holds
              1    there are violations, the table is wrong, or SwiftPM cannot read the
                   package
              64   wrong usage, or no table
            """
    )

    @Option(help: ArgumentHelp("The package's folder.", valueName: "path"))
    var packagePath = "."

    @Option(
        help: ArgumentHelp("The table. Default: .cofferdam-wall in the package's folder.", valueName: "file")
    )
    var table: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let report = try await report()
        do {
            try StandardStream.output.write(json ? OutputFile.json(report) : Array(report.text.utf8))
        } catch let error as StreamClosed where error.isBrokenPipe {
            // The reader closed the pipe; the exit code still gives the result.
        }
        if !report.holds { throw ExitCode.failure }
    }

    /// - Throws: `ValidationError` if there is no table or no package, and `ExitCode` if SwiftPM cannot read the
    ///   package.
    func report() async throws -> WallReport {
        #if canImport(Subprocess)
        let prefix = packagePath == "." ? "" : packagePath.hasSuffix("/") ? packagePath : packagePath + "/"
        guard FileManager.default.fileExists(atPath: prefix + "Package.swift") else {
            throw ValidationError(
                "There is no Package.swift in \(packagePath): name its folder with --package-path."
            )
        }
        let path = table ?? prefix + ".cofferdam-wall"
        guard FileManager.default.fileExists(atPath: path) else {
            throw ValidationError("There is no table \(path): write one, or name it with --table.")
        }
        do {
            let table = WallTable(try String(contentsOfFile: path, encoding: .utf8))
            let package = try await WallPackage.read(packagePath)
            return await Wall(table, at: path, of: package, prefix: prefix).check(packagePath)
        } catch {
            let text = (error as? WallProblem)?.description ?? "cannot read '\(path)': \(error)"
            for line in text.split(separator: "\n") {
                try StandardStream.error.write(String(line).escapedForTerminal + "\n")
            }
            throw ExitCode.failure
        }
        #else
        throw ValidationError("The wall needs 'swift package', which this platform does not have.")
        #endif
    }
}
#endif

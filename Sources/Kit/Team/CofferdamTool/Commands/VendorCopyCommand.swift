#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamSupport

struct VendorCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vendor-copy",
        abstract: "Copy one major of a package into yours, so that one graph can hold both.",
        discussion: """
            SwiftPM accepts only one version of a package. A copy in its own folder counts as another package, and \
            module aliases keep the two majors' modules apart. The command copies a tag, and prints the lines for \
            Package.swift with the aliases; it changes no file of yours, and overwrites none. The copy shares its \
            dependencies with your package.

            Aliases rename Swift modules and nothing else. So the command refuses, with the reasons, what would exist \
            twice under one name: C and Objective-C, binary targets, system libraries, macros, plugins, executables, \
            symbols and runtime names that are fixed, resource bundles, unsafe flags, and dependencies in versions that \
            do not fit. Then give each adapter its own package: see CofferdamSides.

            Import the two majors in different files: if a module has a type with its own name, a file that imports \
            both cannot tell the types apart.

            EXAMPLES
              vendor-copy https://github.com/acme/widgets --version 1.4.2 \\
                --as widgets-v1
              vendor-copy ../widgets --version 1.4.2 --as widgets-v1 \\
                --into Vendors --dry-run

            EXIT CODES
              0    the copy was written, or could be
              1    nothing was written: aliases cannot work, a file exists, or the
                   package could not be read
              64   wrong usage
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @Argument(help: "The package: a URL or a path, as git takes it.")
    var source: String

    @Option(help: ArgumentHelp("The tag to copy; '1.4.2' also finds 'v1.4.2'.", valueName: "tag"))
    var version: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The copy's folder and identity; its suffix is also the aliases'.",
            valueName: "name"
        )
    )
    var identity: String

    @Option(help: ArgumentHelp("The folder for copies, in your package.", valueName: "directory"))
    var into = "Vendors"

    @Option(help: ArgumentHelp("Your package's folder.", valueName: "path"))
    var packagePath = "."

    @Flag(help: "Show what would be written, and write nothing.")
    var dryRun = false

    func validate() throws {
        for (name, value) in [("the package", source), ("--version", version)]
        where value.isEmpty || value.hasPrefix("-") {
            throw ValidationError("'\(value)' is not a value for \(name).")
        }
        let isName = identity.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, 45, 46, 95: true
            default: false
            }
        }
        guard isName, let first = identity.first, first != "-", first != "." else {
            throw ValidationError(
                "'\(identity)' is not a valid folder name: use letters, digits, '-', '.' and '_'."
            )
        }
        let original = VendorPlan.identity(of: source)
        guard identity.lowercased() != original, !VendorPlan.suffix(of: identity, original: original).isEmpty else {
            throw ValidationError(
                "'\(identity)' is the package's own identity: name the copy '\(original)-v1', for example."
            )
        }
        let parts = into.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(".."), !into.hasPrefix("/"), !into.isEmpty else {
            throw ValidationError("'\(into)' is not a folder in your package.")
        }
    }

    func run() async throws {
        let copy = VendorCopy(
            source: source,
            version: version,
            identity: identity,
            directory: into,
            package: packagePath
        )
        do {
            let plan = try await copy.run(isDry: dryRun)
            for obstacle in plan.obstacles { try StandardStream.error.write(obstacle.escapedForTerminal + "\n") }
            if json {
                try StandardStream.output.write(OutputFile.json(plan))
            } else if plan.obstacles.isEmpty {
                try StandardStream.output.write(plan.render(TerminalStyle(isColoured: false)))
            }
            guard plan.obstacles.isEmpty else {
                try StandardStream.error.write(
                    "vendor-copy: nothing was written, because aliases cannot keep the two apart\n"
                )
                throw ExitCode.failure
            }
        } catch let error as VendorCopyError {
            for problem in error.problems { try StandardStream.error.write(problem.escapedForTerminal + "\n") }
            throw ExitCode.failure
        }
    }
}
#endif

#if Sandbox
import CofferdamTool
import Foundation

/// Checks the wall in the text of the sources, for violations that the compiler does not see, or sees only in the
/// branch that it builds. It also checks this repository's own rules.
struct Lint: Sendable {
    /// The walls of the checkout's packages, by their folders, which are empty or end with a slash.
    private let walls: [(folder: String, wall: Wall)]

    /// Each package with a table: the checkout's own, and the fuzzers', which lies inside.
    static func ofCheckout() async throws -> Lint { try await loading.value }

    private static let loading = Task {
        var walls: [(folder: String, wall: Wall)] = []
        for folder in ["Tests/Fuzz/", ""] {
            let table = House.root.appending(path: folder + ".cofferdam-wall")
            let wall = Wall(
                WallTable(try String(contentsOf: table, encoding: .utf8)),
                at: folder + ".cofferdam-wall",
                of: try await WallPackage.read(path(of: folder), without: Command.unset),
                prefix: folder
            )
            walls.append((folder, wall))
        }
        return Lint(walls: walls)
    }

    private static func path(of folder: String) -> String {
        House.root.appending(path: folder).path(percentEncoded: false)
    }

    /// Checks each package: its table, its targets' dependencies and the files that are compiled.
    func reports() async -> [WallReport] {
        var reports: [WallReport] = []
        for (folder, wall) in walls { reports.append(await wall.check(Self.path(of: folder))) }
        return reports
    }

    /// Returns a file's violations, each with its location.
    func violations(in file: SourceFile) -> [String] {
        imports(file) + Self.words(file) + Self.bareTasks(file) + Self.inheritedMasks(file)
            + Self.vendorCallbacks(file) + Self.unproven(file)
    }

    private func imports(_ file: SourceFile) -> [String] {
        guard let (folder, wall) = walls.first(where: { file.path.hasPrefix($0.folder) }) else { return [] }
        return wall.violations(of: file.text, in: String(file.path.dropFirst(folder.count))).map(\.description)
    }

    /// The app never names the vendor, and the kit names neither the vendor nor the app.
    static func words(_ file: SourceFile) -> [String] {
        let forbidden =
            file.path.hasPrefix("Sources/Kit/")
            ? ["Menagerie", "Sanctuary"] : file.path.hasPrefix("Sources/Sanctuary/") ? ["Menagerie"] : []
        return lines(of: file.text).flatMap { number, line in
            forbidden.filter { line.lowercased().contains($0.lowercased()) }
                .map { "\(file.path):\(number): says \($0)" }
        }
    }

    /// An unstructured task in the kit, an adapter or the harness must name an executor, so that tests can drive it, or be a hop
    /// to the main actor.
    static func bareTasks(_ file: SourceFile) -> [String] {
        let held = ["Sources/Kit/", "Sources/Adapters/", "Sources/Team/"]
        guard held.contains(where: file.path.hasPrefix) else { return [] }
        guard !file.path.hasPrefix("Sources/Team/vendorctl/") else { return [] }
        return lines(of: file.code, saying: ["Task"]).filter {
            !$0.line.contains("extension Task") && !$0.line.contains("Task { @MainActor")
                && $0.line.contains(/\bTask(\.detached|\.immediate)?(\(priority[^)]*\))?\s*\{/)
        }
        .map { "\(file.path):\($0.number): a bare Task: give it an injected executor" }
    }

    /// A child process started by Foundation inherits the signal mask of the starting thread. The pool's threads block
    /// every signal, so that the child could not be terminated.
    static func inheritedMasks(_ file: SourceFile) -> [String] {
        lines(of: file.code, saying: ["Process"]).filter { $0.line.contains(/(^|[^\w.])(Foundation\.)?Process\(/) }
            .map { "\(file.path):\($0.number): Foundation's Process: Subprocess starts it with no signal blocked" }
    }

    /// A closure that an old vendor calls on its own thread must be `@Sendable`, or it traps there.
    static func vendorCallbacks(_ file: SourceFile) -> [String] {
        guard file.imports.contains(where: { $0.module == "MenagerieV1" }), file.path.hasPrefix("Sources/") else {
            return []
        }
        return lines(of: file.code, saying: ["error"]).filter {
            $0.line.contains(/\{\s*(\[[^\]]*\]\s*)?\(?[\w\s,:?]*\berror\b[\w\s,:?]*\)?\s+in\b/)
        }.map { "\(file.path):\($0.number): a closure for a vendor's callback is not @Sendable" }
    }

    /// Code that the compiler must trust needs a comment right above that proves it correct.
    static func unproven(_ file: SourceFile) -> [String] {
        guard !file.path.hasPrefix("Tests/") else { return [] }
        let texts = lines(of: file.text)
        return lines(
            of: file.code,
            saying: ["@unchecked Sendable", "nonisolated(unsafe)", "try!", "fatalError(", "as!"]
        )
        .filter { found in
            let above = texts.prefix(found.number - 1).last.map(\.line) ?? ""
            return !above.contains("//")
        }.map { "\(file.path):\($0.number): not proven by a comment: \($0.line)" }
    }

    private static func lines(of text: String) -> [(number: Int, line: Substring)] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { ($0 + 1, $1) }
    }

    /// Returns the lines that contain one of the words. A regular expression would cost a hundred times as much.
    private static func lines(of code: [String], saying words: [String]) -> [(number: Int, line: String)] {
        code.enumerated().filter { entry in words.contains { entry.element.contains($0) } }.map { ($0 + 1, $1) }
    }
}
#endif

/// Checks the wall in the sources' text, for violations that the compiler does not see, or sees only in the branch it
/// builds.
enum Lint {
    /// Returns a file's violations, each with its location.
    static func violations(in file: SourceFile) -> [String] {
        imports(file) + words(file) + bareTasks(file) + inheritedMasks(file) + vendorCallbacks(file) + unproven(file)
    }

    static func imports(_ file: SourceFile) -> [String] {
        guard let target = file.target, let row = ImportTable.rows[target] else {
            return ["\(file.path): belongs to no target that the import table knows"]
        }
        let system = ImportTable.purest.contains(target) ? [] : ImportTable.system
        return file.imports.flatMap { entry -> [String] in
            let place = "\(file.path):\(entry.line)"
            var violations: [String] = []
            if !row.union(system).contains(entry.module) {
                violations.append("\(place): \(target) may not import \(entry.module)")
            }
            if entry.modifiers.contains("@_exported") {
                violations.append("\(place): \(entry.module) is re-exported")
            }
            if ImportTable.vendors.contains(entry.module), !file.path.hasPrefix("Tests/"),
                let modifier = entry.modifiers.first(where: { ["public", "package", "@testable"].contains($0) })
            {
                violations.append("\(place): a vendor's module is imported as \(modifier)")
            }
            return violations
        }
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

    /// An unstructured task in the kit, an adapter or the harness must name an executor, so that tests can drive it.
    static func bareTasks(_ file: SourceFile) -> [String] {
        let held = ["Sources/Kit/", "Sources/Adapters/", "Sources/Team/"]
        guard held.contains(where: file.path.hasPrefix) else { return [] }
        guard !file.path.hasPrefix("Sources/Team/vendorctl/") else { return [] }
        return lines(of: file.code, saying: ["Task"]).filter {
            !$0.line.contains("extension Task")
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

    /// A closure that an old vendor calls from its own thread must be `@Sendable`, or it traps there.
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
        }.map { "\(file.path):\($0.number): not proven by a comment: \($0.line.trimming(" "))" }
    }

    private static func lines(of text: String) -> [(number: Int, line: Substring)] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { ($0 + 1, $1) }
    }

    /// Returns the lines that contain one of the words. A regular expression would cost a hundred times as much.
    private static func lines(of text: String, saying words: [String]) -> [(number: Int, line: Substring)] {
        guard words.contains(where: text.contains) else { return [] }
        return lines(of: text).filter { entry in words.contains { entry.line.contains($0) } }
    }
}

extension Substring {
    fileprivate func trimming(_ character: Character) -> Substring {
        drop { $0 == character }
    }
}

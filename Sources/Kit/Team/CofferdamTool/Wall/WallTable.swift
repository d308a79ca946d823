/// The table of which targets may import what, as the lines of a file:
///
///     vendor Stripe StripeCore from stripe-ios: PaymentsV1 PaymentsV1Tests
///     only PaymentsV1: App PaymentsV1Tests
///     strict
///     system: Foundation Synchronization
///     target App: Domain PaymentsV1
///     pure Domain:
///     exports App: Domain
///
/// A line that begins with a space continues the one above; `#` begins a comment.
package struct WallTable: Sendable {
    /// Modules that only some targets may import.
    struct Guarded: Sendable {
        /// Whether they are a vendor's, which no target may expose to others either.
        var isVendor: Bool
        var modules: [Name]
        /// The packages that the modules come from.
        var packages: [Name]
        var targets: [Name]
        var line: Int
    }

    /// The modules that one target may import.
    struct Row: Sendable {
        var target: Name
        var modules: [Name]
        /// Whether it may not import the system's modules.
        var isPure: Bool
    }

    /// A name and its line, from 1.
    struct Name: Sendable, Hashable {
        var text: String
        var line: Int

        /// The compiler's name of a target or product of that name: `my-vendor` is the module `my_vendor`.
        var module: String { text.moduleName }
    }

    private(set) var guards: [Guarded] = []
    private(set) var rows: [Row] = []
    /// The modules that targets re-export, which a strict table otherwise forbids.
    private(set) var exports: [Row] = []
    /// The modules that every target may import, except a pure one.
    private(set) var system: [Name] = []
    /// Whether every target needs a row.
    private(set) var isStrict = false
    /// The lines that cannot be read or that contradict another line.
    private(set) var problems: [SourceProblem] = []

    private var firstLines: [String: Int] = [:]

    package init(_ text: String) {
        var entries: [[Name]] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.prefix { $0 != "#" }.replacing(":", with: " : ").split(whereSeparator: \.isWhitespace)
                .map { Name(text: String($0), line: index + 1) }
            guard let first = words.first else { continue }
            for word in words where word.text != ":" && !word.text.allSatisfy(\.isPartOfName) {
                problem(word, "'\(word.text)' is not a name; names are separated by spaces")
            }
            if line.first?.isWhitespace != true {
                entries.append(words)
            } else if entries.isEmpty {
                problem(first, "a line that begins with a space continues another, and there is none above")
            } else {
                entries[entries.count - 1] += words
            }
        }
        for entry in entries { read(entry) }
        for row in rows + exports { checkGuards(of: row) }
        problems.sort { $0.line < $1.line }
    }

    private mutating func read(_ words: [Name]) {
        let key = words[0]
        let parts = words.dropFirst().split(maxSplits: 1, omittingEmptySubsequences: false) { $0.text == ":" }
        let head = Array(parts[0])
        let list = parts.count > 1 ? unique(Array(parts[1])) : []
        switch key.text {
        case "strict":
            if words.count > 1 { problem(key, "'strict' must stand alone") }
            isStrict = true
            return
        case "vendor", "only", "system", "target", "pure", "exports": break
        default:
            return problem(
                key,
                "unknown key '\(key.text)': the keys are vendor, only, system, target, pure, exports and strict"
            )
        }
        guard parts.count == 2, !list.contains(where: { $0.text == ":" }) else {
            return problem(key, "'\(key.text)' needs one colon, before the list")
        }
        switch key.text {
        case "system":
            if !head.isEmpty { problem(key, "'system' names nothing before its colon") }
            if isFirst("'system'", key) { system = list }
        case "target", "pure":
            guard head.count == 1 else { return problem(key, "'\(key.text)' needs one target before its colon") }
            if isFirst("the row of '\(head[0].text)'", head[0]) {
                rows.append(Row(target: head[0], modules: list, isPure: key.text == "pure"))
            }
        case "exports":
            guard head.count == 1 else { return problem(key, "'exports' needs one target before its colon") }
            if isFirst("the line 'exports' of '\(head[0].text)'", head[0]) {
                exports.append(Row(target: head[0], modules: list, isPure: false))
            }
        default: readGuard(key, head, list)
        }
    }

    private mutating func readGuard(_ key: Name, _ head: [Name], _ targets: [Name]) {
        let isVendor = key.text == "vendor"
        let parts = head.split(maxSplits: 1, omittingEmptySubsequences: false) { isVendor && $0.text == "from" }
        let modules = unique(Array(parts[0]))
        guard !modules.isEmpty else { return problem(key, "'\(key.text)' needs a module before its colon") }
        if parts.count > 1, parts[1].isEmpty { problem(key, "'from' needs a package after it") }
        guards.append(
            Guarded(
                isVendor: isVendor,
                modules: modules.filter { isFirst("the line of '\($0.text)'", $0) },
                packages: parts.count > 1 ? Array(parts[1]) : [],
                targets: targets,
                line: key.line
            )
        )
    }

    /// A guarded module's line says which targets may import it, so a row must neither repeat nor contradict that.
    private mutating func checkGuards(of row: Row) {
        for name in row.modules {
            guard let guarded = guarded(name.module) else { continue }
            problem(name, "line \(guarded.line) says who may import '\(name.text)': a row must not name it")
        }
    }

    /// Returns the line that guards a module.
    func guarded(_ module: String) -> Guarded? {
        guards.first { $0.modules.contains { $0.module == module } }
    }

    /// Returns the names, each once.
    private mutating func unique(_ names: [Name]) -> [Name] {
        var seen: Set<String> = []
        return names.filter { name in
            if name.text == ":" || seen.insert(name.text).inserted { return true }
            problem(name, "'\(name.text)' is named twice")
            return false
        }
    }

    private mutating func isFirst(_ what: String, _ place: Name) -> Bool {
        guard let line = firstLines[what] else {
            firstLines[what] = place.line
            return true
        }
        problem(place, "\(what) is already in line \(line)")
        return false
    }

    private mutating func problem(_ place: Name, _ text: String) { problems.append(SourceProblem(place.line, text)) }
}

extension String {
    /// The module's name that SwiftPM derives from a target's.
    var moduleName: String { String(map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" }) }
}

extension Character {
    fileprivate var isPartOfName: Bool { isLetter || isNumber || "_-.+".contains(self) }
}

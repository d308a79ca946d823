#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Checks a package against the table that says which targets may import what.
package struct Wall: Sendable {
    let table: WallTable
    let package: WallPackage
    /// The table's file, as violations name it.
    let tablePath: String
    /// The prefix of the paths of the package's files: empty, or a folder with a slash.
    let prefix: String

    package init(_ table: WallTable, at tablePath: String, of package: WallPackage, prefix: String = "") {
        self.table = table
        self.tablePath = tablePath
        self.package = package
        self.prefix = prefix
    }

    /// Checks the table, the targets' dependencies and every Swift file that is compiled.
    ///
    /// - Parameter folder: the package's folder.
    @concurrent package func check(_ folder: String) async -> WallReport {
        var report = WallReport()
        report.violations = tableViolations()
        // With a wrong table, everything else would be wrong too.
        guard report.holds else { return report }
        report.violations = graphViolations()
        let parts = await withTaskGroup { group in
            for target in package.targets { group.addTask { Self.read(target, in: folder) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var used: Set<String> = []
        for part in parts.sorted(by: { $0.target.name < $1.target.name }) {
            report.targets += 1
            for (path, file) in part.files {
                report.files += 1
                switch file {
                case .failure(let problem): report.violations.append(unreadable(path, problem))
                case .success(let imports):
                    report.imports += imports.count
                    report.violations += violations(of: imports, in: path, of: part.target)
                    used.formUnion(imports.map { ownName(of: $0.module) })
                }
            }
        }
        report.violations += unusedVendors(used)
        return report
    }

    /// Returns the violations in a file's imports. The file need not exist: its path says which target it belongs to.
    package func violations(of text: String, in path: String) -> [WallViolation] {
        guard let owner = package.owner(of: path) else {
            let stray = WallViolation(path: prefix + path, text: "belongs to no target of the package")
            return table.isStrict ? [stray] : []
        }
        guard !owner.isExcluded else { return [] }
        do {
            return violations(of: ImportDeclaration.all(in: try SwiftTokens(text).tokens), in: path, of: owner.target)
        } catch {
            return [unreadable(path, error)]
        }
    }

    // MARK: The table

    /// Returns what is wrong with the table, in itself and for this package.
    package func tableViolations() -> [WallViolation] {
        let targets = Set(package.targets.map(\.name))
        var problems = table.problems
        for name in (table.rows + table.exports).map(\.target) + table.guards.flatMap(\.targets)
        where !targets.contains(name.text) {
            problems.append(SourceProblem(name.line, "the package has no target '\(name.text)'"))
        }
        // Without adapters, the line only makes sure that the vendor stays out.
        for name in table.guards.filter({ !$0.targets.isEmpty }).flatMap(\.packages)
        where !package.packages.contains(name.text.lowercased()) {
            problems.append(SourceProblem(name.line, "the package does not depend on a package '\(name.text)'"))
        }
        return problems.sorted { $0.line < $1.line }.map {
            WallViolation(path: tablePath, line: $0.line, text: $0.text)
        }
    }

    /// A vendor that none of its adapters imports probably has another name, and the wall would let it through.
    private func unusedVendors(_ used: Set<String>) -> [WallViolation] {
        table.guards.filter { guarded in
            guarded.isVendor && !guarded.targets.isEmpty && !guarded.modules.contains { used.contains($0.module) }
        }.map { guarded in
            let names = guarded.modules.map(\.text).joined(separator: ", ")
            return WallViolation(
                path: tablePath,
                line: guarded.line,
                text: "no adapter imports \(names): is the name right?"
            )
        }
    }

    // MARK: The graph

    /// Returns what is wrong with the targets' dependencies.
    package func graphViolations() -> [WallViolation] {
        package.targets.flatMap { target in
            let needsRow = table.isStrict && !target.swiftFiles.isEmpty && row(of: target) == nil
            let missing = WallViolation(
                path: prefix + "Package.swift",
                line: package.manifest.line(of: target.name),
                target: target.name,
                text: "\(target.name) has no row in \(tablePath)"
            )
            return (needsRow ? [missing] : []) + target.dependencies.compactMap { violation(of: $0, of: target) }
        }
    }

    private func violation(of dependency: WallPackage.Dependency, of target: WallPackage.Target) -> WallViolation? {
        var text = "\(target.name) may not depend on "
        let name: String
        switch dependency {
        case .target(let other):
            if mayUse(other.moduleName, target) { return nil }
            name = other
            text += other
        case .product(let product, let package):
            let identity = (package ?? product).lowercased()
            let guards =
                table.guarded(product.moduleName).map { [$0] }
                ?? table.guards.filter { guarded in
                    guarded.packages.contains { $0.text.lowercased() == identity }
                }
            let mayUse = guards.contains { $0.targets.contains { $0.text == target.name } }
            if guards.isEmpty || mayUse { return nil }
            name = product
            text += product + (package.map { " of the package '\($0)'" } ?? "")
        }
        return WallViolation(
            path: prefix + "Package.swift",
            line: package.manifest.line(of: target.name, dependingOn: name),
            target: target.name,
            module: name.moduleName,
            text: text
        )
    }

    // MARK: The sources

    private struct Part: Sendable {
        var target: WallPackage.Target
        var files: [(path: String, imports: Result<[ImportDeclaration], SourceProblem>)] = []
    }

    private static func read(_ target: WallPackage.Target, in folder: String) -> Part {
        var part = Part(target: target)
        for path in target.swiftFiles {
            part.files.append((path, Result { () throws(SourceProblem) in try imports(of: path, in: folder) }))
        }
        return part
    }

    private static func imports(of path: String, in folder: String) throws(SourceProblem) -> [ImportDeclaration] {
        let text: String
        do {
            text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
        } catch {
            throw SourceProblem(1, "\(error)")
        }
        return ImportDeclaration.all(in: try SwiftTokens(text).tokens)
    }

    private func unreadable(_ path: String, _ problem: SourceProblem) -> WallViolation {
        WallViolation(path: prefix + path, line: problem.line, text: "its imports cannot be read: \(problem.text)")
    }

    private func violations(of imports: [ImportDeclaration], in path: String, of target: WallPackage.Target)
        -> [WallViolation]
    {
        imports.flatMap { entry in
            texts(of: entry, in: target).map { text in
                WallViolation(
                    path: prefix + path,
                    line: entry.line,
                    target: target.name,
                    module: entry.module,
                    text: text
                )
            }
        }
    }

    private func texts(of entry: ImportDeclaration, in target: WallPackage.Target) -> [String] {
        guard mayUse(entry.module, target) else { return ["\(target.name) may not import \(entry.module)"] }
        let isVendor = table.guarded(ownName(of: entry.module))?.isVendor ?? false
        if entry.modifiers.contains("@_exported"), isVendor || table.isStrict && !mayExport(entry.module, target) {
            return ["\(entry.module) is re-exported"]
        }
        guard isVendor, !target.isTest else { return [] }
        if let modifier = entry.modifiers.first(where: { ["public", "package", "@testable"].contains($0) }) {
            return ["a vendor's module is imported as \(modifier)"]
        }
        if target.importsInternally || entry.modifiers.contains(where: Self.hiding.contains) { return [] }
        return [
            "a vendor's module is imported as public: write 'internal import \(entry.module)', "
                + "or set InternalImportsByDefault for the target"
        ]
    }

    private static let hiding: Set = ["internal", "fileprivate", "private", "@_implementationOnly"]

    private func mayUse(_ name: String, _ target: WallPackage.Target) -> Bool {
        let module = ownName(of: name)
        if let guarded = table.guarded(module) { return guarded.targets.contains { $0.text == target.name } }
        guard let row = row(of: target) else { return true }
        return row.modules.contains { $0.module == module }
            || (!row.isPure && table.system.contains { $0.module == module })
    }

    private func mayExport(_ name: String, _ target: WallPackage.Target) -> Bool {
        let module = ownName(of: name)
        return table.exports.contains { row in
            row.target.text == target.name && row.modules.contains { $0.module == module }
        }
    }

    private func row(of target: WallPackage.Target) -> WallTable.Row? {
        table.rows.first { $0.target.text == target.name }
    }

    private func ownName(of module: String) -> String { package.aliases[module] ?? module }
}

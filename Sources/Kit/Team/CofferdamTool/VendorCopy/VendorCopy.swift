#if CommandLine
import Cofferdam
import CofferdamSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Copies one major of a package into the adopter's package, under another identity.
struct VendorCopy {
    /// The package's URL or path.
    var source: String
    var version: String
    /// The name of the copy's folder, and therefore its identity.
    var identity: String
    /// The folder for copies, relative to the package's folder.
    var directory: String
    /// The folder of the adopter's package.
    var package: String

    /// Reads the package, and copies it unless `isDry` is true or there are obstacles.
    ///
    /// - Throws: ``VendorCopyError``, after which nothing was written.
    func run(isDry: Bool) async throws -> VendorPlan {
        let temporary = FileManager.default.temporaryDirectory
            .appendingPathComponent("vendor-copy-\(UUID().uuidString)", isDirectory: true)
        // If this fails, the system empties its temporary folder anyway.
        defer { try? FileManager.default.removeItem(at: temporary) }
        let scratch = temporary.appendingPathComponent("scratch", isDirectory: true)
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)

        guard FileManager.default.fileExists(atPath: "\(package)/Package.swift") else {
            throw VendorCopyError("there is no Package.swift in '\(package)': run it in your package's folder")
        }
        let destination = URL(fileURLWithPath: package).appendingPathComponent(directory)
            .appendingPathComponent(identity)
        if FileManager.default.fileExists(atPath: destination.path) {
            throw VendorCopyError("nothing was written, because '\(directory)/\(identity)' already exists")
        }
        let adopter = try await VendorManifests.manifest(in: package, scratch: scratch)
        let checkout = try await VendorCheckout(
            of: source,
            version: version,
            in: temporary.appendingPathComponent("checkout", isDirectory: true)
        )
        let vendor = try await VendorManifests.package(in: checkout.folder, scratch: scratch)
        let conflicts = VendorConflicts(
            package: vendor,
            adopter: adopter,
            resolved: try VendorManifests.resolved(in: package)
        )
        var plan = VendorPlan(self, vendor, checkout, shared: conflicts.shared)
        plan.obstacles =
            try VendorObstacles(package: vendor, folder: checkout.folder).all(addsToManifest: plan.addition != nil)
            + conflicts.all(
                identity: identity,
                at: destination.resolvingSymlinksInPath().path,
                aliases: plan.aliases.values.sorted()
            )
        guard plan.obstacles.isEmpty, !isDry else { return plan }
        try write(checkout, plan, to: destination)
        plan.isWritten = true
        return plan
    }

    /// Writes the whole folder at once, so that a failed copy leaves nothing behind.
    private func write(_ checkout: VendorCheckout, _ plan: VendorPlan, to destination: URL) throws {
        let folder = destination.deletingLastPathComponent()
        let unfinished = folder.appendingPathComponent(".\(identity)-\(UUID().uuidString)")
        do {
            let record: [UInt8] = try OutputFile.json(plan.record)
            try OutputFile.write(record, to: checkout.folder.appendingPathComponent(VendorRecord.file).path)
            if let addition = plan.addition {
                for manifest in try VendorManifests.files(in: checkout.folder) {
                    let bytes: [UInt8] = try [UInt8](Data(contentsOf: manifest)) + [UInt8](addition.utf8)
                    try OutputFile.write(bytes, to: manifest.path)
                }
            }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: checkout.folder, to: unfinished)
            try FileManager.default.moveItem(at: unfinished, to: destination)
        } catch {
            // The folder may not exist yet; the error of writing is the one to report.
            try? FileManager.default.removeItem(at: unfinished)
            throw VendorCopyError("cannot write '\(directory)/\(identity)': \(error)")
        }
    }
}

/// The origin of a copy, in a file in its folder.
struct VendorRecord: Sendable, Hashable, Codable {
    static let file = "vendor-copy.json"

    /// The source, without credentials.
    let source: String
    let tag: String
    let commit: String
}

/// A copy, and what the adopter's manifest needs for it.
struct VendorPlan: Sendable, Encodable {
    struct Product: Sendable, Hashable, Encodable {
        let name: String
        /// The Swift modules of the product, and their names in the adopter's package.
        let aliases: [String: String]
        let line: String
    }

    struct Shared: Sendable, Hashable, Encodable {
        let identity: String
        let requirement: String
    }

    let record: VendorRecord
    /// The path, relative to the adopter's package.
    let path: String
    let products: [Product]
    let shared: [Shared]
    /// The line for the package's dependencies.
    let line: String
    /// The lines added to the copy's own manifest; nil if no module imports another one of the package.
    let addition: String?
    var obstacles: [String] = []
    var isWritten = false

    init(
        _ copy: VendorCopy,
        _ package: VendorPackage,
        _ checkout: VendorCheckout,
        shared: [VendorPackage.Dependency]
    ) {
        let suffix = Self.suffix(of: copy.identity, original: Self.identity(of: copy.source))
        record = VendorRecord(
            source: VendorCheckout.shown(copy.source),
            tag: checkout.tag,
            commit: checkout.commit
        )
        path = "\(copy.directory)/\(copy.identity)"
        line = ".package(path: \"\(path)\"),"
        addition = Self.addition(to: package, suffix)
        self.shared = shared.map { Shared(identity: $0.identity, requirement: $0.requirement) }
        products = package.libraries.map { product in
            let modules = package.targets(of: product).filter { ["regular", "executable"].contains($0.type) }
            let aliases = Dictionary(modules.map { ($0.name, $0.name + suffix) }) { first, _ in first }
            let pairs = aliases.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \"\($0.value)\"" }
            return Product(
                name: product.name,
                aliases: aliases,
                line: """
                    .product(
                        name: "\(product.name)",
                        package: "\(copy.identity)",
                        moduleAliases: [\(pairs.joined(separator: ", "))]
                    ),
                    """
            )
        }
    }

    /// SwiftPM 6.3 compiles a module with only its own alias, so a module that imports others of its package would
    /// silently import the other major's. The copy's manifest adds their aliases.
    private static func addition(to package: VendorPackage, _ suffix: String) -> String? {
        let swift = package.targets.filter { ["regular", "executable"].contains($0.type) }
        let lines = swift.compactMap { target -> String? in
            let imported = package.targets(from: [target.name]).map(\.name).filter { name in
                name != target.name && swift.contains { $0.name == name }
            }
            let aliases = imported.sorted().map { "\"\($0)=\($0)\(suffix)\"" }.joined(separator: ", ")
            return aliases.isEmpty ? nil : "    \"\(target.name)\": [\(aliases)],\n"
        }
        guard !lines.isEmpty else { return nil }
        return """

            // Added by vendor-copy: SwiftPM 6.3 compiles a module with only its own alias, without those of the modules
            // that it imports.
            let copiedModuleAliases: [String: [String]] = [
            \(lines.joined())]
            for target in package.targets {
                for alias in copiedModuleAliases[target.name] ?? [] {
                    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-module-alias", alias])]
                }
            }

            """
    }

    var aliases: [String: String] {
        products.map(\.aliases).reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }

    /// The identity as SwiftPM derives it from a URL or a path: "yams" of "https://github.com/jpsim/Yams.git".
    static func identity(of source: String) -> String {
        let name = source.split(separator: "/").last.map(String.init) ?? source
        return (name.hasSuffix(".git") ? String(name.dropLast(4)) : name).lowercased()
    }

    /// The aliases' suffix: "V1" for "yams-v1", whose original is "yams"; "Old" for "old".
    static func suffix(of identity: String, original: String) -> String {
        let rest = identity.lowercased().hasPrefix(original) ? identity.dropFirst(original.count) : identity[...]
        return rest.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

extension VendorPlan {
    func render(_ style: TerminalStyle) -> String {
        func indented(_ text: String) -> String {
            text.split(separator: "\n").map { "    \($0)\n" }.joined()
        }
        let done = isWritten ? "Copied" : "Would copy"
        var text = "\(done) \(record.tag) (\(record.commit.prefix(12))) of \(record.source) to \(path)\n\n"
        text += "Add to the dependencies of Package.swift:\n\n" + indented(line)
        text += "\nand to the target that uses the copy, the products that it needs:\n\n"
        text += products.map { indented($0.line) }.joined()
        let imports = aliases.sorted { $0.key < $1.key }.map {
            "    import \($0.value)  // \($0.key) of \(record.tag)\n"
        }
        text += "\nIts sources import the modules by their aliases:\n\n" + imports.joined()
        if addition != nil {
            text += "\nThe copy's own Package.swift gets the aliases of the modules that its modules import.\n"
        }
        if !shared.isEmpty {
            text += "\nShared with your package, in one version for both:\n\n"
            text += shared.map { "    \($0.identity) \($0.requirement)\n" }.joined()
        }
        return text.escapedForTerminal(keepingLines: true)
    }
}

extension String {
    fileprivate func escapedForTerminal(keepingLines: Bool) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).escapedForTerminal }
            .joined(separator: "\n")
    }
}
#endif

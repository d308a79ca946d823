#if CommandLine
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why module aliases cannot keep a copy of a package apart from another major of it.
///
/// An alias renames a Swift module, and with it all names that include the module's name. Names without a module
/// stay the same.
struct VendorObstacles {
    let package: VendorPackage
    /// The package's folder.
    let folder: URL

    /// Returns all obstacles, each with the target and the reason.
    ///
    /// - Parameter addsToManifest: whether lines are added at the end of the copy's manifest.
    func all(addsToManifest: Bool) throws -> [String] {
        try products + package.targets.flatMap(obstacles) + files() + (addsToManifest ? manifests() : [])
    }

    private func manifests() throws -> [String] {
        try VendorManifests.files(in: folder).filter { file in
            let words = try SwiftTokens(String(contentsOf: file, encoding: .utf8)).tokens.map(\.text)
            return !zip(words, words.dropFirst()).contains { ["let", "var"].contains($0) && $1 == "package" }
        }.map {
            "\($0.lastPathComponent) declares no variable 'package' to which the copy could add its modules' aliases"
        }
    }

    private var products: [String] {
        var obstacles =
            package.libraries.isEmpty
            ? ["the package has no library product that its manifest leaves neither static nor dynamic"] : []
        for product in package.manifest.products {
            switch product.kind {
            case .library: break
            case .fixedLibrary(let type):
                obstacles.append(
                    "the product \(product.name) is declared a \(type) library: both majors would build it under one name"
                )
            case .other("macro"): break  // Told of the target, if a library needs it.
            case .other(let kind):
                obstacles.append(
                    "the product \(product.name) is of the kind \(kind), whose target cannot have an alias: both majors would declare it"
                )
            }
        }
        return obstacles
    }

    private func obstacles(of target: VendorPackage.Target) -> [String] {
        let module = package.modules[target.name]
        var reasons: [String] = []
        switch (target.type, module?.moduleType) {
        case ("system", _): reasons.append("is a system library, whose module cannot have an alias")
        case ("binary", _): reasons.append("is a binary target, whose module is already compiled under its name")
        case ("macro", _): reasons.append("is a macro, which the compiler finds by its module's own name")
        case ("plugin", _): reasons.append("is a plugin, which cannot have an alias")
        case (_, "ClangTarget"):
            reasons.append(
                "is in C, C++ or Objective-C, whose module cannot have an alias and whose symbols carry no module name"
            )
        case (_, "MixedTarget"):
            reasons.append("mixes Swift with C or Objective-C, whose symbols carry no module name")
        case (_, "SwiftTarget"): reasons += symbols(of: target, module)
        case (_, let other): reasons.append("is of a kind that SwiftPM calls \(other ?? "nothing")")
        }
        if target.settings?.contains(where: \.isUnsafe) == true {
            reasons.append("has unsafe flags, which may name modules or files by the names that change")
        }
        for use in target.pluginUsages ?? [] {
            reasons.append(
                "uses the plugin \((use.plugin.first ?? nil) ?? "?"), which may write the module's name into sources"
            )
        }
        let bundled = (target.resources ?? []).filter(\.isInBundle).map(\.path)
        if !bundled.isEmpty {
            reasons.append(
                "has resources (\(bundled.joined(separator: ", "))): both majors' bundle is \(package.manifest.name)_\(target.name), and one would replace the other"
            )
        }
        return reasons.map { "the target \(target.name) \($0)" }
    }

    /// Symbols whose names do not include a module.
    private func symbols(of target: VendorPackage.Target, _ module: VendorPackage.Module?) -> [String] {
        guard let module else { return [] }
        return (module.sources ?? []).sorted().flatMap { source -> [String] in
            let file = "\(module.path)/\(source)"
            let text: String
            do {
                text = try String(contentsOfFile: folder.appendingPathComponent(file).path, encoding: .utf8)
            } catch {
                return ["cannot be read: \(file)"]
            }
            return FixedSymbols.found(in: text).map { "has \($0.text) at \(file):\($0.line)" }
        }
    }

    private func files() throws -> [String] {
        var obstacles: [String] = []
        if FileManager.default.fileExists(atPath: folder.appendingPathComponent(".gitmodules").path) {
            obstacles.append("the package has git submodules, which a copy leaves out")
        }
        if FileManager.default.fileExists(atPath: folder.appendingPathComponent(VendorRecord.file).path) {
            obstacles.append("the package has a file \(VendorRecord.file) of its own")
        }
        for dependency in package.neededDependencies where dependency.isLocal {
            obstacles.append(
                "the package depends on \(dependency.identity) by a path, which would lead elsewhere from the copy"
            )
        }
        return try obstacles + FixedSymbols.links(leaving: folder).map { "the link \($0) leads out of the package" }
    }
}

/// Declarations whose symbols or runtime names are the same in every module.
enum FixedSymbols {
    static func found(in text: String) -> [SourceProblem] {
        guard let tokens = try? SwiftTokens(text).tokens else {
            // Source that cannot be tokenized is searched as text: better too many findings than too few.
            return ["@_cdecl", "@_silgen_name", "@c ", "@c(", "@objc("].filter(text.contains).map {
                SourceProblem(1, "what may be \($0)")
            }
        }
        return tokens.indices.dropLast().compactMap { index in
            guard tokens[index].text == "@" else { return nil }
            let line = tokens[index].line
            switch tokens[index + 1].text {
            case "_cdecl", "c":
                return SourceProblem(line, "@\(tokens[index + 1].text), a symbol that both majors would define")
            case "_silgen_name": return SourceProblem(line, "@_silgen_name, a symbol without a module name")
            case "objc" where namesType(tokens[(index + 2)...]):
                return SourceProblem(line, "@objc with a name, under which both majors would register a class")
            default: return nil
            }
        }
    }

    /// Whether "(Name)" and the declaration of a type follow. A method's selector belongs to its class and cannot
    /// collide.
    private static func namesType(_ tokens: ArraySlice<SwiftToken>) -> Bool {
        guard tokens.first?.text == "(", let end = tokens.firstIndex(where: { $0.text == ")" }) else {
            return false
        }
        for token in tokens[(end + 1)...] {
            switch token.text {
            case "class":
                // "class func" is a member.
                return true
            case "protocol", "enum", "actor": return true
            case "func", "var", "let", "init", "subscript", "extension", "struct", "}", "{", "case": return false
            default: continue
            }
        }
        return false
    }

    /// Returns the symbolic links that lead out of the folder.
    ///
    /// - Throws: if the folder cannot be read.
    static func links(leaving folder: URL) throws -> [String] {
        let root = folder.resolvingSymlinksInPath().path
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter { file in
            let path = root + "/" + file
            // A file that is not a link has no destination.
            guard !file.hasPrefix(".git/"),
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            else { return false }
            let base = URL(fileURLWithPath: path).deletingLastPathComponent()
            let end = target.hasPrefix("/") ? target : base.appendingPathComponent(target).standardizedFileURL.path
            return target.hasPrefix("/") || !(end == root || end.hasPrefix(root + "/"))
        }.sorted()
    }
}
#endif

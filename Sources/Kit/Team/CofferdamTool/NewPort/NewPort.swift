import Cofferdam

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Generates a port from a protocol in a package.
struct NewPort {
    var name: String
    /// The source file that declares it, relative to the package's folder, and files or folders of other targets whose
    /// types it uses. The first is the port's, unless it does not declare it.
    var files: [String]
    /// The package's folder.
    var package: URL
    /// The module; nil for the folder below Sources that contains the file.
    var module: String?
    var effects: [(name: String, effect: Effect)] = []
    /// Whether V1 and V2 talk to a server, before which a proxy can stand.
    var usesProxy = false

    /// - Throws: ``NewPortError``.
    func plan() throws(NewPortError) -> PortPlan {
        guard FileManager.default.fileExists(atPath: path(of: "Package.swift")) else {
            throw NewPortError("there is no Package.swift in \(package.path): run it in your package's folder")
        }
        var given: [DeclaredTypes.Source] = []
        for file in files { given += try sources(at: file) }
        guard let source = given.first(where: { declares($0) }) ?? given.first else {
            throw NewPortError("there is no Swift file in \(files.joined(separator: ", "))")
        }
        let (file, text) = (source.file, source.text)
        let port: PortDeclaration
        do {
            port = try PortReader.read(name, in: text)
        } catch {
            throw NewPortError(error.problems.map { "\(file):\($0.line): \($0.text)" }.joined(separator: "\n"))
        }
        let manifest = try read("Package.swift")
        let own = try sources(besides: file)
        return try PortPlan(
            port,
            module: try moduleName(of: file),
            types: DeclaredTypes(
                in: own + given.filter { other in !own.contains { $0.file == other.file } },
                access: port.access
            ),
            effects: effects,
            sourceImports: try imports(in: text, of: file),
            hasImportAccess: manifest.contains("InternalImportsByDefault"),
            usesProxy: usesProxy
        )
    }

    /// Writes all of the files, or none if one of them exists already.
    ///
    /// - Throws: ``NewPortError``.
    func write(_ files: [PortFile]) throws(NewPortError) {
        try checkAbsence(of: files)
        for file in files {
            do {
                let url = package.appendingPathComponent(file.path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(file.text.utf8).write(to: url, options: .withoutOverwriting)
            } catch {
                throw NewPortError("cannot write '\(file.path)': \(error)")
            }
        }
    }

    /// - Throws: ``NewPortError``, which names the existing files.
    func checkAbsence(of files: [PortFile]) throws(NewPortError) {
        let present = files.map(\.path).filter { FileManager.default.fileExists(atPath: path(of: $0)) }
        guard present.isEmpty else {
            let list = present.map { "\n  \($0)" }.joined()
            throw NewPortError("nothing was written, because these files already exist:\(list)")
        }
    }

    /// Whether a file declares the protocol, as far as its words show.
    private func declares(_ source: DeclaredTypes.Source) -> Bool {
        guard let tokens = try? SwiftTokens(source.text).tokens else { return false }
        return zip(tokens, tokens.dropFirst()).contains { $0.text == "protocol" && $1.name == name }
    }

    /// A file, or all Swift files of a folder.
    private func sources(at place: String) throws(NewPortError) -> [DeclaredTypes.Source] {
        guard (try? FileManager.default.contentsOfDirectory(atPath: path(of: place))) != nil else {
            return [DeclaredTypes.Source(file: place, text: try read(place))]
        }
        return try sources(in: place.hasSuffix("/") ? String(place.dropLast()) : place)
    }

    private func moduleName(of file: String) throws(NewPortError) -> String {
        if let module { return module }
        let parts = file.split(separator: "/").filter { $0 != "." }
        guard let sources = parts.lastIndex(where: { $0 == "Sources" }), sources + 2 < parts.count else {
            throw NewPortError("'\(file)' is not in Sources/TARGET: name its target with --module")
        }
        return String(parts[sources + 1])
    }

    /// The other files of the port's target.
    private func sources(besides file: String) throws(NewPortError) -> [DeclaredTypes.Source] {
        let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let root = folder.lastIndex(of: "Sources").map { folder[...min($0 + 1, folder.endIndex - 1)] } ?? folder
        return try sources(in: root.joined(separator: "/")).filter { $0.file != file }
    }

    /// The Swift files of a folder and its folders.
    private func sources(in base: String) throws(NewPortError) -> [DeclaredTypes.Source] {
        let names: [String]
        do {
            names = try FileManager.default.subpathsOfDirectory(atPath: path(of: base.isEmpty ? "." : base))
        } catch {
            throw NewPortError("cannot list the files of '\(base.isEmpty ? "." : base)': \(error)")
        }
        var sources: [DeclaredTypes.Source] = []
        for name in names.sorted() where name.hasSuffix(".swift") {
            let file = base.isEmpty ? name : "\(base)/\(name)"
            sources.append(DeclaredTypes.Source(file: file, text: try read(file)))
        }
        return sources
    }

    private func read(_ file: String) throws(NewPortError) -> String {
        do {
            return try String(contentsOfFile: path(of: file), encoding: .utf8)
        } catch {
            throw NewPortError(
                FileManager.default.fileExists(atPath: path(of: file))
                    ? "cannot read '\(file)': \(error)" : "there is no file '\(file)'"
            )
        }
    }

    private func path(of file: String) -> String {
        file.hasPrefix("/") ? file : package.appendingPathComponent(file).path
    }

    private func imports(in text: String, of file: String) throws(NewPortError) -> [String] {
        do {
            return ImportDeclaration.all(in: try SwiftTokens(text).tokens).map(\.module)
        } catch {
            throw NewPortError("\(file):\(error.line): \(error.text)")
        }
    }
}

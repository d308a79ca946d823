#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A package's targets, with their sources and dependencies, as SwiftPM sees them.
package struct WallPackage: Sendable {
    struct Target: Sendable {
        var name: String
        var isTest: Bool
        /// The path, relative to the package's folder; empty for the folder itself.
        var path: String
        /// The compiled files, relative to `path`.
        var sources: [String]
        /// The files and folders that the manifest excludes, relative to `path`.
        var excluded: [String]
        var dependencies: [Dependency]
        /// Whether an import without an access level is internal.
        var importsInternally: Bool

        var module: String { name.moduleName }
        var swiftFiles: [String] {
            sources.filter { $0.hasSuffix(".swift") }.map { path.isEmpty ? $0 : "\(path)/\($0)" }
        }
    }

    enum Dependency: Sendable, Hashable {
        /// Another target of the package.
        case target(String)
        case product(String, package: String?)
    }

    let targets: [Target]
    /// The identities of the packages on which it depends.
    let packages: Set<String>
    /// The module aliases of its dependencies: the imported name, and the module's own.
    let aliases: [String: String]
    let manifest: ManifestLines

    /// - Parameters:
    ///   - description: what `swift package describe --type json` prints.
    ///   - manifest: what `swift package dump-package` prints.
    ///   - text: the manifest's source.
    package init(description: String, manifest: String, text: String) throws {
        let described = try JSONDecoder().decode(Description.self, from: Data(description.utf8))
        let dumped = try JSONDecoder().decode(Manifest.self, from: Data(manifest.utf8))
        let declared = Dictionary(dumped.targets.map { ($0.name, $0) }) { first, _ in first }
        targets = described.targets.sorted { $0.name < $1.name }.map { target in
            let declaration = declared[target.name]
            return Target(
                name: target.name,
                isTest: target.type == "test",
                path: target.path == "." ? "" : target.path,
                sources: target.sources,
                excluded: declaration?.exclude ?? [],
                dependencies: (declaration?.dependencies ?? []).compactMap { $0.resolved(among: declared.keys) },
                importsInternally: declaration?.settings?.contains("InternalImportsByDefault") ?? false
            )
        }
        packages = Set(described.dependencies.map { $0.identity.lowercased() })
        let renamed = dumped.targets.flatMap { $0.dependencies ?? [] }.flatMap(\.aliases)
        aliases = Dictionary(renamed.map { ($1, $0) }) { first, _ in first }
        self.manifest = ManifestLines(text)
    }

    /// Returns the target to which a file belongs, even if the file does not exist, and whether the target excludes it.
    func owner(of file: String) -> (target: Target, isExcluded: Bool)? {
        let owners = targets.filter { $0.path.isEmpty || file.hasPrefix($0.path + "/") }
        guard let target = owners.max(by: { $0.path.count < $1.path.count }) else { return nil }
        let inside = target.path.isEmpty ? file : String(file.dropFirst(target.path.count + 1))
        let excluded = target.excluded + (target.path.isEmpty ? ["Package.swift"] : [])
        return (target, excluded.contains { inside == $0 || inside.hasPrefix($0 + "/") })
    }
}

// MARK: What SwiftPM prints

private struct Description: Decodable {
    struct Target: Decodable {
        var name: String
        var type: String
        var path: String
        var sources: [String]
    }

    struct Package: Decodable { var identity: String }

    var targets: [Target]
    var dependencies: [Package]
}

private struct Manifest: Decodable {
    struct Target: Decodable {
        var name: String
        var exclude: [String]?
        var dependencies: [Dependency]?
        var settings: Strings?
    }

    /// `{"byName": ["App", null]}`, `{"target": ["App", null]}`, `{"product": ["Yams", "yams", {"Yams": "YamsV1"}, null]}`.
    struct Dependency: Decodable {
        var name: String
        var package: String?
        var aliases: [String: String] = [:]
        var kind: Kind

        enum Kind: String, CodingKey { case byName, target, product }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Kind.self)
            guard let kind = container.allKeys.first else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "an unknown kind of dependency")
                )
            }
            self.kind = kind
            var parts = try container.nestedUnkeyedContainer(forKey: kind)
            name = try parts.decode(String.self)
            guard kind == .product else { return }
            package = try parts.decodeIfPresent(String.self)
            aliases = try parts.decodeIfPresent([String: String].self) ?? [:]
        }

        func resolved(among targets: some Collection<String>) -> WallPackage.Dependency {
            switch kind {
            case .target: .target(name)
            case .byName where targets.contains(name): .target(name)
            case .byName, .product: .product(name, package: package)
            }
        }
    }

    /// All strings in a part of the document, whatever its form. Numbers, Booleans and nulls have none.
    struct Strings: Decodable {
        private var all: Set<String> = []

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: AnyKey.self) {
                for key in container.allKeys { all.formUnion(try container.decode(Strings.self, forKey: key).all) }
            } else if var container = try? decoder.unkeyedContainer() {
                while !container.isAtEnd { all.formUnion(try container.decode(Strings.self).all) }
            } else if let text = try? decoder.singleValueContainer().decode(String.self) {
                all.insert(text)
            }
        }

        func contains(_ text: String) -> Bool { all.contains(text) }
    }

    struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var targets: [Target]
}

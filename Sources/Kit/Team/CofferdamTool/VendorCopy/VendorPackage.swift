#if CommandLine
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A package as SwiftPM describes it: `swift package dump-package`, and `describe` for what only the files show.
struct VendorPackage: Sendable {
    let manifest: Manifest
    /// The modules by target; those of system libraries and binary targets have no sources.
    let modules: [String: Module]

    init(manifest: Manifest, modules: [Module]) {
        self.manifest = manifest
        self.modules = Dictionary(modules.map { ($0.name, $0) }) { first, _ in first }
    }

    struct Module: Sendable, Decodable {
        let name: String
        let path: String
        let moduleType: String
        let sources: [String]?

        private enum CodingKeys: String, CodingKey {
            case name, path, sources
            case moduleType = "module_type"
        }
    }

    struct Description: Decodable { let targets: [Module] }

    struct Manifest: Sendable, Decodable {
        let name: String
        let products: [Product]
        let targets: [Target]
        let dependencies: [Dependency]
    }

    struct Product: Sendable, Decodable {
        let name: String
        let targets: [String]
        let kind: Kind

        enum Kind: Sendable, Hashable {
            /// Static or dynamic, as the package that depends on it links it.
            case library
            /// Built under the product's own name: "static", "dynamic".
            case fixedLibrary(String)
            /// "executable", "plugin", "macro".
            case other(String)
        }

        private enum CodingKeys: String, CodingKey { case name, targets, type }
        private struct Shape: Decodable { let library: [String]? }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            targets = try container.decode([String].self, forKey: .targets)
            let shape = try container.decode([String: [String]?].self, forKey: .type)
            if case .some(.some(let library)) = shape["library"] {
                let type = library.first ?? "automatic"
                kind = type == "automatic" ? .library : .fixedLibrary(type)
            } else {
                kind = .other(shape.keys.sorted().first ?? "unknown")
            }
        }
    }

    struct Target: Sendable, Decodable {
        let name: String
        /// "regular", "executable", "test", "system", "binary", "plugin", "macro".
        let type: String
        let dependencies: [TargetDependency]
        let resources: [Resource]?
        let settings: [Setting]?
        let pluginUsages: [PluginUsage]?
    }

    struct Resource: Sendable, Decodable {
        let path: String
        let rule: [String: [String: String?]?]

        /// Resources embedded in code are not in a bundle.
        var isInBundle: Bool { rule["embedInCode"] == nil }
    }

    struct Setting: Sendable, Decodable {
        let isUnsafe: Bool

        private enum CodingKeys: String, CodingKey { case kind }
        private enum Kind: String, CodingKey { case unsafeFlags }

        init(from decoder: any Decoder) throws {
            let kind = try decoder.container(keyedBy: CodingKeys.self).nestedContainer(
                keyedBy: Kind.self,
                forKey: .kind
            )
            isUnsafe = kind.contains(.unsafeFlags)
        }
    }

    /// `{"plugin": ["Name", "package"]}`.
    struct PluginUsage: Sendable, Decodable { let plugin: [String?] }

    /// One of `{"byName": ["Name", …]}`, `{"target": ["Name", …]}`, `{"product": ["Name", "package", …]}`.
    struct TargetDependency: Sendable, Decodable {
        let name: String
        /// The named package of a product.
        let package: String?

        private enum CodingKeys: String, CodingKey { case byName, target, product }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            guard let key = container.allKeys.first else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: container.codingPath,
                        debugDescription: "a target depends on something unknown"
                    )
                )
            }
            var parts = try container.nestedUnkeyedContainer(forKey: key)
            name = try parts.decode(String.self)
            package = key == .product ? try parts.decodeIfPresent(String.self) : nil
        }
    }

    struct Dependency: Sendable {
        let identity: String
        /// Nil for a requirement without versions: a path, a branch, a revision.
        let versions: VersionRange?
        /// "1.0.0..<2.0.0", "../Other".
        let requirement: String
        let isLocal: Bool
    }
}

extension VendorPackage.Dependency: Decodable {
    private enum CodingKeys: String, CodingKey { case sourceControl, registry, fileSystem }
    private struct Local: Decodable {
        let identity: String
        let path: String
    }
    private struct Remote: Decodable {
        let identity: String
        let requirement: Requirement
    }
    private struct Requirement: Decodable {
        let range: [Range]?
        let exact: [String]?
        let branch: [String]?
        let revision: [String]?
    }
    private struct Range: Decodable {
        let lowerBound: String
        let upperBound: String
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let local = try container.decodeIfPresent([Local].self, forKey: .fileSystem)?.first {
            self.init(identity: local.identity, versions: nil, requirement: local.path, isLocal: true)
            return
        }
        let remotes =
            try container.decodeIfPresent([Remote].self, forKey: .sourceControl)
            ?? container.decode([Remote].self, forKey: .registry)
        guard let remote = remotes.first else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: container.codingPath, debugDescription: "a dependency without a package")
            )
        }
        let requirement = remote.requirement
        let versions =
            requirement.range?.first.flatMap { VersionRange($0.lowerBound, $0.upperBound) }
            ?? requirement.exact?.first.flatMap { VersionRange(exactly: $0) }
        let text =
            versions?.description ?? requirement.branch?.first ?? requirement.revision?.first ?? "any version"
        self.init(identity: remote.identity, versions: versions, requirement: text, isLocal: false)
    }
}

extension VendorPackage {
    /// The library products without a fixed linkage.
    var libraries: [Product] { manifest.products.filter { $0.kind == .library } }

    /// The package's targets that a product consists of, in the order of the manifest.
    func targets(of product: Product) -> [Target] { targets(from: product.targets) }

    /// The package's targets with those names, and all targets that they depend on.
    func targets(from names: [String]) -> [Target] {
        var found: Set<String> = []
        var left = names
        while let name = left.popLast() {
            guard let target = target(named: name), found.insert(name).inserted else { continue }
            left += target.dependencies.filter { $0.package == nil }.map(\.name)
        }
        return manifest.targets.filter { found.contains($0.name) }
    }

    /// The targets of all libraries.
    var targets: [Target] {
        let names = Set(libraries.flatMap(targets(of:)).map(\.name))
        return manifest.targets.filter { names.contains($0.name) }
    }

    func target(named name: String) -> Target? { manifest.targets.first { $0.name == name } }

    /// The packages that the libraries need; all packages if a target names a product without its package.
    var neededDependencies: [Dependency] {
        let outside = targets.flatMap(\.dependencies).filter { $0.package != nil || target(named: $0.name) == nil }
        guard outside.allSatisfy({ $0.package != nil }) else { return manifest.dependencies }
        let names = Set(outside.compactMap { $0.package?.lowercased() })
        return manifest.dependencies.filter { names.contains($0.identity.lowercased()) }
    }
}
#endif

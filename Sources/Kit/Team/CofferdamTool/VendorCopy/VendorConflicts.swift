#if CommandLine
/// The dependencies that a copy shares with the adopter's package, and the conflicts between the two.
struct VendorConflicts {
    let package: VendorPackage
    let adopter: VendorPackage.Manifest
    /// The versions in the adopter's Package.resolved, by identity.
    let resolved: [String: String]

    /// The dependencies that SwiftPM resolves once, for the copy and the adopter.
    var shared: [VendorPackage.Dependency] { package.neededDependencies.filter { !$0.isLocal } }

    /// - Parameter destination: the copy's folder, on which the adopter may already depend.
    func all(identity: String, at destination: String, aliases: [String]) -> [String] {
        versions + names(identity, destination, aliases)
    }

    /// Dependencies of which the adopter has a version that the copy cannot use.
    private var versions: [String] {
        shared.compactMap { dependency in
            guard let range = dependency.versions else { return nil }
            let advice = "copy that package as well, or choose a tag of the vendor that fits"
            let own = adopter.dependencies.first { $0.identity == dependency.identity }
            if let versions = own?.versions, !versions.overlaps(range) {
                return
                    "\(dependency.identity): the vendor needs \(range), but your package needs \(versions): \(advice)"
            }
            guard let text = resolved[dependency.identity], let version = PackageVersion(text),
                !range.contains(version)
            else { return nil }
            // The adopter's own range may contain a version for both, which SwiftPM then finds.
            if let versions = own?.versions, versions.overlaps(range) { return nil }
            return
                "\(dependency.identity): the vendor needs \(range), but your package has resolved \(version): \(advice)"
        }
    }

    private func names(_ identity: String, _ destination: String, _ aliases: [String]) -> [String] {
        var problems: [String] = []
        let isTaken = adopter.dependencies.contains { dependency in
            dependency.identity.lowercased() == identity.lowercased()
                && !(dependency.isLocal && dependency.requirement == destination)
        }
        if isTaken {
            problems.append(
                "your package already depends on a package '\(identity)': choose another name with --as"
            )
        }
        let own = Set(adopter.targets.map(\.name))
        for alias in aliases where own.contains(alias) {
            problems.append(
                "your package has a target \(alias), which would be the copy's module: choose another name with --as"
            )
        }
        return problems
    }
}
#endif

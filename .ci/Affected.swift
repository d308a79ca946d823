// Finds the tests that a change of traits can affect: `swift .ci/Affected.swift Staged SDKv1 <package.json` prints the
// tests whose result with Staged may differ from that with SDKv1. The first line lists their targets, for
// COFFERDAM_ONLY, each with the files of its other tests, which need not be compiled; each further line is an option for
// `swift test`. It prints nothing if there are no such tests.
//
// A trait can affect a test in two ways: the test's own file has a condition on the trait, or its target depends,
// directly or through other targets of this package, on a target whose dependencies have such a condition. A condition on
// a dependency of the test's own target affects only the files that have it too, because only they can import it. A trait
// that only adds files to a target, as SQLite does, affects no test that does not name it.
import Foundation

struct Package: Decodable {
    struct Trait: Decodable {
        var name: String
        var enabledTraits: [String]
    }

    struct Target: Decodable {
        var name: String
        var type: String
        var path: String
        var dependencies: [Dependency]
    }

    /// A dependency on a target of this package: ["SanctuaryDomain", null] or ["MenagerieV1Adapter", {"traits":
    /// ["SDKv1"]}]. Products are ignored.
    struct Dependency: Decodable {
        struct Condition: Decodable { var traits: [String]? }

        var target: String?
        var traits: Set<String> = []

        private enum Keys: CodingKey { case byName, target }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            guard let key = [Keys.byName, .target].first(where: container.contains) else { return }
            var parts = try container.nestedUnkeyedContainer(forKey: key)
            target = try parts.decode(String.self)
            traits = Set(try parts.decodeIfPresent(Condition.self)?.traits ?? [])
        }
    }

    var traits: [Trait]
    var targets: [Target]

    /// Returns a trait with all traits that it enables.
    func closure(_ trait: String) -> Set<String> {
        (traits.first { $0.name == trait }?.enabledTraits ?? []).reduce(into: [trait]) { $0.formUnion(closure($1)) }
    }

    /// Returns the traits that are conditions of dependencies of the targets on which a test target depends, directly or
    /// indirectly.
    func conditions(of test: Target) -> Set<String> {
        var waiting = test.dependencies.filter(\.traits.isEmpty).compactMap(\.target)
        var (seen, conditions): (Set<String>, Set<String>) = ([], [])
        while let next = waiting.popLast() {
            guard seen.insert(next).inserted, let target = targets.first(where: { $0.name == next }) else { continue }
            for dependency in target.dependencies {
                conditions.formUnion(dependency.traits)
                waiting += dependency.target.map { [$0] } ?? []
            }
        }
        return conditions
    }
}

/// Returns the traits that the file's `#if` conditions name.
func conditions(of file: URL, among traits: Set<String>) throws -> Set<String> {
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let conditions = lines.filter { $0.contains("#if ") || $0.contains("#elseif ") }
    return traits.intersection(conditions.flatMap { $0.split { !$0.isLetter && !$0.isNumber } }.map(String.init))
}

extension URL {
    var hasTests: Bool { lastPathComponent.hasSuffix("Tests.swift") }
}

let package = try JSONDecoder().decode(Package.self, from: FileHandle.standardInput.readToEnd() ?? Data())
let names = Set(package.traits.map(\.name))
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2, names.isSuperset(of: arguments) else {
    let usage = "Affected: a trait, and those that were tested before, of \(names.sorted())\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}
let now = package.closure(arguments[0])
let before = arguments.dropFirst().map(package.closure)

/// Returns whether no earlier run had the same selection of these traits.
func isNew(_ traits: Set<String>) -> Bool {
    before.allSatisfy { $0.intersection(traits) != now.intersection(traits) }
}

var targets: [String] = []
var filters: [String] = []
for target in package.targets where target.type == "test" {
    if isNew(package.conditions(of: target)) {
        targets.append(target.name)
        filters.append("^\(target.name)\\.")
        continue
    }
    let paths = FileManager.default.enumerator(at: URL(filePath: target.path), includingPropertiesForKeys: nil)
    let files = (paths?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    let changed = Set(try files.filter { isNew(try conditions(of: $0, among: names)) })
    guard !changed.isEmpty else { continue }
    let folder = URL(filePath: target.path).standardizedFileURL.path() + "/"
    let others = files.filter { $0.hasTests && !changed.contains($0) }
        .map { $0.standardizedFileURL.path().replacing(folder, with: "", maxReplacements: 1) }
    targets.append(([target.name] + others.sorted()).joined(separator: ":"))
    filters += changed.filter(\.hasTests).map(\.lastPathComponent).sorted().map { "^\(target.name)\\..*/\($0):" }
}
if !targets.isEmpty {
    print(targets.joined(separator: ","))
    for filter in filters { print("--filter=\(filter)") }
}

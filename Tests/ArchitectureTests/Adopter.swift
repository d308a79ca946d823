#if Sandbox
import Foundation
import Testing

/// An adopter's package, which declares all products of the kit and builds a program that uses only `Cofferdam`. It
/// depends on the kit by version, from a bare clone in which the current files are tagged as a release. The package is
/// kept between runs, so that only changes are fetched and built again.
struct Adopter {
    private let folder = House.root.appending(path: ".build-adopter")

    init() async throws {
        try await release()
        try write(Self.manifest, to: "Package.swift")
        try write(Self.leanProgram, to: "Sources/Lean/main.swift")
        try write("", to: "Sources/Everything/Everything.swift")
    }

    /// Builds a program and what it needs, and runs it.
    func run(_ program: String) async throws -> Command.Outcome {
        try await Command.run("swift", ["run", "--disable-index-store", program], in: folder)
    }

    /// Returns the modules whose objects are linked into a built program.
    func modules(of program: String) throws -> Set<String> {
        let list = folder.appending(path: ".build/debug/\(program).product/Objects.LinkFileList")
        let objects = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
        let folders = objects.compactMap { $0.split(separator: "/").last { $0.hasSuffix(".build") } }
        return Set(folders.map { String($0.dropLast(".build".count)) })
    }

    /// The packages that SwiftPM has fetched.
    func fetched() throws -> Set<String> {
        let checkouts = folder.appending(path: ".build/checkouts").path(percentEncoded: false)
        return Set(try FileManager.default.contentsOfDirectory(atPath: checkouts))
    }

    /// Tags the checkout's files as they are, committed or not, as the next release, unless the last one has the same
    /// files.
    private func release() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = """
            set -eu
            export GIT_INDEX_FILE="$PWD/.build-adopter/index" clone="$PWD/.build-adopter/cofferdam.git"
            export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost
            [ -d "$clone" ] || git init --quiet --bare "$clone"
            git add --all .
            tree=$(git write-tree)
            last=$(git -C "$clone" tag --list --sort=-version:refname | head -n 1)
            if [ -z "$last" ] || [ "$(git -C "$clone" rev-parse "$last^{tree}")" != "$tree" ]; then
                commit=$(git commit-tree "$tree" -m "A release")
                git push --quiet "$clone" "$commit:refs/tags/0.1.$((${last##*.} + 1))"
                # Otherwise SwiftPM may stay with the release that it knows.
                rm -rf .build-adopter/Package.resolved .build-adopter/.build/workspace-state.json
                rm -rf .build-adopter/.build/checkouts .build-adopter/.build/repositories
            fi
            """
        let run = try await Command.run("sh", ["-c", script])
        guard run.isSuccess else { throw ReleaseFailure(description: run.text) }
    }

    struct ReleaseFailure: Error, CustomStringConvertible {
        let description: String
    }

    private func write(_ text: String, to path: String) throws {
        let file = folder.appending(path: path)
        if (try? String(contentsOf: file, encoding: .utf8)) == text { return }
        let parent = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    private static let manifest = #"""
        // swift-tools-version: 6.2
        import PackageDescription

        let here = Context.packageDirectory
        let kit = [
            "Cofferdam", "CofferdamState", "CofferdamStore", "CofferdamContracts", "CofferdamTesting", "CofferdamStand",
            "CofferdamGate", "CofferdamUpgrade", "CofferdamDevice", "CofferdamFleet", "CofferdamTelemetry", "CofferdamCurl", "CofferdamTool",
        ]
        let package = Package(
            name: "adopter",
            platforms: [.macOS(.v15)],
            dependencies: [.package(url: "file://\(here)/cofferdam.git", from: "0.1.0")],
            targets: [
                .executableTarget(name: "Lean", dependencies: [.product(name: "Cofferdam", package: "cofferdam")]),
                .target(name: "Everything", dependencies: kit.map { .product(name: $0, package: "cofferdam") }),
            ]
        )
        """#

    private static let leanProgram = """
        import Cofferdam

        print("fetched", try await withDeadline(.seconds(60), clock: ContinuousClock()) { "kerberos" })
        """
}
#endif

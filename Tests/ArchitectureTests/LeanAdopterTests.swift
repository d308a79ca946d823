import Foundation
import Testing

extension NestedBuilds {
    @Test(
        "A package that imports Cofferdam alone compiles swift-log and swift-collections with it, and nothing else"
    )
    func leanAdopter() async throws {
        try Annex.mirror()
        let folder = Annex.folder.appending(path: "lean")
        let sources = folder.appending(path: "Sources/Lean")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try Self.leanManifest.write(to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
        try Self.leanProgram.write(to: sources.appending(path: "main.swift"), atomically: true, encoding: .utf8)

        let build = try await Annex.run("swift", ["run"], in: folder)
        try #require(build.isSuccess, "\(build.text.suffix(4000))")
        #expect(build.text.contains("fetched kerberos"))

        let modules = try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: ".build/debug/Modules"),
            includingPropertiesForKeys: nil
        )
        let compiled = Set(
            modules.filter { $0.pathExtension == "swiftmodule" }.map { $0.deletingPathExtension().lastPathComponent }
        )
        let log: Set = ["Logging"]
        let collections: Set = ["DequeModule", "InternalCollectionsUtilities", "ContainersPreview"]
        #expect(compiled.subtracting(collections) == log.union(["Lean", "Cofferdam"]))

        // SwiftPM fetches what a package declares for its other products too, unless a trait guards it: here the
        // transport's small API packages, of which nothing is compiled.
        let fetched = try FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: ".build/checkouts").path(percentEncoded: false)
        )
        let transport: Set = ["swift-http-types", "swift-metrics", "swift-distributed-tracing"]
        #expect(Set(fetched).subtracting(transport) == ["swift-log", "swift-collections"])
    }

    private static let leanManifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "lean",
            platforms: [.macOS(.v15)],
            dependencies: [.package(path: "../cofferdam", traits: [])],
            targets: [
                .executableTarget(name: "Lean", dependencies: [.product(name: "Cofferdam", package: "cofferdam")])
            ]
        )
        """

    private static let leanProgram = """
        import Cofferdam

        let animals = Loadable { ["kerberos"] }
        print("fetched", try await animals.fetch().joined())
        """
}

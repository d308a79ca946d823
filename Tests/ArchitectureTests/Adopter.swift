import Foundation
import Testing

/// A package of somebody else's, which depends on all products of the kit, and builds a program on `Cofferdam` alone. It is
/// kept between runs, so that only what changed is built again.
struct Adopter {
    private let folder = House.root.appending(path: ".build-adopter")

    init() throws {
        try write(Self.manifest, to: "Package.swift")
        try write(Self.leanProgram, to: "Sources/Lean/main.swift")
        try write("", to: "Sources/Everything/Everything.swift")
    }

    /// Builds a program and what it needs, and runs it.
    func run(_ program: String) async throws -> Command.Outcome {
        try await Command.run("swift", ["run", "--disable-index-store", program], in: folder)
    }

    /// The modules whose objects a built program is linked from.
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

    private func write(_ text: String, to path: String) throws {
        let file = folder.appending(path: path)
        if (try? String(contentsOf: file, encoding: .utf8)) == text { return }
        let parent = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let kit = [
            "Cofferdam", "CofferdamStore", "CofferdamContracts", "CofferdamTesting", "CofferdamStand", "CofferdamUpgrade",
            "CofferdamFleet", "CofferdamTelemetry", "CofferdamCurl", "CofferdamTool",
        ]
        let package = Package(
            name: "adopter",
            platforms: [.macOS(.v15)],
            dependencies: [.package(name: "cofferdam", path: "..", traits: [])],
            targets: [
                .executableTarget(name: "Lean", dependencies: [.product(name: "Cofferdam", package: "cofferdam")]),
                .target(name: "Everything", dependencies: kit.map { .product(name: $0, package: "cofferdam") }),
            ]
        )
        """

    private static let leanProgram = """
        import Cofferdam

        let animals = Loadable { ["kerberos"] }
        print("fetched", try await animals.fetch().joined())
        """
}

// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that adopters of the kit do not resolve dependencies that only benchmarks need.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        // `bench transport` builds these itself, so that the other suites need not wait for async-http-client.
        .executable(name: "load-c", targets: ["load-c"]),
        .executable(name: "load-cofferdam", targets: ["load-cofferdam"]),
        .executable(name: "load-ahc", targets: ["load-ahc"]),
        .executable(name: "load-urlsession", targets: ["load-urlsession"]),
        // As `bench server` does this one.
        .executable(name: "load-devices", targets: ["load-devices"]),
        .library(name: "CountAllocations", type: .dynamic, targets: ["CountAllocations"]),
    ],
    dependencies: [
        .package(name: "cofferdam", path: "..", traits: ["SQLite", "Curl"]),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.4.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "bench",
            dependencies: [
                "AllocatedBytes",
                .product(name: "Cofferdam", package: "cofferdam"),
                .product(name: "CofferdamState", package: "cofferdam"),
                .product(name: "CofferdamStore", package: "cofferdam"),
                .product(name: "CofferdamUpgrade", package: "cofferdam"),
                .product(name: "CofferdamContracts", package: "cofferdam"),
                .product(name: "SanctuaryOperations", package: "cofferdam"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: settings()
        ),

        .target(name: "AllocatedBytes"),

        // MARK: The transport suite's clients, each a separate executable, so that its memory is measured alone
        .executableTarget(name: "load-c", linkerSettings: [.linkedLibrary("curl")]),
        // The server suite's devices.
        .executableTarget(name: "load-devices", cSettings: [.define("_GNU_SOURCE")]),
        load(
            "load-cofferdam",
            [
                .product(name: "CofferdamCurl", package: "cofferdam"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        load(
            "load-ahc",
            [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        load("load-urlsession", []),
        .target(name: "Load", swiftSettings: settings()),
        // Preloaded into a client, it counts the client's allocations.
        .target(name: "CountAllocations"),
    ]
)

func load(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: ["Load"] + dependencies, swiftSettings: settings())
}

func settings() -> [SwiftSetting] {
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
    ]
}

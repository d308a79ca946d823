// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who adopts the kit resolves what only a benchmark needs.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "cofferdam", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "bench",
            dependencies: [
                .product(name: "Cofferdam", package: "cofferdam"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        )
    ]
)

// swift-tools-version: 6.2
import PackageDescription

// A separate package, which only `./dev fuzz` builds, with sanitizers.
let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "cofferdam", path: "../..", traits: ["Curl"]),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.4.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibFuzzer", path: "CLibFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CLibFuzzer",
                .product(name: "CofferdamCurl", package: "cofferdam"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: ".",
            exclude: ["CLibFuzzer", "Corpus"]
        ),
    ]
)

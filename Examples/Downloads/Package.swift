// swift-tools-version: 6.2
import PackageDescription

// The swap: the one line that differs between an app on URLSession ("URLSession"), on both clients ("Staged") and on
// async-http-client ("AsyncHTTP").
let linkedClient: Trait = .default(enabledTraits: ["URLSession"])

let package = Package(
    name: "downloads",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "DownloadsApp", targets: ["DownloadsApp", "DownloadsClient"]),
        .executable(name: "downloads-tool", targets: ["downloads-tool"]),
    ],
    traits: [
        linkedClient,
        .trait(name: "URLSession", description: "The app links Foundation's URLSession."),
        .trait(name: "AsyncHTTP", description: "The app links async-http-client."),
        .trait(
            name: "Staged",
            description: "The app links both, and a router between them.",
            enabledTraits: ["URLSession", "AsyncHTTP"]
        ),
    ],
    dependencies: [
        .package(name: "cofferdam", path: "../..", traits: ["CommandLine", "TestStand"]),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
    ],
    targets: [
        // The app's side of the wall.
        app("DownloadsPort"),
        app("DownloadsTable", ["DownloadsPort", .kit("Cofferdam")]),
        app("DownloadsApp", ["DownloadsPort"]),
        app("DownloadsFake", ["DownloadsPort", .kit("Cofferdam")]),
        app("DownloadsUpgrade", ["DownloadsPort", "DownloadsTable", .kit("Cofferdam"), .kit("CofferdamUpgrade")]),
        app(
            "DownloadsContract",
            ["DownloadsPort", "DownloadsTable", .kit("Cofferdam"), .kit("CofferdamContracts")]
        ),
        // The part that both adapters share: it knows HTTP, but no client.
        app("DownloadsHTTP", ["DownloadsPort", .kit("Cofferdam")]),

        // The adapters: the only targets that may import a client.
        .target(name: "URLSessionDownloads", dependencies: ["DownloadsHTTP", "DownloadsPort", .kit("Cofferdam")]),
        .target(
            name: "AsyncHTTPDownloads",
            dependencies: [
                "DownloadsHTTP", "DownloadsPort",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),

        // The client that the app links.
        .target(
            name: "DownloadsClient",
            dependencies: [
                "DownloadsPort",
                .target(name: "URLSessionDownloads", condition: .when(traits: ["URLSession"])),
                .target(name: "AsyncHTTPDownloads", condition: .when(traits: ["AsyncHTTP"])),
                .target(name: "DownloadsUpgrade", condition: .when(traits: ["Staged"])),
            ]
        ),

        // The team's tool.
        .executableTarget(
            name: "downloads-tool",
            dependencies: [
                "DownloadsPort", "DownloadsTable", "DownloadsApp", "DownloadsFake", "DownloadsUpgrade",
                "DownloadsContract", "DownloadsHTTP", "URLSessionDownloads", "AsyncHTTPDownloads", "DownloadsClient",
                .kit("Cofferdam"), .kit("CofferdamContracts"), .kit("CofferdamStand"), .kit("CofferdamTool"),
                .kit("CofferdamUpgrade"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
    ]
)

for target in package.targets {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
        ]
}

/// A target of the app, behind the wall: each client's module is aliased to a name that no module has, so no file can
/// import it.
func app(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        swiftSettings: [
            .unsafeFlags(
                ["FoundationNetworking", "AsyncHTTPClient"].flatMap { ["-module-alias", "\($0)=\($0)ForAdaptersOnly"] }
            )
        ]
    )
}

extension Target.Dependency {
    static func kit(_ product: String) -> Target.Dependency { .product(name: product, package: "cofferdam") }
}

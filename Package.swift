// swift-tools-version: 6.2
import PackageDescription

// The swap: the one line that differs between an app on V1 ("SDKv1"), on both ("Staged") and on V2 ("SDKv2").
let linkedSDK = "SDKv1"

let package = Package(
    name: "cofferdam",
    platforms: [.macOS(.v15), .iOS(.v18), .macCatalyst(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        // The kit: libraries that are independent of any vendor.
        .library(name: "Cofferdam", targets: ["Cofferdam"]),
        .library(name: "CofferdamState", targets: ["CofferdamState"]),
        .library(name: "CofferdamStore", targets: ["CofferdamStore"]),
        .library(name: "CofferdamContracts", targets: ["CofferdamContracts"]),
        .library(name: "CofferdamTesting", targets: ["CofferdamTesting"]),
        .library(name: "CofferdamStand", targets: ["CofferdamStand"]),
        .library(name: "CofferdamGate", targets: ["CofferdamGate"]),
        .library(name: "CofferdamUpgrade", targets: ["CofferdamUpgrade"]),
        .library(name: "CofferdamSides", targets: ["CofferdamSides"]),
        .library(name: "CofferdamDevice", targets: ["CofferdamDevice"]),
        .library(name: "CofferdamFleet", targets: ["CofferdamFleet"]),
        .library(name: "CofferdamTelemetry", targets: ["CofferdamTelemetry"]),
        .library(name: "CofferdamCurl", targets: ["CofferdamCurl"]),
        .library(name: "CofferdamRehearsal", targets: ["CofferdamRehearsal"]),
        .library(name: "CofferdamServer", targets: ["CofferdamServer"]),
        .library(name: "CofferdamTool", targets: ["CofferdamTool"]),
        .executable(name: "cofferdam", targets: ["CofferdamCommand"]),
        .executable(name: "cofferdam-side-probe", targets: ["cofferdam-side-probe"]),
        .executable(name: "cofferdam-server", targets: ["cofferdam-server"]),
        // The worked example. The benchmarks measure its own calls.
        .library(name: "SanctuaryOperations", targets: ["SanctuaryDomain", "SanctuaryOperations"]),
        .executable(name: "sanctuary", targets: ["sanctuary"]),
        .executable(name: "vendorctl", targets: ["vendorctl"]),
        .executable(name: "menagerie-service", targets: ["menagerie-service"]),
    ],
    traits: [
        .default(enabledTraits: []),
        .trait(
            name: "Example",
            description: "The worked example, on the SDK that `linkedSDK` names.",
            enabledTraits: [linkedSDK]
        ),
        .trait(name: "SDKv1", description: "The example app links the vendor's V1.", enabledTraits: ["Sandbox"]),
        .trait(name: "SDKv2", description: "The example app links the vendor's V2.", enabledTraits: ["Sandbox"]),
        .trait(
            name: "Staged",
            description: "The example app links both majors, and a router between them with its state on disk.",
            enabledTraits: ["SDKv1", "SDKv2", "SQLite", "Server"]
        ),
        .trait(
            name: "Sandbox",
            description: "What only the worked example needs: the vendor, the adapters and the commands.",
            enabledTraits: ["CommandLine", "TestStand", "Fleet", "Telemetry"]
        ),
        .trait(
            name: "Curl",
            description: "CofferdamCurl: HTTP over libcurl, with swift-http-types, metrics and tracing."
        ),
        .trait(name: "Fleet", description: "CofferdamFleet: etcd and Prometheus.", enabledTraits: ["Curl"]),
        .trait(name: "Telemetry", description: "CofferdamTelemetry: spans and metrics for each call of a port."),
        .trait(name: "TestStand", description: "CofferdamStand: a proxy before a vendor's server, on swift-nio."),
        .trait(
            name: "Server",
            description: "CofferdamServer and cofferdam-server: the control plane, on Hummingbird and GRDB.",
            enabledTraits: ["SQLite", "Fleet", "CommandLine"]
        ),
        .trait(name: "CommandLine", description: "CofferdamTool: the team's commands, on swift-argument-parser."),
        .trait(
            name: "SQLite",
            description: "The store's cache, the upgrade's log and the service's state on disk, on GRDB."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.2.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "3.12.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.20.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.80.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.0", traits: []),
    ],
    targets: [
        // MARK: The kit
        kit("Core/Cofferdam", [.logging, .product(name: "DequeModule", package: "swift-collections")]),
        // What the targets share and apps do not see: files, digests, text at a terminal, seeded random numbers.
        kit("Core/CofferdamSupport", ["Cofferdam"]),
        kit(
            "State/CofferdamState",
            ["CofferdamSupport", "Cofferdam", .product(name: "DequeModule", package: "swift-collections")]
        ),
        kit("State/CofferdamStore", ["CofferdamSupport", "CofferdamState", "Cofferdam", .grdb]),
        // The building blocks of the kit's HTML pages; only the kit's own code uses them.
        kit("Team/CofferdamPages", ["CofferdamSupport"]),
        kit("Core/CofferdamContracts", ["CofferdamSupport", "CofferdamPages", "Cofferdam"]),
        kit("Core/CofferdamTesting", ["CofferdamContracts", "CofferdamState", "Cofferdam"]),
        kit("Team/CofferdamStand", ["CofferdamContracts", "Cofferdam", .standNIOCore, .standNIOPosix]),
        // From rows of evidence to a decision: values and pure functions.
        kit(
            "Upgrade/CofferdamGate",
            ["CofferdamSupport", "Cofferdam", .product(name: "DequeModule", package: "swift-collections")]
        ),
        kit(
            "Upgrade/CofferdamUpgrade",
            [
                "CofferdamSupport",
                "CofferdamGate", "CofferdamState", "Cofferdam",
                .product(name: "DequeModule", package: "swift-collections"), .grdb,
            ]
        ),
        // The gate in worlds whose truth is known, for `simulate-gate`; apps do not link it.
        kit("Team/CofferdamSimulation", ["CofferdamSupport", "CofferdamGate", "Cofferdam"]),
        // Each side's library contains its own copy, so this target depends on nothing else in the kit.
        kit("Sides/CofferdamSides", ["CCofferdamSides"]),
        .systemLibrary(name: "CCofferdamSides", path: "Sources/Kit/Sides/CCofferdamSides"),
        .executableTarget(
            name: "cofferdam-side-probe",
            dependencies: ["CofferdamSides"],
            path: "Sources/Kit/Sides/cofferdam-side-probe"
        ),
        // For apps on a phone: no libcurl, no NIO, no database.
        kit(
            "Upgrade/CofferdamDevice",
            [
                "CofferdamSupport", "CofferdamUpgrade", "Cofferdam",
                .product(name: "HTTPTypes", package: "swift-http-types"), .crypto,
            ]
        ),
        kit(
            "Upgrade/CofferdamFleet",
            [
                "CofferdamSupport", "CofferdamUpgrade", "CofferdamDevice", "CofferdamCurl", "Cofferdam", .httpTypes,
                .metrics,
            ]
        ),
        kit("Upgrade/CofferdamTelemetry", ["Cofferdam", .metrics, .tracing]),
        kit(
            "Transport/CofferdamCurl",
            [
                "CofferdamSupport",
                "Cofferdam", "CLibcurl", "CZlib", .target(name: "CBrotli", condition: .onLinux),
                .target(name: "CZstandard", condition: .onLinux), .httpTypes, .logging, .metrics, .tracing,
            ]
        ),
        .systemLibrary(
            name: "CLibcurl",
            path: "Sources/Kit/Transport/CLibcurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .systemLibrary(
            name: "CZlib",
            path: "Sources/Kit/Transport/CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        .systemLibrary(
            name: "CBrotli",
            path: "Sources/Kit/Transport/CBrotli",
            pkgConfig: "libbrotlidec",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]
        ),
        .systemLibrary(
            name: "CZstandard",
            path: "Sources/Kit/Transport/CZstandard",
            pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]
        ),
        kit(
            "Team/CofferdamRehearsal",
            [
                "CofferdamSupport", "CofferdamContracts", "CofferdamUpgrade", "CofferdamState", "CofferdamPages",
                "Cofferdam",
            ]
        ),
        kit(
            "Team/CofferdamTool",
            [
                "CofferdamSupport",
                "Cofferdam", "CofferdamContracts", "CofferdamRehearsal", "CofferdamSimulation", "CofferdamUpgrade",
                .argumentParser, .subprocess,
                // For upgrades on a server; other builds contact none.
                .target(name: "CofferdamDevice", condition: .when(traits: ["Fleet"])),
                .target(name: "CofferdamFleet", condition: .when(traits: ["Fleet"])),
            ]
        ),
        kit(
            "Upgrade/CofferdamServer",
            [
                "CofferdamSupport",
                "Cofferdam", "CofferdamUpgrade", "CofferdamContracts", "CofferdamRehearsal", "CofferdamPages",
                "CofferdamCurl", "CofferdamDevice", "CofferdamFleet", .hummingbird, .serviceLifecycle, .nioCore,
                .nioHTTP1, .httpTypes,
                .logging, .subprocess, .grdb,
            ],
            exclude: ["REST.md"]
        ),
        .executableTarget(
            name: "cofferdam-server",
            dependencies: [
                "CofferdamSupport",
                "Cofferdam", "CofferdamServer", "CofferdamFleet", "CofferdamUpgrade", .argumentParser, .logging,
                .unixSignals,
            ],
            path: "Sources/Kit/Upgrade/cofferdam-server"
        ),
        .executableTarget(
            name: "CofferdamCommand",
            dependencies: ["CofferdamSupport", "CofferdamTool"],
            path: "Sources/Kit/Team/CofferdamCommand"
        ),

        // MARK: The app's side of the wall
        sanctuary("SanctuaryDomain"),
        sanctuary("SanctuaryContracts", ["SanctuaryOperations", "SanctuaryDomain", "Cofferdam", "CofferdamContracts"]),
        sanctuary("SanctuaryFake", ["SanctuaryDomain", "SanctuaryContracts", "Cofferdam", "CofferdamContracts"]),
        sanctuary(
            "SanctuaryApp",
            ["CofferdamSupport", "CofferdamPages", "SanctuaryDomain", "Cofferdam", "CofferdamState", "CofferdamStore"]
        ),
        sanctuary("SanctuaryOperations", ["SanctuaryDomain", "Cofferdam"]),
        sanctuary("SanctuaryRouting", ["SanctuaryOperations", "SanctuaryDomain", "Cofferdam", "CofferdamUpgrade"]),
        sanctuaryCommand,

        // MARK: The adapters: the only code that may import a vendor module, and the SDK that links them
        adapter("MenagerieV1Adapter", ["SanctuaryDomain", "Cofferdam", "MenagerieV1"]),
        adapter("MenagerieV2Adapter", ["SanctuaryDomain", "Cofferdam", "MenagerieV2"]),
        adapter(
            "SanctuarySDK",
            [
                "SanctuaryDomain", "Cofferdam", "MenagerieService",
                .target(name: "MenagerieV1Adapter", condition: .when(traits: ["SDKv1"])),
                .target(name: "MenagerieV2Adapter", condition: .when(traits: ["SDKv2"])),
                .target(name: "CofferdamUpgrade", condition: .when(traits: ["Staged"])),
                .target(name: "CofferdamDevice", condition: .when(traits: ["Staged"])),
                .target(name: "CofferdamFleet", condition: .when(traits: ["Staged"])),
                .target(name: "SanctuaryRouting", condition: .when(traits: ["Staged"])),
            ]
        ),

        // MARK: The team's own code: the harness and the command
        team(
            "SanctuaryHarness",
            [
                "SanctuaryDomain", "SanctuaryOperations", "SanctuaryContracts", "SanctuaryRouting", "Cofferdam",
                "CofferdamContracts", "CofferdamStand", "CofferdamUpgrade", "MenagerieV1Adapter", "MenagerieV2Adapter",
                "MenagerieService",
            ]
        ),
        vendorctlCommand,

        // MARK: The simulated vendor
        vendor("MenagerieV1", ["CofferdamCurl", .httpTypes], clients: ["MenagerieV1Adapter"]),
        vendor("MenagerieV2", ["CofferdamCurl", .httpTypes], clients: ["MenagerieV2Adapter"]),
        .target(
            name: "MenagerieService",
            dependencies: [.hummingbird, .nioCore, .serviceLifecycle, .httpTypes, .logging, .grdb],
            path: "VendorStubs/MenagerieService",
            exclude: ["REST.md", "Data/NOTICE.md"],
            resources: [.embedInCode("Data/zoo.tab")]
        ),
        .executableTarget(
            name: "menagerie-service",
            dependencies: [
                "CofferdamSupport", "MenagerieService", "Cofferdam", .argumentParser, .logging, .unixSignals,
            ],
            path: "VendorStubs/menagerie-service"
        ),

        // MARK: Shared by several test targets, in addition to CofferdamTesting
        support("TestSupport", ["CofferdamSupport", "Cofferdam", .subprocess]),
        support("UpgradeTestSupport", ["CofferdamUpgrade", "TestSupport"]),
        support("CommandTestSupport", ["MenagerieService", .subprocess]),

        // MARK: Tests, mirroring Sources
        test("CofferdamSupportTests", ["CofferdamSupport", "Cofferdam"]),
        test("CofferdamTests", ["CofferdamSupport", "CofferdamTesting", "Cofferdam", "TestSupport"]),
        test(
            "CofferdamStateTests",
            ["CofferdamSupport", "CofferdamState", "CofferdamTesting", "Cofferdam", "TestSupport"]
        ),
        test(
            "CofferdamStoreTests",
            [
                "CofferdamSupport", "CofferdamStore", "CofferdamState", "CofferdamTesting", "Cofferdam", "TestSupport",
                .grdb,
            ]
        ),
        test("CofferdamPagesTests", ["CofferdamPages"]),
        test(
            "CofferdamContractsTests",
            ["CofferdamContracts", "CofferdamTesting", "Cofferdam", "TestSupport", .subprocess]
        ),
        test(
            "CofferdamStandTests",
            [
                "CofferdamSupport",
                "CofferdamStand", "CofferdamContracts", "CofferdamTesting", "Cofferdam", "TestSupport", .standNIOCore,
                .standNIOPosix,
            ]
        ),
        test(
            "CofferdamGateTests",
            ["CofferdamSupport", "CofferdamGate", "Cofferdam", "TestSupport", "UpgradeTestSupport"]
        ),
        test(
            "CofferdamUpgradeTests",
            [
                "CofferdamSupport",
                "CofferdamUpgrade", "CofferdamGate", "CofferdamTesting", "Cofferdam", "TestSupport",
                "UpgradeTestSupport", .grdb, .subprocess,
            ]
        ),
        test("CofferdamSimulationTests", ["CofferdamSupport", "CofferdamSimulation", "CofferdamGate", "Cofferdam"]),
        test(
            "CofferdamSidesTests",
            [
                "CofferdamSides", "cofferdam-side-probe", "CofferdamUpgrade", "Cofferdam", "TestSupport", .subprocess,
            ],
            exclude: ["Fixtures"]
        ),
        test(
            "CofferdamDeviceTests",
            [
                "CofferdamDevice", "CofferdamUpgrade", "CofferdamTesting", "Cofferdam", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        test(
            "CofferdamFleetTests",
            [
                "CofferdamSupport", "CofferdamFleet", "CofferdamDevice", "CofferdamUpgrade", "CofferdamCurl",
                "CofferdamTesting", "Cofferdam", "TestSupport", "UpgradeTestSupport", .httpTypes, .metrics, .subprocess,
                // For several servers on one etcd.
                .target(name: "CofferdamServer", condition: .when(traits: ["Server"])),
            ]
        ),
        // Empty in builds without the trait Server.
        test(
            "CofferdamServerTests",
            [
                "CofferdamSupport", "CofferdamPages",
                "CofferdamServer", "cofferdam-server", "CofferdamTool", "CofferdamFleet", "CofferdamDevice",
                "CofferdamUpgrade",
                "CofferdamCurl", "CofferdamRehearsal", "CofferdamContracts", "CofferdamTesting", "Cofferdam",
                "TestSupport", "UpgradeTestSupport", .httpTypes, .logging, .subprocess, .grdb, .argumentParser,
                .nioCore, .nioHTTP1, .nioEmbedded, .serviceLifecycle,
            ]
        ),
        test(
            "CofferdamTelemetryTests",
            [
                "CofferdamTelemetry", "Cofferdam", .metrics, .tracing,
                .metricsTestKit,
                .inMemoryTracing,
            ]
        ),
        test(
            "CofferdamCurlTests",
            [
                "CofferdamSupport",
                "CofferdamCurl", "Cofferdam", "CLibcurl", .httpTypes, .logging, .metrics, .tracing,
                .product(name: "InMemoryLogging", package: "swift-log"),
                .metricsTestKit,
                .inMemoryTracing,
            ]
        ),
        test(
            "CofferdamRehearsalTests",
            [
                "CofferdamSupport",
                "CofferdamRehearsal", "CofferdamContracts", "CofferdamTesting", "CofferdamUpgrade", "Cofferdam",
                "TestSupport",
            ]
        ),
        test(
            "CofferdamToolTests",
            [
                "CofferdamSupport",
                "mytool", "CofferdamTool", "CofferdamRehearsal", "CofferdamSimulation", "CofferdamContracts",
                "CofferdamTesting", "CofferdamUpgrade", "Cofferdam", "TestSupport", "CommandTestSupport",
                .argumentParser, .subprocess,
            ]
        ),
        // The program of the guide "Your team's tool".
        .executableTarget(
            name: "mytool",
            dependencies: [
                "CofferdamSupport",
                "CofferdamTool", "CofferdamRehearsal", "CofferdamContracts", "CofferdamUpgrade", "Cofferdam",
            ],
            path: "Tests/mytool"
        ),
        test("SanctuaryDomainTests", ["SanctuaryDomain"]),
        test(
            "SanctuaryContractsTests",
            [
                "SanctuaryContracts", "SanctuaryDomain", "SanctuaryOperations", "SanctuaryFake", "SanctuaryHarness",
                "CofferdamContracts", "CofferdamTesting", "CofferdamUpgrade", "SanctuaryRouting", "Cofferdam",
            ]
        ),
        test(
            "SanctuaryFakeTests",
            [
                "SanctuaryFake", "SanctuaryContracts", "SanctuaryDomain", "Cofferdam", "CofferdamContracts",
                "CofferdamTesting",
            ]
        ),
        test(
            "SanctuaryAppTests",
            [
                "SanctuaryApp", "SanctuaryDomain", "SanctuaryFake", "Cofferdam", "CofferdamPages", "CofferdamState",
                "CofferdamStore",
            ]
        ),
        test(
            "MenagerieV1AdapterTests",
            ["MenagerieV1Adapter", "MenagerieV1", "MenagerieService", "SanctuaryDomain", "Cofferdam"]
        ),
        test(
            "MenagerieV2AdapterTests",
            [
                "CofferdamSupport",
                "MenagerieV2Adapter", "MenagerieV2", "MenagerieV1Adapter", "MenagerieService", "SanctuaryDomain",
                "CofferdamTesting", "Cofferdam", .httpTypes,
            ],
            exclude: ["Golden"]
        ),
        // Empty in builds without the trait Staged.
        test(
            "SanctuarySDKTests",
            [
                "SanctuarySDK", "SanctuaryDomain", "MenagerieService", "Cofferdam", "TestSupport",
                .target(name: "CofferdamUpgrade", condition: .when(traits: ["Staged"])),
            ]
        ),
        test("MenagerieServiceTests", ["MenagerieService", "CofferdamCurl", .httpTypes]),
        // These tests run the built commands.
        test(
            "SanctuaryCommandTests",
            [
                "sanctuary", "menagerie-service", "MenagerieService", "CommandTestSupport", "CofferdamCurl",
                .httpTypes, .subprocess,
                // For the staged app against a real server.
                .target(name: "cofferdam-server", condition: .when(traits: ["Staged"])),
            ]
        ),
        test(
            "VendorctlTests",
            [
                "vendorctl", "MenagerieService", "CommandTestSupport", "TestSupport", "CofferdamCurl", .httpTypes,
                .subprocess,
            ]
        ),
        test(
            "ArchitectureTests",
            [
                "SanctuaryHarness", "CofferdamCommand", "CofferdamTool", "CofferdamStore", "CofferdamTesting",
                .subprocess,
            ]
        ),
    ]
)

// Builds only some targets and their dependencies: what a sanitizer tests, or, with "products", all but the tests that
// are not named. "Target:File.swift:Folder/Other.swift" leaves out these files of a target.
if let only = Context.environment["COFFERDAM_ONLY"] {
    let names = only.split(separator: ",").map { choice in
        let parts = choice.split(separator: ":").map(String.init)
        package.targets.first { $0.name == parts.first }?.exclude += parts.dropFirst()
        return parts.first ?? ""
    }
    let isWhole = names.contains("products")
    var needed: Set<String> = []
    func need(_ name: String) {
        guard let target = package.targets.first(where: { $0.name == name }), needed.insert(name).inserted else {
            return
        }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): need(name)
            default: break
            }
        }
    }
    names.forEach(need)
    if isWhole {
        package.targets.filter { $0.type != .test }.map(\.name).forEach(need)
    } else {
        // A test runs this product, whose name differs from its target's.
        package.products.removeAll { $0.name != "cofferdam" || !needed.contains("CofferdamCommand") }
    }
    package.targets.removeAll { !needed.contains($0.name) }
}

// MARK: The settings of all our targets

/// The targets in which our own tests and commands spend their time. Optimising the others takes the compiler longer than
/// it saves, and so does optimising any for a few tests.
let optimised: Set<String> =
    Context.environment["COFFERDAM_ONONE"] == nil
    ? ["Cofferdam", "CofferdamCurl", "CofferdamGate", "CofferdamStand", "CofferdamUpgrade", "MenagerieService"] : []

for target in package.targets where target.type != .system {
    // The vendor's old SDK uses the old language mode, as such SDKs do.
    let isOld = target.name == "MenagerieV1"
    var settings: [SwiftSetting] = [
        .swiftLanguageMode(isOld ? .v5 : .v6),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    if !isOld {
        settings += [
            // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0470-isolated-conformances.md
            .enableUpcomingFeature("InferIsolatedConformances"),
        ]
    }
    // Like the wall, only in our own builds. Without optimisation the compiler would parse a module twice, to write its
    // interface early; but SwiftPM waits for the whole module before it starts the next.
    if Context.environment["COFFERDAM_WALL"] != nil, !optimised.contains(target.name) {
        let flags = ["-Onone", "-no-emit-module-separately-wmo"]
        settings.append(.unsafeFlags(flags, .when(configuration: .release)))
    }
    // Only in our own CI, so that our warnings do not break an adopter's build.
    if Context.environment["COFFERDAM_STRICT"] != nil { settings.append(.treatAllWarnings(as: .error)) }
    target.swiftSettings = settings + (target.swiftSettings ?? [])
}

// MARK: One function for each folder of targets

/// - Parameter place: the folder of the target's role, and the target: "Core/Cofferdam".
func kit(_ place: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    let name = String(place.drop { $0 != "/" }.dropFirst())
    return .target(name: name, dependencies: dependencies, path: "Sources/Kit/\(place)", exclude: exclude)
}

func sanctuary(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Sanctuary/\(name)")
}

var sanctuaryCommand: Target {
    .executableTarget(
        name: "sanctuary",
        dependencies: [
            "CofferdamSupport",
            "SanctuaryApp", "SanctuaryDomain", "SanctuarySDK", "Cofferdam", "CofferdamState", "CofferdamStore",
            .argumentParser,
        ],
        path: "Sources/Sanctuary/sanctuary"
    )
}

func adapter(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Adapters/\(name)")
}

func team(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Team/\(name)")
}

var vendorctlCommand: Target {
    .executableTarget(
        name: "vendorctl",
        dependencies: [
            "CofferdamSupport",
            "CofferdamTool", "SanctuaryHarness", "SanctuaryContracts", "SanctuaryFake", "SanctuaryDomain",
            "SanctuaryOperations", "SanctuaryRouting", "Cofferdam", "CofferdamContracts", "CofferdamUpgrade",
            "CofferdamFleet", "CofferdamRehearsal", "MenagerieService",
            // For the page of a rehearsal; other builds compile no server.
            .target(name: "CofferdamServer", condition: .when(traits: ["Server"])),
        ],
        path: "Sources/Team/vendorctl"
    )
}

/// A vendor's module. With `COFFERDAM_WALL` set, the compiler lets only `clients` and their tests import it. That is
/// not the default, because a package with unsafe flags cannot be depended on by version.
func vendor(_ name: String, _ dependencies: [Target.Dependency], clients: [String]) -> Target {
    let permitted = clients + clients.map { "\($0)Tests" }
    let wall: [SwiftSetting] =
        Context.environment["COFFERDAM_WALL"] == nil
        ? [] : [.unsafeFlags(permitted.flatMap { ["-Xfrontend", "-allowable-client", "-Xfrontend", $0] })]
    return .target(
        name: name,
        dependencies: dependencies,
        path: "VendorStubs/\(name)",
        swiftSettings: wall
    )
}

func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(name)")
}

/// - Parameter exclude: files that the tests read from the checkout.
func test(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: exclude)
}

extension TargetDependencyCondition {
    static var telemetry: Self? { .when(traits: ["Curl", "Telemetry"]) }
    static var serving: Self? { .when(traits: ["Sandbox", "Server"]) }
    /// Apple's SDKs do not have the library.
    static var onLinux: Self? { .when(platforms: [.linux]) }
}

extension Target.Dependency {
    static var logging: Self { .product(name: "Logging", package: "swift-log") }
    static var httpTypes: Self {
        .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Curl"]))
    }
    static var metrics: Self { .product(name: "CoreMetrics", package: "swift-metrics", condition: .telemetry) }
    static var metricsTestKit: Self {
        .product(name: "MetricsTestKit", package: "swift-metrics", condition: .telemetry)
    }
    static var tracing: Self { .product(name: "Tracing", package: "swift-distributed-tracing", condition: .telemetry) }
    static var inMemoryTracing: Self {
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .telemetry)
    }
    static var argumentParser: Self {
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CommandLine"]))
    }
    /// Apple's systems have its modules themselves.
    static var crypto: Self {
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Fleet"]))
    }
    static var hummingbird: Self {
        .product(name: "Hummingbird", package: "hummingbird", condition: .serving)
    }
    static var serviceLifecycle: Self {
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .serving)
    }
    static var unixSignals: Self {
        .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: .serving)
    }
    static var nioCore: Self {
        .product(name: "NIOCore", package: "swift-nio", condition: .serving)
    }
    static var nioHTTP1: Self {
        .product(name: "NIOHTTP1", package: "swift-nio", condition: .serving)
    }
    static var nioEmbedded: Self {
        .product(name: "NIOEmbedded", package: "swift-nio", condition: .serving)
    }
    static var standNIOCore: Self {
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["TestStand"]))
    }
    static var standNIOPosix: Self {
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["TestStand"]))
    }
    static var grdb: Self { .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])) }
    /// Only on platforms that can start processes: swift-subprocess supports no others, so an iOS build must not
    /// include it.
    static var subprocess: Self {
        .product(
            name: "Subprocess",
            package: "swift-subprocess",
            condition: .when(platforms: [.macOS, .linux], traits: ["CommandLine"])
        )
    }
}

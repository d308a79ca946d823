// swift-tools-version: 6.2
import PackageDescription

let ports: Target.Dependency = .product(name: "SettingsPorts", package: "Ports")
let operations: Target.Dependency = .product(name: "SettingsOperations", package: "Staged")

func kit(_ name: String) -> Target.Dependency { .product(name: name, package: "cofferdam") }

let package = Package(
    name: "Team",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(path: "../Ports"),
        .package(path: "../Staged"),
        .package(name: "cofferdam", path: "../../..", traits: ["CommandLine", "SQLite"]),
    ],
    targets: [
        .target(
            name: "SettingsContract",
            dependencies: [ports, operations, kit("Cofferdam"), kit("CofferdamContracts")]
        ),
        .executableTarget(
            name: "settings-tool",
            dependencies: [
                "SettingsContract", ports, operations, .product(name: "SettingsSDK", package: "Staged"),
                kit("CofferdamContracts"), kit("CofferdamRehearsal"), kit("CofferdamSides"), kit("CofferdamTool"),
                kit("CofferdamUpgrade"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Staged",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SettingsSDK", targets: ["SettingsSDK"]),
        .library(name: "SettingsOperations", targets: ["SettingsOperations"]),
    ],
    dependencies: [
        .package(path: "../Ports"),
        // SQLite: the upgrade's state and evidence are on disk.
        .package(name: "cofferdam", path: "../../..", traits: ["SQLite"]),
    ],
    targets: [
        .target(
            name: "SettingsOperations",
            dependencies: [
                .product(name: "SettingsPorts", package: "Ports"), .product(name: "Cofferdam", package: "cofferdam"),
            ]
        ),
        .target(
            name: "SettingsSDK",
            dependencies: [
                "SettingsOperations", .product(name: "SettingsPorts", package: "Ports"),
                .product(name: "CofferdamSides", package: "cofferdam"),
                .product(name: "CofferdamUpgrade", package: "cofferdam"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

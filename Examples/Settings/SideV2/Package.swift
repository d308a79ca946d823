// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SideV2",
    platforms: [.macOS(.v15)],
    products: [
        // For an app that links this side, and for one that opens it at run time.
        .library(name: "SettingsSDK", targets: ["SettingsSDK"]),
        .library(name: "SettingsV2", type: .dynamic, targets: ["SettingsSide"]),
    ],
    dependencies: [
        .package(url: "https://github.com/jpsim/Yams.git", exact: "6.2.2"),
        .package(path: "../Ports"),
        .package(name: "cofferdam", path: "../../.."),
    ],
    targets: [
        .target(
            name: "SettingsSDK",
            dependencies: [.product(name: "Yams", package: "Yams"), .product(name: "SettingsPorts", package: "Ports")]
        ),
        .target(
            name: "SettingsSide",
            dependencies: [
                "SettingsSDK", .product(name: "SettingsPorts", package: "Ports"),
                .product(name: "CofferdamSides", package: "cofferdam"),
            ],
            // Keeps the other side's and the app's symbols out of this library.
            linkerSettings: [.unsafeFlags(["-Xlinker", "-Bsymbolic"], .when(platforms: [.linux]))]
        ),
    ],
    swiftLanguageModes: [.v6]
)

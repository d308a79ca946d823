// swift-tools-version: 6.2
import PackageDescription

// The swap: the one line that differs between an app on V1 ("SideV1"), on both majors ("Staged") and on V2 ("SideV2").
let side = "SideV1"

let package = Package(
    name: "App",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../Ports"), .package(name: "Side", path: "../\(side)")],
    targets: [
        .executableTarget(
            name: "settings",
            dependencies: [
                .product(name: "SettingsPorts", package: "Ports"), .product(name: "SettingsSDK", package: "Side"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)

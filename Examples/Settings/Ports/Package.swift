// swift-tools-version: 6.2
import PackageDescription

// Dynamic: a process loads it once, so the app and both sides share the same types.
let package = Package(
    name: "Ports",
    platforms: [.macOS(.v15)],
    products: [.library(name: "SettingsPorts", type: .dynamic, targets: ["SettingsPorts"])],
    targets: [.target(name: "SettingsPorts")]
)

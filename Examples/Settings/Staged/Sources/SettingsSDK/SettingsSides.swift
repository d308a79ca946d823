import CofferdamSides
import Foundation
public import SettingsPorts

/// The libraries of both sides, which are opened when they are first needed.
public struct SettingsSides: Sendable {
    private let folder: String
    private let store: any DocumentStore
    private let reading: SettingsReading

    /// The folder of the running executable.
    public static var executableFolder: String {
        Bundle.main.executableURL?.deletingLastPathComponent().path(percentEncoded: false) ?? "."
    }

    public init(in folder: String, store: any DocumentStore, reading: SettingsReading = .corrected) {
        self.folder = folder
        self.store = store
        self.reading = reading
    }

    public func v1() async throws -> any Settings { try await open("SettingsV1") }
    public func v2() async throws -> any Settings { try await open("SettingsV2") }

    private func open(_ name: String) async throws -> any Settings {
        #if os(macOS)
        let file = "lib\(name).dylib"
        #else
        let file = "lib\(name).so"
        #endif
        let side = try SideLibrary.open("\(folder)/\(file)", ports: settingsPortsDigest)
        return try await side.port(as: OpenSettings.self)(store, reading)
    }
}

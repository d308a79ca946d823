#if Sandbox
import Foundation

/// Stores the id by which the platform identifies this installation.
public actor DeviceStore {
    public nonisolated let path: String
    private let file: JSONFile<Device>

    public init(directory: String) {
        file = JSONFile("device", in: directory)
        path = file.path
    }

    /// Returns the id; nil if there is none yet.
    public func load() throws(MenagerieError) -> String? { try file.load()?.deviceId }

    public func save(_ id: String) throws(MenagerieError) { try file.save(Device(deviceId: id)) }

    public func delete() throws(MenagerieError) { try file.delete() }

    /// Returns the stored id, or a new one.
    public func current() throws(MenagerieError) -> String {
        if let known = try load() { return known }
        let fresh = UUID().uuidString.lowercased()
        try save(fresh)
        return fresh
    }

    private struct Device: Codable, Sendable { var deviceId: String }
}
#endif

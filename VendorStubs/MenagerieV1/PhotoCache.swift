#if Sandbox
import Foundation

/// How to use a photo that is stored on this device.
public enum PhotoCachePolicy: Int {
    /// Return the stored photo, however old.
    case useCache
    /// Ask the server whether it has changed.
    case validate
    /// Fetch the photo again.
    case reload
}

/// A cache of photos on disk, without expiry. Each is a file named after its URL.
public final class PhotoCache {
    struct Entry: Codable {
        var mediaType: String?
        var tag: String?
        var bytes: Data
    }

    private let directory: String

    init(directory: String) { self.directory = directory + "/menagerie.photos" }

    /// The total size of all files, in bytes.
    public var diskUsage: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []  // none there is none
        return names.reduce(0) { sum, name in
            let size = try? FileManager.default.attributesOfItem(atPath: directory + "/" + name)[.size] as? NSNumber
            return sum + (size?.intValue ?? 0)
        }
    }

    /// Removes every photo.
    public func removeAll() { try? FileManager.default.removeItem(atPath: directory) }

    func entry(of address: String) -> Entry? {
        guard let content = try? Data(contentsOf: URL(fileURLWithPath: path(of: address))) else { return nil }
        return try? PropertyListDecoder().decode(Entry.self, from: content)
    }

    /// Stores a photo. One that cannot be stored is fetched again later.
    func keep(_ entry: Entry, of address: String) {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try? encoder.encode(entry).write(to: URL(fileURLWithPath: path(of: address)), options: .atomic)
    }

    private func path(of address: String) -> String { directory + "/" + MD5.digits(of: address) }
}
#endif

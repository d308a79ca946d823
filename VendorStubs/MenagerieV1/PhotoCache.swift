import Foundation

/// What to do with a photo that is on this device already.
public enum PhotoCachePolicy: Int {
    /// Give it, however old it is.
    case useCache
    /// Ask the server whether it has changed.
    case validate
    /// Fetch it anew.
    case reload
}

/// Photos on disk, for ever. Each is a file named after its address.
public final class PhotoCache {
    struct Entry: Codable {
        var mediaType: String?
        var tag: String?
        var bytes: Data
    }

    private let directory: String

    init(directory: String) { self.directory = directory + "/menagerie.photos" }

    /// In bytes, all files together.
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

    /// A photo that cannot be kept is fetched again, some time.
    func keep(_ entry: Entry, of address: String) {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try? encoder.encode(entry).write(to: URL(fileURLWithPath: path(of: address)), options: .atomic)
    }

    private func path(of address: String) -> String { directory + "/" + MD5.digits(of: address) }
}

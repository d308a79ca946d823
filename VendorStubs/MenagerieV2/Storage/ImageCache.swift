#if Sandbox
import Foundation
import Synchronization

/// How an image stored on this device is used.
public struct ImageOptions: Sendable, Hashable {
    /// The key under which it is stored; nil for its whole URL.
    public var key: String?
    /// The maximum age of a fresh image.
    public var maximumAge: Duration
    /// Whether an older image is returned nevertheless, and fetched again in the background.
    public var staleWhileRevalidate: Bool

    public init(key: String? = nil, maximumAge: Duration = .seconds(900), staleWhileRevalidate: Bool = true) {
        self.key = key
        self.maximumAge = maximumAge
        self.staleWhileRevalidate = staleWhileRevalidate
    }
}

/// A cache of images on disk, the latest ones up to a limit. An image larger than a tenth of it is not stored.
public struct ImageCache: Sendable {
    struct Entry: Codable, Sendable {
        var contentType: String?
        var tag: String?
        var storedAt: Date
        var bytes: Data

        var image: ImageData { ImageData(bytes: Array(bytes), contentType: contentType) }
    }

    /// The limit in bytes.
    public let limit: Int
    private let directory: String
    private let size = StoredSize()

    init(directory: String, limit: Int = 20_000_000) {
        self.directory = directory + "/com.menagerie.v2.images"
        self.limit = limit
    }

    /// The total size of all files, in bytes.
    public var diskUsage: Int { files().reduce(0) { $0 + $1.size } }

    @concurrent func entry(under key: String) async -> Entry? {
        guard let content = try? Data(contentsOf: file(of: key)) else { return nil }
        return try? PropertyListDecoder().decode(Entry.self, from: content)
    }

    /// Stores an image. One that cannot be stored is fetched again later.
    @concurrent func keep(_ entry: Entry, under key: String) async {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let content = try? encoder.encode(entry), content.count <= limit / 10 else {
            try? FileManager.default.removeItem(at: file(of: key))
            return
        }
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try? content.write(to: file(of: key), options: .atomic)
        if size.add(content.count, orCount: { diskUsage }) > limit { evict() }
    }

    private func evict() {
        let files = files().sorted { $0.changed > $1.changed }
        var sum = 0
        var kept = 0
        for file in files {
            sum += file.size
            if sum > limit { try? FileManager.default.removeItem(at: file.url) } else { kept = sum }
        }
        size.set(kept)
    }

    private func files() -> [(url: URL, size: Int, changed: Date)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.compactMap { name in
            let url = URL(fileURLWithPath: directory + "/" + name)
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else { return nil }
            let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
            return (url, size, attributes[.modificationDate] as? Date ?? .distantPast)
        }
    }

    /// The file's name: Bernstein's hash (the XOR variant) and the key's length.
    private func file(of key: String) -> URL {
        let hash = key.utf8.reduce(5381 as UInt64) { ($0 &* 33) ^ UInt64($1) }
        return URL(fileURLWithPath: "\(directory)/\(String(hash, radix: 36))-\(key.utf8.count).image")
    }
}

/// The total size of the stored images, so that not every new one makes the cache look at all of them. It is never too
/// small: an image that replaces another is counted beside it until the files are counted again.
private final class StoredSize: Sendable {
    private let bytes = Mutex<Int?>(nil)

    func set(_ bytes: Int) { self.bytes.withLock { $0 = bytes } }

    /// - Parameter count: counts what is stored, the new image included.
    /// - Returns: the new size.
    func add(_ more: Int, orCount count: () -> Int) -> Int {
        bytes.withLock { bytes in
            let sum = bytes.map { $0 + more } ?? count()
            bytes = sum
            return sum
        }
    }
}
#endif

#if Sandbox
import Foundation

/// The accessories that this device has linked, kept from one launch to the next.
actor LinkStore {
    private let url: URL
    private var loaded: Set<String>?

    init(directory: String) { url = URL(fileURLWithPath: directory + "/com.menagerie.v2.links.json") }

    var all: Set<String> {
        if let loaded { return loaded }
        let data = (try? Data(contentsOf: url)) ?? Data()
        let links = (try? JSONDecoder().decode(Set<String>.self, from: data)) ?? []
        loaded = links
        return links
    }

    func insert(_ id: String) { save(all.union([id])) }

    func remove(_ id: String) { save(all.subtracting([id])) }

    /// Stores the links. If that fails, they are known until the process ends.
    private func save(_ links: Set<String>) {
        guard links != all else { return }
        loaded = links
        let directory = url.deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try? JSONEncoder().encode(links.sorted()).write(to: url, options: .atomic)
    }
}
#endif

#if Sandbox
import Foundation

/// The accessories that this device has connected, kept from one launch to the next.
final class LinkedAccessories {
    private let lock = NSLock()
    private let url: URL
    private var ids: Set<String>

    init(directory: String) {
        url = URL(fileURLWithPath: directory + "/menagerie.accessories")
        let content = (try? Data(contentsOf: url)) ?? Data()
        ids = (try? PropertyListDecoder().decode(Set<String>.self, from: content)) ?? []
    }

    var all: Set<String> { lock.withLock { ids } }

    func insert(_ id: String) { change { $0.insert(id).inserted } }

    func remove(_ id: String) { change { $0.remove(id) != nil } }

    private func change(_ body: (inout Set<String>) -> Bool) {
        lock.withLock {
            guard body(&ids) else { return }
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            try? encoder.encode(ids.sorted()).write(to: url, options: .atomic)
        }
    }
}
#endif

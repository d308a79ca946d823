#if Sandbox
/// A message that could not be sent yet.
public struct OutboxEntry: Sendable, Hashable, Codable {
    public var localId: String
    public var text: String

    public init(localId: String, text: String) {
        self.localId = localId
        self.text = text
    }
}

/// Stores the messages that could not be sent yet, oldest first, until they are delivered.
public actor Outbox {
    public nonisolated let path: String
    private let file: JSONFile<[OutboxEntry]>

    public init(directory: String) {
        file = JSONFile("outbox", in: directory)
        path = file.path
    }

    public func entries() throws(MenagerieError) -> [OutboxEntry] { try file.load() ?? [] }

    /// Adds the messages whose ids are not in it yet.
    public func add(_ entries: [OutboxEntry]) throws(MenagerieError) {
        let known = try self.entries()
        let ids = Set(known.map(\.localId))
        try keep(known + entries.filter { !ids.contains($0.localId) })
    }

    public func remove(_ ids: Set<String>) throws(MenagerieError) {
        try keep(entries().filter { !ids.contains($0.localId) })
    }

    public func removeAll() throws(MenagerieError) { try file.delete() }

    private func keep(_ entries: [OutboxEntry]) throws(MenagerieError) {
        if entries.isEmpty { try file.delete() } else { try file.save(entries) }
    }
}
#endif

#if Sandbox
import CofferdamCurl

extension MenagerieClient {
    public nonisolated func accessories() async throws(MenagerieError) -> AccessoryList {
        try await requireConfiguration()
        return try await wire.call(.get("accessories"))
    }

    /// The accessories that this device has linked, at this launch or an earlier one.
    public nonisolated var linkedAccessories: Set<String> {
        get async { await links.all }
    }

    /// - Throws: `alreadyLinked`; for an accessory that this device has linked, without asking the server.
    @discardableResult
    public nonisolated func link(_ id: String) async throws(MenagerieError) -> Accessory {
        guard await !links.all.contains(id) else {
            throw .alreadyLinked(ServerReply(status: 409, code: "already_linked", message: "linked by this device"))
        }
        let linked = try await accessory(id, "link")
        await links.insert(id)
        return linked
    }

    /// - Throws: `anotherActive` while another one is active; `validation` if it is not linked.
    @discardableResult
    public nonisolated func activate(_ id: String) async throws(MenagerieError) -> Accessory {
        try await accessory(id, "activate")
    }

    @discardableResult
    public nonisolated func deactivate(_ id: String) async throws(MenagerieError) -> Accessory {
        try await accessory(id, "deactivate")
    }

    /// Unlinks the accessory, and deactivates it.
    @discardableResult
    public nonisolated func unlink(_ id: String) async throws(MenagerieError) -> Accessory {
        let unlinked = try await accessory(id, "unlink")
        await links.remove(id)
        return unlinked
    }

    /// Opens a stream of changes to the accessories from now on.
    public nonisolated func accessoryEvents() async throws(MenagerieError) -> EventStream<AccessoryEvent> {
        try await requireConfiguration()
        return try await EventStream(wire, .get("accessories", "stream")) { event, _ throws(MenagerieError) in
            let data = Array(event.data.utf8)
            let change: AccessoryEvent.Change
            switch event.event {
            case "accessory": change = .accessory(try await decode(Accessory.self, from: data))
            case "removed": change = .removed(id: try await decode(Removal.self, from: data).id)
            default: return nil
            }
            guard let sequence = event.id.flatMap({ Int($0) }) else {
                throw .decoding(path: "id", message: "no sequence")
            }
            return AccessoryEvent(sequence: sequence, change: change)
        }
    }

    private nonisolated func accessory(_ id: String, _ action: String) async throws(MenagerieError) -> Accessory {
        try await requireConfiguration()
        return try await wire.call(.post("accessories", id, action))
    }
}

private struct Removal: Decodable, Sendable { var id: String }
#endif

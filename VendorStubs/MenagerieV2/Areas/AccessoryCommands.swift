/// How a command is given to an accessory.
public struct CommandOptions: Sendable, Hashable {
    /// Whom it is for; nil is the active one.
    public var accessory: String?
    /// While the link is being sought again, the command waits, for a minute at the most.
    public var waitsForLink: Bool

    public init(accessory: String? = nil, waitsForLink: Bool = true) {
        self.accessory = accessory
        self.waitsForLink = waitsForLink
    }
}

extension MenagerieClient {
    /// Has the active accessory do something. A command that waits for the link goes to the one that is active then.
    ///
    /// - Throws: `conflict` if none is active.
    @discardableResult
    public nonisolated func send(
        _ command: String,
        options: CommandOptions = CommandOptions()
    ) async throws(MenagerieError) -> Accessory {
        try await requireConfiguration()
        var target = options.accessory
        if options.waitsForLink || target == nil { target = try await awaitLink(options) }
        guard let target else {
            throw .conflict(ServerReply(status: 409, code: "conflict", message: "no accessory is active"))
        }
        return try await wire.call(.post("accessories", target, "commands").json(["command": command]))
    }

    /// The accessory that is active, at once or within a minute.
    private nonisolated func awaitLink(_ options: CommandOptions) async throws(MenagerieError) -> String? {
        for _ in 0..<60 {
            let items = try await accessories().items
            if let active = items.first(where: { $0.state == .active }) { return active.id }
            guard options.waitsForLink, items.contains(where: { $0.state == .reconnecting }) else { return nil }
            do {
                try await self.options.clock.sleep(for: .seconds(1))
            } catch {
                throw .cancelled
            }
        }
        return nil
    }
}

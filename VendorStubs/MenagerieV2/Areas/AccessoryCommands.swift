#if Sandbox
/// Options for a command.
public struct CommandOptions: Sendable, Hashable {
    /// The accessory; nil for the active one.
    public var accessory: String?
    /// Whether the command waits while the link is being sought, for a minute at most.
    public var waitsForLink: Bool

    public init(accessory: String? = nil, waitsForLink: Bool = true) {
        self.accessory = accessory
        self.waitsForLink = waitsForLink
    }
}

extension MenagerieClient {
    /// Sends a command to the active accessory. A command that waits for the link goes to the accessory that is active
    /// then.
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

    /// Returns the active accessory, at once or within a minute.
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
#endif

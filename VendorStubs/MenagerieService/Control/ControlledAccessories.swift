extension SandboxControl {
    /// Loses the link to an accessory; the platform seeks it again until ``restoreLink(of:)`` is called.
    public func loseLink(of id: String) throws { try updateAccessory(id, state: .reconnecting) }

    /// Restores a lost link: an accessory that was active becomes active again, even if another one is active now.
    public func restoreLink(of id: String) throws {
        do {
            try sandbox.world.update { world throws(Refusal) in
                try world.accessories.restoreLink(of: id, at: world.now)
            }
        } catch {
            throw Failure(description: error.message)
        }
    }

    /// The commands that an accessory received, in order.
    public func commands(of id: String) -> [String] { sandbox.world.read { $0.accessories.commands[id] ?? [] } }
}

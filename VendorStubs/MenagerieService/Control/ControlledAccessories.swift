extension SandboxControl {
    /// The link to an accessory is lost; the platform seeks it again, until it is told of ``restoreLink(of:)``.
    public func loseLink(of id: String) throws { try updateAccessory(id, state: .reconnecting) }

    /// The lost link is found: an accessory that was active is active again, in the place of another one too.
    public func restoreLink(of id: String) throws {
        do {
            try sandbox.world.update { world throws(Refusal) in
                try world.accessories.restoreLink(of: id, at: world.now)
            }
        } catch {
            throw Failure(description: error.message)
        }
    }

    /// What an accessory was told to do, in that order.
    public func commands(of id: String) -> [String] { sandbox.world.read { $0.accessories.commands[id] ?? [] } }
}

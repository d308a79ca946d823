extension SandboxControl {
    /// Changes an animal's kind to any text; has no effect if there is no such animal.
    public func setKind(_ kind: String, animal legacyID: Int) {
        sandbox.world.update { $0.animals.setKind(kind, of: legacyID) }
    }

    /// Adds an accessory in reach that is not linked, or changes an existing one, and notifies listeners.
    ///
    /// - Parameter battery: 0 to 100.
    /// - Returns: the accessory's state, and the time in milliseconds since 1970.
    @discardableResult
    public func putAccessory(
        _ id: String,
        name: String,
        battery: Int
    ) -> (state: AccessoryState, milliseconds: Int64) {
        sandbox.world.update { world in
            let now = world.now
            var accessory =
                world.accessories.accessory(id)
                ?? Accessory(id: id, name: name, nickname: "", state: .available, battery: battery, lastSeen: now)
            accessory.name = name
            accessory.battery = min(max(battery, 0), 100)
            accessory.lastSeen = now
            world.accessories.put(accessory)
            return (accessory.state, now.milliseconds)
        }
    }
}

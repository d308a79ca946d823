extension SandboxControl {
    /// Changes an animal's kind, to any text; nothing happens if there is no such animal.
    public func setKind(_ kind: String, animal legacyID: Int) {
        sandbox.world.update { $0.animals.setKind(kind, of: legacyID) }
    }

    /// An accessory is near, with these values: a new one, not linked, or a change of one that is there, and the listeners
    /// are told.
    ///
    /// - Parameter battery: 0 to 100.
    /// - Returns: its state, and the moment in milliseconds since 1970.
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

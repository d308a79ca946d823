extension SandboxControl {
    /// Changes an animal's kind, to any text; nothing happens if there is no such animal.
    public func setKind(_ kind: String, animal legacyID: Int) {
        sandbox.world.update { $0.animals.setKind(kind, of: legacyID) }
    }

    /// An accessory is near, with these values: a new one, not linked, or a change of one that is there, and the listeners
    /// are told.
    ///
    /// - Parameter battery: 0 to 100.
    public func putAccessory(_ id: String, name: String, battery: Int) {
        sandbox.world.update { world in
            var accessory =
                world.accessories.accessory(id)
                ?? Accessory(id: id, name: name, nickname: "", state: .available, battery: battery, lastSeen: world.now)
            accessory.name = name
            accessory.battery = min(max(battery, 0), 100)
            accessory.lastSeen = world.now
            world.accessories.put(accessory)
        }
    }
}

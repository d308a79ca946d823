#if Sandbox
extension V1API {
    var accessories: [Route] {
        [
            Route(
                "GET",
                "accessories",
                .listAccessories,
                keyed { _, _ in
                    sandbox.world.read { world in
                        .json([
                            "accessories": .array(
                                world.accessories.accessories.map {
                                    world.shown(Self.record(of: $0), of: .accessory($0.id))
                                }
                            ),
                            "next": .integer(world.accessories.log.last),
                        ])
                    }
                }
            ),
            Route(
                "POST",
                "accessories/{}/connect",
                .activateAccessory,
                keyed { _, id in
                    let accessory = try sandbox.world.update { world throws(Refusal) in
                        let accessory = try world.accessories.makeActive(id, at: world.now)
                        try world.accessories.abandonLostLinks()
                        return accessory
                    }
                    return .json(Self.record(of: accessory))
                }
            ),
            Route(
                "POST",
                "accessories/{}/command",
                .commandAccessory,
                keyed { call, id in
                    let command = try call.object().string("command")
                    let accessory = try sandbox.world.update { world throws(Refusal) in
                        try world.accessories.perform(command, on: id)
                    }
                    return .json(Self.record(of: accessory))
                }
            ),
            Route(
                "POST",
                "accessories/{}/nickname",
                .nameAccessory,
                keyed { call, id in
                    let nickname = try call.object().string("nickname")
                    let accessory = try sandbox.world.update { world throws(Refusal) in
                        try world.accessories.change(id) { $0.nickname = nickname }
                    }
                    return .json(Self.record(of: accessory))
                }
            ),
            Route(
                "POST",
                "accessories/{}/disconnect",
                .releaseAccessory,
                keyed { _, id in
                    let accessory = try sandbox.world.update { world throws(Refusal) in
                        let accessory = try world.accessories.existing(id)
                        guard accessory.state != .available else { return accessory }
                        return try world.accessories.change(id) { $0.state = .available }
                    }
                    return .json(Self.record(of: accessory))
                }
            ),
            Route(
                "GET",
                "accessories/poll",
                .accessoryEvents,
                reply: .late,
                keyed { call, _ in
                    let (after, timeout) = try Self.poll(call)
                    let (next, events) = try await sandbox.poll(\.accessories.log, after: after, timeout: timeout)
                    let records = events.map { event -> JSON in
                        switch event {
                        case .changed(let accessory): ["type": "accessory", "accessory": Self.record(of: accessory)]
                        case .removed(let id): ["type": "removed", "id": .string(id)]
                        }
                    }
                    return .json(["next": .integer(next), "events": .array(records)])
                }
            ),
        ]
    }

    /// Returns an ACCESSORY, in which a lost link counts as no link.
    private static func record(of accessory: Accessory) -> JSON {
        [
            "id": .string(accessory.id),
            "name": .string(accessory.name),
            "nickname": .string(accessory.nickname),
            "connected": .bool(accessory.isLinked),
            "active": .bool(accessory.state == .active),
            "battery": .number(Double(accessory.battery) / 100),
            "last_seen": .number(accessory.lastSeen.secondsSince2001),
        ]
    }
}
#endif

#if Sandbox
extension V2API {
    var accessories: [Route] {
        [
            Route(
                "GET",
                "accessories",
                .listAccessories,
                keyed { _, _ in
                    sandbox.world.read { world in
                        .json([
                            "items": .array(
                                world.accessories.accessories.map {
                                    world.shown(Self.record(of: $0), of: .accessory($0.id))
                                }
                            ),
                            "sequence": .integer(world.accessories.log.last),
                        ])
                    }
                }
            ),
            Route(
                "POST",
                "accessories/{}/link",
                .linkAccessory,
                change { accessory, store, moment throws(Refusal) in
                    guard accessory.state == .available else {
                        throw Refusal(.alreadyLinked, "the accessory is linked already")
                    }
                    return try store.change(accessory.id) { accessory in
                        accessory.state = .linked
                        accessory.lastSeen = moment
                    }
                }
            ),
            Route(
                "POST",
                "accessories/{}/activate",
                .activateAccessory,
                change { accessory, store, moment throws(Refusal) in
                    guard accessory.isLinked else { throw Refusal(.validation, "the accessory is not linked") }
                    guard accessory.state != .active else { return accessory }
                    guard store.active == nil else { throw Refusal(.anotherActive, "another accessory is active") }
                    return try store.makeActive(accessory.id, at: moment)
                }
            ),
            Route(
                "POST",
                "accessories/{}/deactivate",
                .deactivateAccessory,
                change { accessory, store, _ throws(Refusal) in
                    guard accessory.state == .active else { return accessory }
                    return try store.change(accessory.id) { $0.state = .linked }
                }
            ),
            Route(
                "POST",
                "accessories/{}/unlink",
                .releaseAccessory,
                change { accessory, store, _ throws(Refusal) in
                    guard accessory.state != .available else { return accessory }
                    return try store.change(accessory.id) { $0.state = .available }
                }
            ),
            Route(
                "POST",
                "accessories/{}/commands",
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
                "GET",
                "accessories/stream",
                .accessoryEvents,
                reply: .stream,
                keyed { _, _ in
                    sandbox.stream(
                        \.accessories.log,
                        opening: { [try serverSentEvent("ready", ["sequence": .integer($0.last)])] },
                        { sequence, event in
                            switch event {
                            case .changed(let accessory):
                                try serverSentEvent("accessory", id: sequence, Self.record(of: accessory))
                            case .removed(let id): try serverSentEvent("removed", id: sequence, ["id": .string(id)])
                            }
                        }
                    )
                }
            ),
        ]
    }

    /// Returns a handler that makes one change to an accessory.
    private func change(
        _ change: @escaping @Sendable (Accessory, inout AccessoryStore, Timestamp) throws(Refusal) -> Accessory
    ) -> Route.Handler {
        keyed { _, id in
            let accessory = try sandbox.world.update { world throws(Refusal) in
                let accessory = try world.accessories.existing(id)
                let moment = world.now
                return try change(accessory, &world.accessories, moment)
            }
            return .json(Self.record(of: accessory))
        }
    }

    /// Returns an ACCESSORY, without the nickname.
    private static func record(of accessory: Accessory) -> JSON {
        [
            "id": .string(accessory.id),
            "name": .string(accessory.name),
            "state": .string(accessory.state.rawValue),
            "battery": .integer(accessory.battery),
            "lastSeenAt": .integer(accessory.lastSeen.milliseconds),
        ]
    }
}
#endif

#if Sandbox
extension ControlAPI {
    /// Routes for changes that another client or the platform's staff would make.
    var data: [Route] { animals + others }

    private var animals: [Route] {
        [
            Route("POST", "animals", nil) { call, _ in
                let fields = try call.object()
                try fields.allow(["name", "germanName", "kind", "legs", "heads"])
                let ids = control.addAnimal(
                    name: try fields.string("name"),
                    kind: try fields.string("kind"),
                    legs: try Self.count(fields, "legs"),
                    heads: try Self.count(fields, "heads"),
                    germanName: try fields.optionalString("germanName")
                )
                return .json(["legacyId": .integer(ids.legacyID), "id": .string(ids.uuid)], status: 201)
            },
            Route("POST", "animals/many", nil) { call, _ in
                control.seedAnimals(try call.object().integer("count", within: 1...maximumAnimals))
                return .json(["animals": .integer(control.animalCount)])
            },
            Route("POST", "animals/{}/kind", nil) { call, id in
                control.setKind(try call.object().string("kind"), animal: try animal(id))
                return .nothing
            },
            Route("POST", "animals/{}/corruption", nil) { call, id in
                let fields = try call.object()
                guard case .altered(let corruption) = try Fault(fields) else {
                    throw fields.wrong("fault", "unknownField, missingField, nullField, wrongType or unknownValue")
                }
                control.corrupt(animal: try animal(id), corruption)
                return .nothing
            },
            Route("POST", "animals/{}/photo", nil) { call, id in
                let type = call.header("Content-Type") ?? "application/octet-stream"
                control.setPhoto(call.request.body, contentType: type, animal: try animal(id))
                return .nothing
            },
            Route("POST", "paging-quirk", nil) { call, _ in
                let fields = try call.object()
                try fields.allow(["operation", "quirk"])
                control.setPagingQuirk(
                    try fields.optionalChoice("quirk", of: PagingQuirk.self),
                    on: try fields.optionalChoice("operation", of: Operation.self) ?? .listAnimals
                )
                return .nothing
            },
        ]
    }

    private var others: [Route] {
        [
            Route("POST", "orders/{}", nil) { call, id in
                let status = try call.object().string("status")
                try refusing { try control.setStatus(status, order: id) }
                return .nothing
            },
            Route("POST", "messages", nil) { call, _ in
                let fields = try call.object()
                let (author, text) = (try fields.string("author"), try fields.string("text"))
                return .json(
                    ["id": .string(try refusing { try control.postMessage(author: author, text: text) })],
                    status: 201
                )
            },
            Route("DELETE", "messages/{}", nil) { _, id in
                try refusing { try control.deleteMessage(id) }
                return .nothing
            },
            Route("POST", "accessories/{}", nil) { call, id in
                let fields = try call.object()
                try fields.allow(["name", "battery", "state"])
                let battery = fields.value["battery"] == nil ? nil : try fields.integer("battery", within: 0...100)
                let state = try fields.optionalChoice("state", of: AccessoryState.self)
                if let name = try fields.optionalString("name") {
                    control.putAccessory(id, name: name, battery: battery ?? 100)
                }
                try refusing { try control.updateAccessory(id, battery: battery, state: state) }
                return .nothing
            },
            Route("POST", "accessories/{}/burst", nil) { call, id in
                let count = try call.object().integer("count", within: 1...100_000)
                try refusing { try control.burst(id, count: count) }
                return .nothing
            },
            Route("DELETE", "accessories/{}", nil) { _, id in
                try refusing { try control.removeAccessory(id) }
                return .nothing
            },
        ]
    }

    private static func count(_ fields: Fields, _ name: String) throws(Refusal) -> Int? {
        fields.value[name] == nil ? nil : try fields.integer(name, within: 0...Int(Int32.max))
    }

    private func animal(_ id: String) throws(Refusal) -> Int {
        guard let number = Int(id), control.ids(ofAnimal: number) != nil else {
            throw Refusal(.notFound, "no animal has that id")
        }
        return number
    }

    private func refusing<Result>(_ change: () throws -> Result) throws -> Result {
        do {
            return try change()
        } catch let failure as SandboxControl.Failure {
            throw Refusal(.validation, failure.description)
        }
    }
}
#endif

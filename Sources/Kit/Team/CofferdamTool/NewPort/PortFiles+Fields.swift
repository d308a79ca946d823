extension PortPlan {
    /// The fields of what an operation reads by an id that the entity holds: its stored properties, also those of the
    /// types that they have, whose kinds are known.
    struct EntityFields {
        var input: String
        var entity: String
        /// The property with the id.
        var id: String
        /// Each as the generated file writes it.
        var fields: [String]
        /// An ordinary entity for the variable `number`.
        var usual: String
    }

    /// Nil if the operation reads no such entity, or no field's kind is known.
    func entityFields(_ operation: Operation) -> EntityFields? {
        guard case .get(let input, let entity) = operation.shape, let use = types.find(entity) else { return nil }
        let key = operation.method.parameters[0].name
        guard let id = [key, "id"].first(where: { use.type.properties[$0]?.type == input }),
            let number = types.value(input, .index),
            let usual = types.value(entity, .index, fixed: (name: key, type: input, value: number))
        else { return nil }
        let fields = fields(of: entity, besides: id)
        return fields.isEmpty ? nil : EntityFields(input: input, entity: entity, id: id, fields: fields, usual: usual)
    }

    private func fields(of type: String, at path: String = "", besides id: String = "", depth: Int = 0) -> [String] {
        guard depth < 4, let use = types.find(type), !use.type.isEnumeration else { return [] }
        return use.type.properties.sorted { $0.key < $1.key }.flatMap { name, property -> [String] in
            guard property.isSettable, name != id, let type = property.type else { return [] }
            let place = "\(path)\(GeneratedNames.identifier(name))"
            if let kind = kind(of: type) { return ["Field(\"\(path)\(name)\", \\.\(place), \(kind))"] }
            return fields(of: type, at: place + ".", depth: depth + 1)
        }
    }

    /// The kind of a field's values; nil if the kit has none for the type.
    private func kind(of type: String, depth: Int = 0) -> String? {
        guard depth < 4 else { return nil }
        if types[type] == nil {
            switch type {
            case "String": return ".text"
            case "Bool": return ".flag"
            case "[UInt8]", "Data": return ".bytes"
            case "Date": return ".instant"
            case "Duration": return ".duration"
            case "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64":
                return ".integer(\(type).min...\(type).max)"
            default: break
            }
        }
        if let wrapped = DeclaredTypes.wrapped(type) {
            return kind(of: wrapped, depth: depth + 1).map { ".optional(\($0))" }
        }
        if let element = DeclaredTypes.element(type) {
            return kind(of: element, depth: depth + 1).map { ".list(\($0))" }
        }
        guard let use = types.find(type), use.type.isEnumeration, !use.type.hasPayloads, !use.type.cases.isEmpty else {
            return nil
        }
        let cases = use.type.cases.map { "\"\($0.filter { $0 != "`" })\": .\($0)" }
        return ".enumeration([\(cases.joined(separator: ", "))])"
    }

    /// The name of an operation's fields, beside the families of all operations.
    func fieldsName(_ operation: Operation) -> String {
        var name = operation.name + "Fields"
        while names.contains(name) { name += "_" }
        return GeneratedNames.identifier(name)
    }

    /// The function that makes an ordinary entity, beside the fixtures.
    func usualFixture(_ operation: Operation, _ fields: EntityFields) -> String {
        "  /// An ordinary value of `\(operation.name)` for each number, whose fields the rules then set.\n"
            + "  static func usual\(operation.title)(_ number: Int) -> \(fields.entity) {\n    \(fields.usual)\n  }\n"
    }

    /// The family that tries each value of each field.
    func fieldsFamily(_ operation: Operation) -> String? {
        guard let fields = entityFields(operation) else { return nil }
        let entries = fields.fields.map { "      \($0),\n" }.joined()
        return """
              static let \(fieldsName(operation)) = ShownFields<\(name)Subject, \(fields.input), \(fields.entity)>(
                fields: [
            \(entries)    ],
                shownBy: [.get(PortCall(\(name)Operations.\(identifier(operation)), at: .port))],
                id: \\.\(GeneratedNames.identifier(fields.id)),
                usual: \(name)Fixtures.usual\(operation.title),
                prepare: { _ in },
                hold: { subject, entities in
                  let samples = entities.map { GetSample($0.\(GeneratedNames.identifier(fields.id)), $0) }
                  try await subject.vendor.set\(operation.title)(samples)
                  return entities
                }
              )

            """
    }
}

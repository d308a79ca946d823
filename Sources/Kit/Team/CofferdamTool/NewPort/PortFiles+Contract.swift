extension PortPlan {
    // MARK: The subject

    var subjectText: String {
        imports([module, "CofferdamContracts"]) + """
            /// What a rule drives: the port, and the vendor behind it.
            \(access) struct \(name)Subject: Sendable {
              \(access) var port: any \(portType)
              \(access) var vendor: any \(name)Vendor

              \(access) init(port: any \(portType), vendor: any \(name)Vendor) {
                self.port = port
                self.vendor = vendor
              }
            }

            /// What a harness can do with the vendor behind an adapter. Before a real server, a `TestProxy` of the kit's
            /// `CofferdamStand` holds calls, loses answers and cuts streams: `new-port --proxy`.
            \(access) protocol \(name)Vendor: Sendable {

            """
            + vendorNeeds.map { "  /// \($0.comment)\n  func \($0.declaration)\n" }.joined(separator: "\n")
            + "}\n"
    }

    struct VendorNeed {
        var comment: String
        var signature: String
        var effects = "async throws"
        var result: String?
        /// The body, where a proxy before the vendor's server does it.
        var byProxy: String?

        /// The function as people write it: "setForecast(_:)".
        var call: String { signature.prefix { $0 != "(" } + (signature.hasSuffix("()") ? "()" : "(_:)") }

        var declaration: String { "\(signature) \(effects)" + (result.map { " -> \($0)" } ?? "") }
    }

    /// What a harness must do, in reading order.
    var vendorNeeds: [VendorNeed] { callNeeds + operations.flatMap(vendorNeeds) }

    private func vendorNeeds(_ operation: Operation) -> [VendorNeed] {
        let (title, name) = (operation.title, operation.name)
        switch operation.shape {
        case .get(let input, let entity):
            return [
                VendorNeed(
                    comment: "Empties the vendor, and stores these, which `\(name)` reads.",
                    signature: "set\(title)(_ samples: [GetSample<\(input), \(entity)>])"
                )
            ]
        case .list(let list):
            return [
                VendorNeed(
                    comment: "Empties the vendor, and stores these, which `\(name)` lists in this order.",
                    signature: "set\(title)(_ items: [\(list.item)])"
                ),
                VendorNeed(
                    comment:
                        "Gives the pages of `\(name)` that quirk. Does nothing if the vendor's pages never have one.",
                    signature: "set\(title)Quirk(_ quirk: PagingQuirk)"
                ),
                VendorNeed(
                    comment: "Makes the cursors of `\(name)` invalid. Does nothing if they do not expire.",
                    signature: "expire\(title)Cursors()"
                ),
            ]
        case .stream:
            return [
                VendorNeed(
                    comment: "Empties the vendor, before anything subscribes to `\(name)`.",
                    signature: "prepare\(title)()"
                ),
                VendorNeed(
                    comment: "Sends the event with that number, from 1 without gaps.",
                    signature: "send\(title)(_ number: Int)"
                ),
                VendorNeed(
                    comment: "Returns once exactly that many subscriptions are served.",
                    signature: "waitFor\(title)Subscribers(_ count: Int)",
                    byProxy: "try await proxy().waitForConnections(serving: request(of: \"\(name)\"), exactly: count)"
                ),
                VendorNeed(
                    comment: "Makes the incident happen to the streams that are being served.",
                    signature: "simulate\(title)(_ incident: StreamIncident)",
                    byProxy: """
                        let bytes = try bytes(at: incident, of: "\(name)")
                            try await proxy().simulate(incident, on: request(of: "\(name)"), sending: bytes)
                        """
                ),
                VendorNeed(
                    comment: "Serves the next stream with that fault.",
                    signature: "fault\(title)(_ fault: VendorFault)",
                    byProxy: "try proxy().inject(fault, on: request(of: \"\(name)\"))"
                ),
            ]
        case .own:
            return [
                VendorNeed(
                    comment: "Prepares the vendor so that an ordinary call of `\(name)` succeeds.",
                    signature: "prepare\(title)()"
                )
            ]
        }
    }

    // MARK: Fixtures

    var fixturesText: String {
        var entries: [String] = []
        let shapes = operations.map(\.shape)
        if shapes.contains(where: { if case .get = $0 { true } else { false } }) {
            entries.append(
                """
                  /// Whether this error of the port means that nothing was found. No error does yet.
                  static func isNotFound(_ error: any Error) -> Bool { false }

                """
            )
        }
        if shapes.contains(where: { if case .list = $0 { true } else { false } }) {
            entries.append(
                """
                  /// Whether this error of the port means that a cursor is invalid. No error does yet.
                  static func isInvalidCursor(_ error: any Error) -> Bool { false }

                """
            )
        }
        if shapes.contains(where: { if case .stream = $0 { true } else { false } }) {
            entries.append(
                """
                  /// Whether a stream ends with this error when its consumer is too far behind. No error does yet.
                  static func isOverflow(_ error: any Error) -> Bool { false }

                """
            )
        }
        entries += callFixtures + operations.flatMap(fixtures)
        return imports([], using: [module, "Cofferdam", "CofferdamContracts"])
            + "/// The data that the rules use, and how they recognise the port's errors.\n"
            + "enum \(name)Fixtures {\n"
            + entries.joined(separator: "\n")
            + "}\n"
    }

    private func fixtures(_ operation: Operation) -> [String] {
        switch operation.shape {
        case .get(let input, let entity):
            let key = operation.method.parameters[0]
            func sample(_ number: Int, _ sample: DeclaredTypes.Sample) -> String {
                let id = value(input, .number(number))
                let fixed = (name: key.name, type: input, value: id)
                return "    GetSample(\(id), \(types.value(entity, sample, fixed: fixed) ?? "")),\n"
            }
            return [
                "  /// What `\(operation.name)` reads: a value of zeros and empty texts, and an ordinary one.\n"
                    + "  static let \(samples(operation)): [GetSample<\(input), \(entity)>] = [\n"
                    + sample(1, .zero) + sample(2, .number(2)) + "  ]\n",
                "  /// What `\(operation.name)` does not find.\n"
                    + "  static let unknown\(operation.title): [\(input)] = [\(value(input, .number(3)))]\n",
                "  /// What a careless adapter makes up.\n"
                    + "  static let blank\(operation.title) = \(value(entity, .zero))\n",
            ].filter { !$0.isEmpty } + (entityFields(operation).map { [usualFixture(operation, $0)] } ?? [])
        case .list(let list):
            return [
                "  /// The item with that number, in the order of `\(operation.name)`.\n"
                    + "  static func \(samples(operation))(_ number: Int) -> \(list.item) {\n"
                    + "    \(value(list.item, .index))\n  }\n"
            ]
        case .stream(let event):
            return [
                "  /// The number of an event of `\(operation.name)`. No event has one yet.\n"
                    + "  static func number(of\(operation.title) event: \(event)) -> Int? { nil }\n"
            ]
        case .own:
            return operation.method.parameters.compactMap { parameter in
                guard needsFixture(parameter, of: operation) else { return nil }
                let function = fixtureName(parameter, of: operation)
                return "  /// What `\(operation.name)` is called with.\n"
                    + "  static func \(function)() throws -> \(parameter.type) {\n"
                    + "    throw \(notWritten("\(name)Fixtures.\(function)()"))\n  }\n"
            }
        }
    }

    private func value(_ type: String, _ sample: DeclaredTypes.Sample) -> String { types.value(type, sample) ?? "" }

    /// The name of an operation's samples, beside the fixtures of all operations.
    func samples(_ operation: Operation) -> String {
        let taken: Set = [
            "deadline", "isTimeout", "isOutcomeUnknown", "isClosed", "failure", "error", "faults", "isNotFound",
            "isInvalidCursor", "isOverflow", "number",
        ]
        return taken.contains(operation.name) ? operation.name + "Samples" : identifier(operation)
    }

    /// Whether the author must say what the operation is called with.
    func needsFixture(_ parameter: PortDeclaration.Parameter, of operation: Operation) -> Bool {
        guard case .own = operation.shape else { return false }
        return types.value(parameter.type, .number(1)) == nil
    }

    func fixtureName(_ parameter: PortDeclaration.Parameter, of operation: Operation) -> String {
        var name = operation.name + GeneratedNames.word(parameter.name.filter { $0 != "`" }).capitalizedFirst
        while names.contains(name) { name += "_" }
        return name
    }

    // MARK: Rules

    var rulesText: String {
        let families = operations.filter { if case .own = $0.shape { false } else { true } }
        let own = operations.filter { if case .own = $0.shape { true } else { false } }
        let mutated = own.filter { if case .stream = $0.method.result { false } else { true } }
        let subject = "\(name)Subject"
        func list(_ kind: String, _ ownText: String) -> String {
            let type = kind == "rules" ? "Rule" : "Mutant"
            let each = families.map { "    (\"\($0.name)\", \(name)Families.\(identifier($0)).\(kind)),\n" }.joined()
            let part = families.isEmpty ? "" : "\(type).each([\n\(each)  ])"
            let fields = families.filter { entityFields($0) != nil }
                .map { "\(name)Families.\(fieldsName($0)).\(kind)" }
            return "  \(access) static let \(kind): [\(type)<\(subject)>] =\n    "
                + ([part] + fields + callLists(kind) + [ownText]).filter { !$0.isEmpty }.joined(separator: " + ") + "\n"
        }
        let ownRules = own.isEmpty ? "" : "[\(own.map { "\(name)Own.\(identifier($0))" }.joined(separator: ", "))]"
        let ownMutants = mutated.map {
            "    failing(\(name)Operations.\(identifier($0)), \(name)Own.\(identifier($0)).id),\n"
        }
        var text = imports([module, "CofferdamContracts"], using: ["Cofferdam", table])
        text += "/// The contract of ``\(name)``.\n\(access) enum \(name)Rules {\n"
        text += list("rules", ownRules) + "\n"
        text += "  /// They show that each rule can fail.\n"
        text += list(
            "mutants",
            mutated.isEmpty ? (families.isEmpty && calls.isEmpty ? "[]" : "") : "[\n\(ownMutants.joined())  ]"
        )
        if !calls.isEmpty {
            text +=
                "\n  /// Every call but streams.\n"
                + "  \(access) static let calls: [AnyPortCall<\(subject)>] = \(name)AllCalls.all.map(\\.call)\n"
        }
        text += "}\n\n"
        text += """
            extension PortPlace<\(subject), any \(portType)> {
              static let port = Self(\\.port) { Intercepted($0, by: $1) }
            }

            """
        if !families.isEmpty {
            text += "\n/// The operations that the kit's rules check.\nprivate enum \(name)Families {\n"
            text +=
                families.flatMap { [family($0), fieldsFamily($0)].compactMap(\.self) }.joined(separator: "\n") + "}\n"
        }
        text += callsText
        if !own.isEmpty {
            text +=
                "\n/// The rules of single operations: at first, that an ordinary call succeeds.\nprivate enum \(name)Own {\n"
            text += own.enumerated().map { ownRule($1, number: $0 + 1) }.joined(separator: "\n") + "}\n"
        }
        if !mutated.isEmpty {
            text += """

                private struct \(name)Replaced: Error {}

                /// Fails in place of the operation.
                private func failing<Input, Output>(
                  _ operation: PortOperation<any \(portType), Input, Output>,
                  _ rule: RuleID
                ) -> Mutant<\(subject)> {
                  Mutant(rule, "fails in place of \\(operation.name)") { subject, effect in
                    PortPlace.port.replacing(operation, in: subject) { _, _ in
                      effect.occurred()
                      throw \(name)Replaced()
                    }
                  }
                }

                """
        }
        return text
    }

    private func family(_ operation: Operation) -> String {
        let entry = "\(name)Operations.\(identifier(operation))"
        let fixtures = "\(name)Fixtures"
        let title = operation.title
        let head = "  static let \(identifier(operation)) = "
        switch operation.shape {
        case .get(let input, let entity):
            return head + """
                GetOperation<\(name)Subject, \(input), \(entity)>(
                    call: PortCall(\(entry), at: .port),
                    errors: GetErrors(
                      isNotFound: \(fixtures).isNotFound,
                      decodingPath: { _ in nil },
                      withoutPath: { $0 }
                    ),
                    samples: { subject in
                      try await subject.vendor.set\(title)(\(fixtures).\(samples(operation)))
                      return \(fixtures).\(samples(operation))
                    },
                    unknown: { subject in
                      try await subject.vendor.set\(title)(\(fixtures).\(samples(operation)))
                      return \(fixtures).unknown\(title)
                    },
                    mistakes: GetMistakes(
                      fabricated: { _ in \(fixtures).blank\(title) },
                      losingZeros: { _ in \(fixtures).blank\(title) }
                    )
                  )

                """
        case .list(let list):
            let parameters = list.request.arguments(cursor: list.cursor.optional("query.cursor"), limit: "query.limit")
            let (items, next) = (
                argument(list.items, "page.items"), argument(list.next, list.cursor.optional("page.next"))
            )
            let fields = list.beginsWithItems ? "\(items), \(next)" : "\(next), \(items)"
            let cursor = list.cursor.text("input.\(list.request.cursor)")
            let inputs = "cursor: \(cursor), limit: input.\(list.request.limit)"
            return head + """
                ListOperation<\(name)Subject, \(list.item)>(
                    call: PortCall(
                      "\(operation.name)",
                      get: { subject in
                        { query in
                          let page = try await subject.port.\(operation.method.name)(\(parameters.joined(separator: ", ")))
                          return ListPage(items: page.\(list.items.name), next: \(list.cursor.text("page.\(list.next.name)")))
                        }
                      },
                      replace: { subject, list in
                        PortPlace.port.replacing(\(entry), in: subject) { _, input in
                          let page = try await list(ListQuery(\(inputs)))
                          return \(list.page)(\(fields))
                        }
                      }
                    ),
                    isInvalidCursor: \(fixtures).isInvalidCursor,
                    seed: { subject, count in
                      let items = (0..<count).map { \(fixtures).\(samples(operation))($0) }
                      try await subject.vendor.set\(title)(items)
                      return items
                    },
                    setQuirk: { try await $0.vendor.set\(title)Quirk($1) },
                    expireCursors: { try await $0.vendor.expire\(title)Cursors() }
                  )

                """
        case .stream(let event):
            return head + """
                StreamOperation<\(name)Subject, \(event)>(
                    stream: PortStream(\(entry), at: .port\(streamInput(operation))),
                    vendor: StreamOperation.Vendor(
                      prepare: { try await $0.vendor.prepare\(title)() },
                      send: { try await $0.vendor.send\(title)($1) },
                      waitForSubscribers: { try await $0.vendor.waitFor\(title)Subscribers($1) },
                      cause: { try await $0.vendor.simulate\(title)($1) },
                      inject: { try await $0.vendor.fault\(title)($1) }
                    ),
                    number: { \(fixtures).number(of\(title): $0) },
                    endsInOrder: false,
                    overflow: StreamOperation.Overflow(bound: 1024, isError: \(fixtures).isOverflow)
                  )

                """
        case .own: return ""
        }
    }

    /// What the rules subscribe with; empty for a stream without parameters.
    private func streamInput(_ operation: Operation) -> String {
        let values = operation.method.parameters.map { value($0.type, .number(1)) }
        guard values.count != 1 else { return ", input: { _ in \(values[0]) }" }
        return values.isEmpty ? "" : ", input: { _ in (\(values.joined(separator: ", "))) }"
    }

    private func argument(_ field: DeclaredTypes.Field, _ value: String) -> String {
        (field.label.map { "\($0): " } ?? "") + value
    }

    private func ownRule(_ operation: Operation, number: Int) -> String {
        let method = operation.method
        let arguments = method.parameters.map { parameter in
            let value =
                types.value(parameter.type, .number(1))
                ?? "\(name)Fixtures.\(fixtureName(parameter, of: operation))()"
            return (parameter.label.map { "\($0): " } ?? "") + value
        }
        let needsTry = method.parameters.contains { types.value($0.type, .number(1)) == nil }
        let call = "subject.port.\(method.name)(\(arguments.joined(separator: ", ")))"
        let id = "\(word.lowercased())/\(word.uppercased())-\(number < 10 ? "0" : "")\(number)"
        let prepare = "    try await subject.vendor.prepare\(operation.title)()\n"
        switch method.result {
        case .nothing, .value:
            let isValue = if case .value = method.result { true } else { false }
            return "  static let \(identifier(operation)) = Rule<\(name)Subject>(\n"
                + "    \"\(id)\",\n    \"A call of \(operation.name) succeeds\"\n  ) { subject, _ in\n" + prepare
                + "    \(isValue ? "_ = " : "")try await \(call)\n    return []\n  }\n"
        case .stream:
            return "  static let \(identifier(operation)) = Rule<\(name)Subject>(\n"
                + "    \"\(id)\",\n    \"A stream of \(operation.name) has a first event\",\n    level: .should\n"
                + "  ) { subject, context in\n" + prepare
                + "    let events = \(needsTry ? "try " : "")\(call)\n"
                + "    let hasBegun = try await context.within(\"the first of \(operation.name)\") {\n"
                + "      for try await _ in events { return true }\n      return false\n    }\n"
                + "    return hasBegun ? [] : [Violation(\"\(operation.name) ended before the first event\")]\n  }\n"
        }
    }
}

extension PortPlan {
    /// The port's name in ids: letters only.
    var word: String {
        let letters = name.filter { $0.isASCII && $0.isLetter }
        return letters.isEmpty ? "Port" : letters
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

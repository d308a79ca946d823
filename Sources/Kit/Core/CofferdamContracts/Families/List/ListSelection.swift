/// How a list is filtered or sorted, described for the rules LIST-08 and LIST-10.
public struct ListSelection<Subject: Sendable, Item: Sendable & Hashable>: Sendable {
    let call: PortCall<Subject, String, [Item]>
    let capability: CapabilityTag
    let arguments: [String]
    let selected: @Sendable (_ by: String, _ all: [Item]) -> [Item]
    let arrived: @Sendable (Subject) async throws -> [String]
    let pages: PortCall<Subject, SelectedQuery, ListPage<Item>>?

    /// Describes how the port filters or sorts the list.
    ///
    /// - Parameters:
    ///   - call: returns the whole list that an argument selects.
    ///   - pages: returns one page of a selection, or of the whole list; nil if there is none, and LIST-10 is then
    ///     not judged.
    ///   - capability: the capability of adapters that can select.
    ///   - arguments: arguments that select differently.
    ///   - selected: the items of the whole list that an argument selects, in order.
    ///   - arrived: returns the arguments that have reached the vendor, in order.
    public init(
        call: PortCall<Subject, String, [Item]>,
        pages: PortCall<Subject, SelectedQuery, ListPage<Item>>? = nil,
        capability: CapabilityTag = "listSelection",
        arguments: [String],
        selected: @escaping @Sendable (_ by: String, _ all: [Item]) -> [Item],
        arrived: @escaping @Sendable (Subject) async throws -> [String]
    ) {
        self.call = call
        self.pages = pages
        self.capability = capability
        self.arguments = arguments
        self.selected = selected
        self.arrived = arrived
    }

    func violations(_ subject: Subject, _ all: [Item], inOrder: Bool) async throws -> [Violation] {
        var findings = Findings()
        var answers: Set<AnyHashable> = []
        for argument in arguments {
            let items = try await call(subject, argument)
            answers.insert(inOrder ? AnyHashable(items) : AnyHashable(Set(items)))
            findings.expect(items, are: selected(argument, all), inOrder: inOrder, "\(call.name) by \(argument)")
            let arrived = try await arrived(subject)
            findings.expect(
                arrived.contains(argument),
                "\(call.name): \(argument) did not reach the vendor: \(arrived)"
            )
        }
        findings.expect(answers.count > 1, "\(call.name): all arguments select the same")
        return findings.violations
    }

    var mutants: [Mutant<Subject>] {
        [
            Mutant("LIST-08", "ignores the filter") { subject, effect in
                guard let first = arguments.first else { return subject }
                return call.replaced(in: subject) { clean, argument in
                    if argument != first { effect.occurred() }
                    return try await clean(first)
                }
            }
        ]
    }
}

/// The request for one page of a selected list.
public struct SelectedQuery: Sendable, Hashable {
    /// The argument by which the list is filtered or sorted; nil for the whole list.
    public var selection: String?
    /// The page of the selected list.
    public var page: ListQuery

    /// Asks for one page of a selection; nil selects the whole list.
    public init(_ selection: String?, _ page: ListQuery) {
        self.selection = selection
        self.page = page
    }
}

/// How a list is narrowed or sorted: what the rules LIST-08 and LIST-10 need to know of it.
public struct ListSelection<Subject: Sendable, Item: Sendable & Hashable>: Sendable {
    /// The whole list as an argument selects it.
    let call: PortCall<Subject, String, [Item]>
    /// What an adapter declares that can do it.
    let capability: CapabilityTag
    /// Arguments that select differently.
    let arguments: [String]
    /// What an argument makes of the whole list.
    let selected: @Sendable (_ by: String, _ all: [Item]) -> [Item]
    /// The arguments that have reached the vendor, in their order.
    let arrived: @Sendable (Subject) async throws -> [String]
    /// One page of the list as an argument selects it, or of the whole list; nil: LIST-10 is not judged.
    let pages: PortCall<Subject, SelectedQuery, ListPage<Item>>?

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

/// What one page of a selected list is asked by.
public struct SelectedQuery: Sendable, Hashable {
    /// What the list is narrowed or sorted by; nil: the whole list.
    public var selection: String?
    public var page: ListQuery

    public init(_ selection: String?, _ page: ListQuery) {
        self.selection = selection
        self.page = page
    }
}

/// One call of a port, whatever it is asked for and answers: for the rules that hold for every call.
public struct AnyPortCall<Subject: Sendable>: Sendable {
    /// Makes one attempt at the call.
    public typealias Perform = @Sendable () async throws -> any Sendable
    /// Replaces a call; receives the original one.
    package typealias Decoration = @Sendable (_ clean: @escaping Perform) async throws -> any Sendable

    /// As findings name it: "animals".
    public let name: String
    /// One attempt, as this subject makes it: performed again, it asks for the same, under the same key.
    let perform: @Sendable (_ of: Subject) -> Perform
    private let decorate: @Sendable (Subject, @escaping Decoration) -> Subject

    /// - Parameter input: what the call is always asked for.
    public init<Input: Sendable, Output: Sendable>(
        _ call: PortCall<Subject, Input, Output>,
        with input: Input
    ) {
        self.init(call) { _ in input }
    }

    /// Erases a call that takes no input.
    public init<Output: Sendable>(_ call: PortCall<Subject, Void, Output>) { self.init(call, with: ()) }

    /// - Parameter input: what this subject is asked for, made anew for each attempt: what creates something needs another
    ///   key each time.
    public init<Input: Sendable, Output: Sendable>(
        _ call: PortCall<Subject, Input, Output>,
        input: @escaping @Sendable (_ of: Subject) throws -> Input
    ) {
        name = call.name
        perform = { subject in
            let input = Result { try input(subject) }
            return { try await call(subject, try input.get()) }
        }
        decorate = { subject, decoration in
            call.replaced(in: subject) { clean, input in
                let answer = try await decoration { try await clean(input) }
                guard let answer = answer as? Output else { throw Deviation("an answer to another call") }
                return answer
            }
        }
    }

    /// A call that is no operation of its own, such as the first event of a stream; mutants leave it as it is.
    public init(_ name: String, perform: @escaping @Sendable (_ of: Subject) async throws -> any Sendable) {
        self.name = name
        self.perform = { subject in { try await perform(subject) } }
        decorate = { subject, _ in subject }
    }

    /// Makes an attempt.
    public func callAsFunction(_ subject: Subject) async throws -> any Sendable { try await perform(subject)() }

    /// The subject with another call in this one's place.
    package func decorated(in subject: Subject, by decoration: @escaping Decoration) -> Subject {
        decorate(subject, decoration)
    }
}

/// What a mutant throws where a careless adapter would show an error of its own.
struct Deviation: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

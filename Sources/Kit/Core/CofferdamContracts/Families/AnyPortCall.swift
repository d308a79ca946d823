/// A port's call with its input and output types erased, for the rules that hold for every call.
public struct AnyPortCall<Subject: Sendable>: Sendable {
    /// Makes one attempt at the call.
    package typealias Perform = @Sendable () async throws -> any Sendable
    /// Replaces a call; receives the original one.
    package typealias Decoration = @Sendable (_ clean: @escaping Perform) async throws -> any Sendable

    /// The call's name in findings: "animals".
    let name: String
    /// Returns one attempt by this subject. Performed again, it makes the same request, under the same key.
    let perform: @Sendable (_ of: Subject) -> Perform
    private let decorate: @Sendable (Subject, @escaping Decoration) -> Subject

    /// Erases a call that always gets the same input.
    ///
    /// - Parameter input: the input of every attempt.
    public init<Input: Sendable, Output: Sendable>(
        _ call: PortCall<Subject, Input, Output>,
        with input: Input
    ) {
        self.init(call) { _ in input }
    }

    /// Erases a call that takes no input.
    package init<Output: Sendable>(_ call: PortCall<Subject, Void, Output>) { self.init(call, with: ()) }

    /// Erases a call that gets a new input for each attempt.
    ///
    /// - Parameter input: returns an attempt's input. A call that creates something needs another key each time.
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

    /// Describes a call that is not itself an operation, such as reading a stream's first event; mutants leave it
    /// unchanged.
    package init(_ name: String, perform: @escaping @Sendable (_ of: Subject) async throws -> any Sendable) {
        self.name = name
        self.perform = { subject in { try await perform(subject) } }
        decorate = { subject, _ in subject }
    }

    /// Makes an attempt.
    @discardableResult
    public func callAsFunction(_ subject: Subject) async throws -> any Sendable { try await perform(subject)() }

    /// Returns the subject with this call replaced.
    package func decorated(in subject: Subject, by decoration: @escaping Decoration) -> Subject {
        decorate(subject, decoration)
    }
}

/// The error that a mutant throws where a careless adapter would throw its own.
struct Deviation: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A port's behaviour as a pure function.
///
/// Random programs of commands run against an adapter and against the model, and both must answer alike.
///
/// A model answers every command in every state: a command that cannot succeed has an answer too, such as "not found".
/// Commands and answers must not contain what the vendor chooses, such as an id or a date; name things by what the
/// program chose.
///
/// ```swift
/// struct StoreModel: StatefulModel {
///     enum Command: Hashable { case set(String, for: String), remove(String), get(String) }
///
///     let name = "store"
///     let initial: [String: String] = [:]
///     let observing = ["a", "b"].map(Command.get)
///     …
/// }
/// ```
public protocol StatefulModel<Subject>: Sendable {
    associatedtype Subject: Sendable
    associatedtype State: Sendable & Hashable
    associatedtype Command: Sendable & Hashable
    associatedtype Answer: Sendable & Hashable
    /// What the run of one program keeps: the subject, the vendor's ids, open streams.
    associatedtype Session: Sendable

    /// The model's name in findings: "orders".
    var name: String { get }

    /// The state in which every program begins.
    var initial: State { get }

    /// Commands that change nothing and run after each step, so that a wrong state is found where it arises.
    var observing: [Command] { get }

    /// Returns a random command for that state.
    func command(in state: State, using random: inout SeededGenerator) -> Command

    /// Returns the answer to the command in that state, and updates the state.
    func answer(to command: Command, in state: inout State) -> Answer

    /// Returns simpler commands that may fail for the same reason, the simplest first. Every call must use the same
    /// measure of simplicity, so that simplifying comes to an end.
    func simpler(than command: Command) -> [Command]

    /// Brings the vendor behind the subject to the initial state, whatever state it was in.
    func begin(_ subject: Subject, _ context: RuleContext) async throws -> Session

    /// Carries out the command. Return the port's own errors as answers; a thrown error counts as a disagreement.
    func perform(_ command: Command, in session: Session) async throws -> Answer

    /// Closes what the session has open, and returns once the vendor has registered that.
    func end(_ session: Session) async throws
}

extension StatefulModel {
    /// No commands.
    public var observing: [Command] { [] }
    /// No simpler commands.
    public func simpler(than command: Command) -> [Command] { [] }
    /// Does nothing.
    public func end(_ session: Session) async throws {}
}

/// What a port does, as a pure function: random programs of commands are run against an adapter and against this, and must
/// be answered alike.
///
/// A model answers every command in every state: a command that cannot succeed has an answer too, such as "not found". What
/// the vendor chooses, an id or a date, does not occur in commands and answers; name things by what the program chose.
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
    /// What one program's run remembers of the adapter: the subject, the vendor's ids, open streams.
    associatedtype Session: Sendable

    /// As findings name it: "orders".
    var name: String { get }

    /// The state in which every program begins.
    var initial: State { get }

    /// Commands that change nothing and are carried out after each step, so that a wrong state is found where it arises.
    var observing: [Command] { get }

    /// A command for that state, drawn by lot.
    func command(in state: State, using random: inout SeededGenerator) -> Command

    /// What the command is answered in that state, and what the state is then.
    func answer(to command: Command, in state: inout State) -> Answer

    /// Commands that are simpler and may fail for the same reason, the simplest first; each is simpler in the same sense
    /// than the one given, so that simplifying comes to an end.
    func simpler(than command: Command) -> [Command]

    /// Brings the vendor behind the subject to the initial state, whatever was before.
    func begin(_ subject: Subject, _ context: RuleContext) async throws -> Session

    /// Carries out the command. What the port answers by an error of its own is an answer; an error thrown is a
    /// disagreement.
    func perform(_ command: Command, in session: Session) async throws -> Answer

    /// Ends what the session has open, and returns when the vendor knows of it.
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

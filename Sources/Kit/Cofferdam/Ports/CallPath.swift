/// Leads the calls of a route to its sides. Without type parameters, because calls through a protocol are not
/// specialized and would look up their types each time.
@usableFromInline
package protocol CallPath: AnyObject, Sendable {
    /// Makes an attempt at a call, on one side.
    ///
    /// - Parameter cursor: replaces the one of the input; nil leaves the input as it is.
    typealias Attempting = (_ side: Side, _ cursor: String?) async throws -> Void

    /// Starts the comparison of a call's first attempt, in a task of its own.
    ///
    /// - Parameter error: what the attempt threw; nil if it returned.
    typealias Comparing = (_ comparison: any CallComparison, _ error: (any Error)?) -> Void

    /// Makes a call: one attempt, or a second one on the other side.
    ///
    /// - Returns: the side that answered, in its last attempt.
    /// - Throws: what an attempt threw, or why there was none.
    func lead(
        _ operation: borrowing OperationTraits,
        _ cursor: CallCursor?,
        _ attempt: Attempting,
        comparing: Comparing
    ) async throws -> Side

    /// The cursor with the mark of its side; nil if it needs none.
    func marked(_ cursor: String, of side: Side) -> String?
}

/// Where a call continues in a list.
@usableFromInline
package struct CallCursor {
    package let text: String
    /// The port's error for a cursor that no side accepts any more.
    package let invalid: @Sendable (_ cursor: String) -> any Error

    @usableFromInline
    init(_ text: String, invalid: @escaping @Sendable (String) -> any Error) {
        (self.text, self.invalid) = (text, invalid)
    }
}

/// Compares the answers of both sides to a call.
@usableFromInline
package protocol CallComparison: Sendable {
    /// Runs the comparison.
    var executor: (any TaskExecutor)? { get }

    /// Waits for its turn, asks the other side and reports how the answers compare.
    ///
    /// - Parameter first: the answer of the side that was asked first.
    func run<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ first: Result<Output, any Error>,
        _ ports: SidePorts<Port>
    ) async
}

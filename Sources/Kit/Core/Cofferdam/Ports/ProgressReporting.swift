/// How a call reports its progress to a callback in its input.
///
/// One call may make several attempts: on the other side, or in the shadow. The caller's callback gets the progress of
/// only one of them, and none after the call has ended.
public struct ProgressReporting<Input: Sendable, Output: Sendable>: Sendable {
    /// Begins one call.
    let begin: @Sendable (Input) -> Session

    /// - Parameter begin: makes the input whose callback is guarded, for one call.
    public init(_ begin: @escaping @Sendable (Input) -> Session) { self.begin = begin }

    /// The input for attempts whose progress the caller must not get.
    package func muted(_ input: Input) -> Input {
        let session = begin(input)
        session.end()
        return session.input
    }

    /// One call's progress.
    public struct Session: Sendable {
        let input: Input
        let finish: @Sendable (Output) -> Void
        let end: @Sendable () -> Void

        /// - Parameters:
        ///   - input: the input, with a callback that passes on only what the caller should get.
        ///   - finish: called when the call has its answer.
        ///   - end: called when the call is over, with or without an answer: the callback must be silent from then on.
        ///     May be called twice.
        public init(
            input: Input,
            finish: @escaping @Sendable (Output) -> Void = { _ in },
            end: @escaping @Sendable () -> Void
        ) {
            self.input = input
            self.finish = finish
            self.end = end
        }
    }
}

/// The error of a part that `new-port` has generated and that is still to be written.
///
/// A test of the contract reports each such part once, with its step, and not again for each rule that needs it.
public struct NotWritten: Error, Sendable, Hashable, CustomStringConvertible {
    /// The part: "V1Weather.forecast(_:)".
    public let what: String
    /// The number of the part in the order in which to write them, from 1; nil for a part without an order.
    public let step: Int?

    /// Notes the part in the running case.
    public init(_ what: String, step: Int? = nil) {
        (self.what, self.step) = (what, step)
        if let met = Self.met { met.add(self) }
    }

    /// "step 3: V1Weather.forecast(_:) is not written yet".
    public var description: String { "\(step.map { "step \($0): " } ?? "")\(what) is not written yet" }

    /// The parts that a case has met, and whose errors it may have taken for the port's own.
    package final class Met: Sendable {
        private let parts = Mutex<[NotWritten]>([])

        package init() {}

        fileprivate func add(_ part: NotWritten) { parts.withLock { $0.append(part) } }

        /// The part to write first.
        package var first: NotWritten? { parts.withLock { $0.min { ($0.step ?? .max) < ($1.step ?? .max) } } }
    }

    @TaskLocal package static var met: Met?
}

/// What the service does in the place of a proper answer, or before it.
///
/// Beware with ``reset`` and ``commitThenCut``: libcurl repeats a call by itself, a POST too, if a connection it has used
/// before closes without an answer. The service counts both calls, and the second is out of the fault's reach.
public enum Fault: Sendable, Hashable {
    /// That status, with an error body as the request's API has it. v1 has no 403: it answers 401 with code 4013.
    ///
    /// `retryAfter` is in the header `Retry-After` (v1) or in the body's `retryAt` (v2).
    case status(Int, retryAfter: Duration? = nil)
    /// 200 with an HTML page.
    case html
    /// 200, said to be JSON, but none.
    case garbage
    /// The proper answer, whose second half is missing when the connection closes.
    case truncated
    /// The connection closes without an answer, and nothing is done.
    case reset
    /// No answer until ``SandboxControl/releaseHeld()`` or a reset, or until the client goes away; then the proper one.
    /// A stream of events is opened, but silent.
    case hold
    /// The proper answer after that time.
    case delay(Duration)
    /// What was asked is done, but the connection closes without an answer.
    case commitThenCut
}

/// What is wrong with an animal's record. Fields are named `id`, `name`, `kind`, `legs`, `heads`.
public enum Corruption: Sendable, Hashable {
    case extraField
    case missing(String)
    case null(String)
    case wrongType(String)

    /// The record as it is shown.
    func applied(to record: JSON) -> JSON {
        guard case .object(var members) = record else { return record }
        switch self {
        case .extraField: members["moonPhase"] = ["waxing": .bool(true)]
        case .missing(let field): members[field] = nil
        case .null(let field): members[field] = .null
        case .wrongType(let field):
            if case .string? = members[field] {
                members[field] = .integer(42)
            } else {
                members[field] = "not a number"
            }
        }
        return .object(members)
    }
}

/// The faults that are still to come.
struct FaultPlan: Sendable {
    private struct Armed: Sendable {
        let fault: Fault
        var skips: Int
        var times: Int
    }

    private var armed: [Operation: [Armed]] = [:]
    /// Grows with each release: calls that are held since before go on.
    var releases = 0
    /// How many calls are held now.
    var held = 0

    mutating func inject(_ fault: Fault, on operation: Operation, times: Int, after skips: Int) {
        guard times > 0 else { return }
        armed[operation, default: []].append(Armed(fault: fault, skips: max(0, skips), times: times))
    }

    /// The fault of this call, if it is to have one: those of an operation are used up one after the other.
    mutating func take(for operation: Operation) -> Fault? {
        guard var queue = armed[operation], !queue.isEmpty else { return nil }
        defer { armed[operation] = queue }
        if queue[0].skips > 0 {
            queue[0].skips -= 1
            return nil
        }
        let fault = queue[0].fault
        queue[0].times -= 1
        if queue[0].times == 0 { queue.removeFirst() }
        return fault
    }

    mutating func clear() { armed = [:] }
}

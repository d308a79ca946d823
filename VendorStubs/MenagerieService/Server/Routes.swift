#if Sandbox
/// An API of the service.
protocol API: Sendable {
    var routes: [Route] { get }

    /// Returns a refusal in the API's format.
    func answer(refusing refusal: Refusal, to call: Call) -> Answer
}

/// Answers the calls of one method and one path pattern.
struct Route: Sendable {
    typealias Handler = @Sendable (_ call: Call, _ id: String) async throws -> Answer

    enum Reply: Sendable {
        case prompt
        /// The handler may take long, and ends when the client disconnects.
        case late
        /// The answer is a stream of events.
        case stream
    }

    let method: String
    /// The path pattern; `{}` matches any one component.
    let pattern: [String]
    /// The operation that the call counts as; nil for the control interface.
    let operation: @Sendable (Call) -> Operation?
    let reply: Reply
    let handler: Handler

    init(
        _ method: String,
        _ pattern: String,
        _ operation: Operation?,
        reply: Reply = .prompt,
        _ handler: @escaping Handler
    ) {
        self.init(method, pattern, operation: { _ in operation }, reply: reply, handler)
    }

    init(
        _ method: String,
        _ pattern: String,
        operation: @escaping @Sendable (Call) -> Operation?,
        reply: Reply = .prompt,
        _ handler: @escaping Handler
    ) {
        self.method = method
        self.pattern = Call.segments(of: pattern)
        self.operation = operation
        self.reply = reply
        self.handler = handler
    }

    private func fits(_ segments: [String]) -> Bool {
        segments.count == pattern.count && zip(pattern, segments).allSatisfy { $0 == "{}" || $0 == $1 }
    }

    func answer(_ call: Call) async throws -> Answer {
        let id = zip(pattern, call.segments).first { $0.0 == "{}" }?.1
        return try await handler(call, id ?? "")
    }

    /// Returns the route for a call.
    static func matching(_ call: Call, in routes: [Route]) throws(Refusal) -> Route {
        let candidates = routes.filter { $0.fits(call.segments) }
        guard !candidates.isEmpty else { throw Refusal(.notFound, "no such address") }
        guard let route = candidates.first(where: { $0.method == call.request.method }) else {
            throw Refusal(.methodNotAllowed, "the address does not accept \(call.request.method)")
        }
        return route
    }
}
#endif

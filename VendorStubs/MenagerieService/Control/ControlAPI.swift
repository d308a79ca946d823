#if Sandbox
/// The control interface over HTTP, for a service in another process. Errors have v2's format; no key is needed.
struct ControlAPI: API {
    let control: SandboxControl

    var routes: [Route] { running + requests + data }

    func answer(refusing refusal: Refusal, to call: Call) -> Answer {
        V2API(sandbox: control.sandbox).answer(refusing: refusal, to: call)
    }

    private static let maximumAdvance = 100 * 365 * 86_400

    private var running: [Route] {
        [
            Route("POST", "reset", nil) { call, _ in
                let fields = call.request.body.isEmpty ? nil : try call.object()
                control.reset(baseline: try fields?.optionalChoice("baseline", of: Baseline.self) ?? .seeded)
                return .nothing
            },
            Route("POST", "expire-tokens", nil) { _, _ in
                control.expireAccessTokens()
                return .nothing
            },
            Route("POST", "revoke-sessions", nil) { _, _ in
                control.revokeSessions()
                return .nothing
            },
            Route("POST", "expire-cursors", nil) { _, _ in
                control.expireCursors()
                return .nothing
            },
            Route("POST", "clock", nil) { call, _ in
                let seconds = try call.object().integer(
                    "advanceSeconds",
                    within: -Self.maximumAdvance...Self.maximumAdvance
                )
                control.advanceClock(by: .seconds(seconds))
                let now = control.sandbox.world.read(\.now)
                return .json(["now": .string(now.rfc3339())])
            },
            Route("GET", "state", nil) { _, _ in
                .json([
                    "now": .string(control.sandbox.world.read(\.now).rfc3339()),
                    "animals": .integer(control.animalCount),
                    "held": .integer(control.held),
                    "delayed": .integer(control.delayed),
                    "messageListeners": .integer(control.subscribers(of: .messages)),
                    "accessoryListeners": .integer(control.subscribers(of: .accessories)),
                ])
            },
        ]
    }

    private var requests: [Route] {
        [
            Route("GET", "calls", nil) { call, _ in
                let major = try Self.choice(call, "api", of: Major.self)
                let counts = Operation.allCases.map {
                    ($0.rawValue, JSON.integer(control.calls(of: $0, via: major)))
                }
                return .json([
                    "calls": .object(Dictionary(uniqueKeysWithValues: counts)), "total": .integer(control.totalCalls),
                ])
            },
            Route("GET", "requests", nil) { call, _ in
                guard let operation = try Self.choice(call, "operation", of: Operation.self) else {
                    throw Refusal(.badRequest, "expected operation=NAME", field: "operation")
                }
                let requests = control.requests(of: operation).map(control.sandbox.echo)
                return .json(["requests": .array(requests)])
            },
            Route("POST", "fingerprint", nil) { call, _ in
                .json(["fingerprint": .string(control.fingerprint(of: try call.object().string("secret")))])
            },
            Route("POST", "faults", nil) { call, _ in
                let fields = try call.object()
                try fields.allow(Self.faultMembers)
                guard let operation = try fields.optionalChoice("operation", of: Operation.self) else {
                    throw fields.wrong("operation", "an operation")
                }
                control.inject(
                    try Fault(fields),
                    on: operation,
                    via: try fields.optionalChoice("api", of: Major.self),
                    times: try fields.integer("times", within: 1...Int(Int32.max), default: 1),
                    after: try fields.integer("after", within: 0...Int(Int32.max), default: 0),
                    probability: try fields.optionalNumber("probability", within: 0...1) ?? 1
                )
                return .nothing
            },
            Route("DELETE", "faults", nil) { _, _ in
                control.clearFaults()
                return .nothing
            },
            Route("POST", "release", nil) { _, _ in
                control.releaseHeld()
                return .nothing
            },
        ]
    }

    private static let faultMembers: Set = [
        "fault", "operation", "api", "times", "after", "probability", "status", "retryAfterSeconds",
        "retryDateAfterSeconds", "retryAfterText", "to", "bytes", "field", "ending", "afterBytes", "by", "seconds",
        "medianSeconds", "sigma", "pauseSeconds", "coding",
    ]

    /// A query parameter with a fixed set of values.
    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ call: Call,
        _ name: String,
        of type: Choice.Type
    ) throws(Refusal) -> Choice? {
        guard let text = call.parameter(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal(.badRequest, "expected one of \(names)", field: name)
        }
        return choice
    }
}
#endif

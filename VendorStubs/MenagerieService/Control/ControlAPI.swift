/// The control interface over HTTP, for a service in another process. Errors are as v2's; it needs no key.
struct ControlAPI: API {
    let control: SandboxControl

    var routes: [Route] {
        [
            Route("POST", "reset", nil) { call, _ in
                let name = call.request.body.isEmpty ? nil : try call.object().optionalString("baseline")
                guard let baseline = Baseline(rawValue: name ?? "seeded") else {
                    throw Refusal(.validation, "expected seeded or empty", field: "baseline")
                }
                control.reset(baseline: baseline)
                return .nothing
            },
            Route("GET", "calls", nil) { _, _ in
                let counts = Operation.allCases.map { ($0.rawValue, JSON.integer(control.calls(of: $0))) }
                return .json(["calls": .object(Dictionary(uniqueKeysWithValues: counts))])
            },
            Route("POST", "expire-tokens", nil) { _, _ in
                control.expireAccessTokens()
                return .nothing
            },
            Route("POST", "clock", nil) { call, _ in
                let seconds = try call.object().integer("advanceSeconds")
                guard (-Self.furthest...Self.furthest).contains(seconds) else {
                    throw Refusal(.validation, "at most a hundred years", field: "advanceSeconds")
                }
                control.advanceClock(by: .seconds(seconds))
                let now = control.sandbox.world.read(\.now)
                return .json(["now": .string(now.rfc3339())])
            },
        ]
    }

    private static let furthest: Int64 = 100 * 365 * 86_400

    func answer(refusing refusal: Refusal, to call: Call) -> Answer {
        V2API(sandbox: control.sandbox).answer(refusing: refusal, to: call)
    }
}

#if Sandbox
import HTTPTypes

/// The platform's first API: snake_case, offsets, whole numbers for money, long polls.
struct V1API: API {
    let sandbox: Sandbox

    var routes: [Route] { catalogue + account + orders + messages + accessories }

    /// Returns a refusal in v1's format. v1 uses 401 where others use 403.
    func answer(refusing refusal: Refusal, to call: Call) -> Answer {
        let (status, code) = refusal.status == 403 ? (401, 4013) : (refusal.status, refusal.status * 10)
        var answer = Answer.json(
            [
                "error": .members([
                    "code": .integer(code),
                    "message": .string(refusal.message),
                    "field": refusal.field.map(JSON.string),
                ])
            ],
            status: status
        )
        if let retryAfter = refusal.retryAfter {
            answer.headers.append((.retryAfter, String((retryAfter.milliseconds + 999) / 1000)))
        }
        return answer
    }

    /// Returns a handler that requires the key.
    func keyed(_ handler: @escaping Route.Handler) -> Route.Handler {
        { call, id in
            try call.checkKey()
            return try await handler(call, id)
        }
    }

    /// Returns a handler that requires the key and a token.
    func signedIn(_ handler: @escaping @Sendable (Call, String, User) async throws -> Answer) -> Route.Handler {
        keyed { call, id in
            let token = try call.bearerToken()
            let user = try sandbox.world.read { world throws(Refusal) in
                try world.sessions.user(legacyToken: token, at: world.now)
            }
            return try await handler(call, id, user)
        }
    }

    /// Returns the page of a list selected by `offset` and `limit`.
    static func page<List: RandomAccessCollection>(
        of list: List,
        for call: Call
    ) throws(Refusal) -> List.SubSequence {
        let offset = try call.integer("offset", default: 0, atLeast: 0)
        let limit = try call.integer("limit", default: 1000, atLeast: 1)
        return list.dropFirst(offset).prefix(min(limit, 1000))
    }

    /// Returns a long poll's parameters.
    static func poll(_ call: Call) throws(Refusal) -> (after: Int?, timeout: Duration) {
        let after = call.parameter("after") == nil ? nil : try call.integer("after", default: 0, atLeast: 0)
        return (after, .seconds(min(try call.integer("timeout", default: 25, atLeast: 0), 60)))
    }
}

extension Call {
    /// Checks the key, which identifies the calling app.
    func checkKey() throws(Refusal) {
        guard let key = header("X-Menagerie-Key"), !key.isEmpty else {
            throw Refusal(.badRequest, "the header X-Menagerie-Key is missing")
        }
    }
}
#endif

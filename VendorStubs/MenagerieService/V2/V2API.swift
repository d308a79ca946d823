#if Sandbox
/// The platform's second API: camelCase, cursors, decimals for money, server-sent events.
struct V2API: API {
    let sandbox: Sandbox

    var routes: [Route] { catalogue + pictures + account + orders + messages + accessories }

    func answer(refusing refusal: Refusal, to call: Call) -> Answer {
        let language = Language(acceptLanguage: call.header("Accept-Language"))
        let retryAt = refusal.retryAfter.map { after in
            JSON.string(sandbox.world.read { $0.now + after }.rfc3339())
        }
        return .json(
            [
                "error": .members([
                    "code": .string(refusal.code),
                    "message": .string(refusal.message(in: language)),
                    "field": refusal.field.map(JSON.string),
                    "retryAt": retryAt,
                ])
            ],
            status: refusal.status
        )
    }

    /// Returns a handler that requires the key.
    func keyed(_ handler: @escaping Route.Handler) -> Route.Handler {
        { call, id in
            try call.checkKey()
            return try await handler(call, id)
        }
    }

    /// Returns a handler that requires the key and an access token.
    func signedIn(_ handler: @escaping @Sendable (Call, String, User) async throws -> Answer) -> Route.Handler {
        keyed { call, id in
            let token = try call.bearerToken()
            let user = try sandbox.world.read { world throws(Refusal) in
                try world.sessions.user(accessToken: token, at: world.now)
            }
            return try await handler(call, id, user)
        }
    }

    /// Returns the page of a list selected by `cursor` and `limit`.
    ///
    /// - Parameters:
    ///   - name: the list of the cursors; the name of a user's own list contains the user.
    ///   - shifts: whether pages overlap when the list has grown.
    func page<List: RandomAccessCollection<Element> & Sendable, Element: Sendable>(
        _ name: String,
        quirk operation: Operation,
        for call: Call,
        shifts: Bool = false,
        of list: (World) -> List,
        _ record: @Sendable (Element, World) -> JSON
    ) throws(Refusal) -> Answer where List.Index == Int {
        let limit = min(try call.integer("limit", default: 50, atLeast: 1), PagingState.largestPage)
        return try sandbox.world.update { world throws(Refusal) in
            let elements = list(world)
            let page = try world.paging.page(
                of: name,
                after: call.parameter("cursor"),
                limit: limit,
                count: elements.count,
                shifts: shifts,
                quirk: world.paging.quirks[operation],
                checksum: sandbox.checksum,
                at: world.now
            )
            return .json(
                .members([
                    "items": .array(elements[page.range].map { record($0, world) }),
                    "nextCursor": page.nextCursor.map(JSON.string),
                ])
            )
        }
    }
}

extension Refusal {
    /// The error code in v2.
    fileprivate var code: String {
        switch reason {
        case .badRequest: "bad_request"
        case .invalidCursor: "invalid_cursor"
        case .unauthenticated: "unauthenticated"
        case .tokenExpired: "token_expired"
        case .tokenReused: "token_reused"
        case .forbidden: "forbidden"
        case .signatureExpired: "signature_expired"
        case .notFound: "not_found"
        case .methodNotAllowed: "method_not_allowed"
        case .conflict: "conflict"
        case .alreadyLinked: "already_linked"
        case .anotherActive: "another_active"
        case .tooLarge: "too_large"
        case .validation: "validation"
        case .rateLimited: "rate_limited"
        case .unavailable: "unavailable"
        case .status(let status): status == 500 ? "internal" : "status_\(status)"
        }
    }

    fileprivate func message(in language: Language) -> String {
        switch language {
        case .english: message
        case .german: germanMessage
        }
    }

    private var germanMessage: String {
        switch reason {
        case .badRequest: "Die Anfrage ist fehlerhaft."
        case .invalidCursor: "Die Listenposition ist ungültig oder abgelaufen."
        case .unauthenticated: "Nicht angemeldet."
        case .tokenExpired: "Die Anmeldung ist abgelaufen."
        case .tokenReused: "Die Anmeldung wurde doppelt erneuert und ist widerrufen."
        case .forbidden: "Das ist nicht erlaubt."
        case .signatureExpired: "Die Adresse ist abgelaufen."
        case .notFound: "Das gibt es nicht."
        case .methodNotAllowed: "Das geht an dieser Adresse nicht."
        case .conflict: "Das gibt es schon."
        case .alreadyLinked: "Das Gerät ist schon verbunden."
        case .anotherActive: "Ein anderes Gerät ist aktiv."
        case .tooLarge: "Die Anfrage ist zu groß."
        case .validation: "Eine Angabe ist ungültig."
        case .rateLimited: "Zu viele Anfragen."
        case .unavailable: "Der Dienst ist gerade nicht erreichbar."
        case .status(let status): "Fehler \(status)."
        }
    }
}
#endif

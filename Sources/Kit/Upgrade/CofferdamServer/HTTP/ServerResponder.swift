#if Server
import Cofferdam
import CofferdamUpgrade
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The parts that the routes share.
struct ServerParts: Sendable {
    let configuration: ControlPlaneConfiguration
    /// The ownership of the database, until the server is stopped.
    let ownership: FileOwnership
    let log: SQLiteUpgradeLog
    let readiness: Readiness
    let upgrades: [String: HostedUpgrade]
    let hub: StageHub
    let connections: OpenConnections
    let publicHost: PublicHost
    let intake: EvidenceIntake
    let enrolments: Enrolments
    let reports: TeamReports
    let history: EvidenceHistory
    let refusals: RefusalLog
    let metrics: ServerMetrics
    /// This server's counts, for the others; nil for a single server.
    let sharedCounts: SharedCounts?
    let live = LiveUpdates()
    let posts = DevicePosts()
    let logger: Logger
    /// The time since the server was created.
    let elapsed: @Sendable () -> Duration
    /// Returns after that time.
    let sleep: @Sendable (Duration) async throws -> Void

    func upgrade(_ name: String) throws(HTTPRefusal) -> HostedUpgrade {
        guard let upgrade = upgrades[name] else {
            let names = upgrades.keys.sorted().joined(separator: ", ")
            let asked = name.plain(100)
            throw HTTPRefusal(.notFound, "unknownCapability", "there is no upgrade \"\(asked)\"; there are: \(names)")
        }
        return upgrade
    }

    /// The upgrade's status, with the devices that follow this server.
    ///
    /// - Parameter count: as of ``HostedUpgrade/status(history:)``.
    func status(of upgrade: HostedUpgrade, history count: Int? = nil) async throws -> HostedUpgrade.Status {
        var status = try await upgrade.status(history: count)
        guard upgrade.evidence.isPosted else { return status }
        let now = configuration.now()
        let isRecent = status.entries.first.map { now - $0.request.at < Self.recent } ?? false
        status.document.connected = hub.connected(of: upgrade.name, isRecent: isRecent)
        status.document.news = posts.news(of: upgrade.name, at: now)
        return status
    }

    /// How long a device that has been sent a change is waited for: longer than a poll, in milliseconds.
    private static let recent: Int64 = 120_000
}

/// A route: a method and a path, and the right that they need.
struct ServerRoute: Sendable {
    typealias Work = @Sendable (_ call: Call, _ body: [UInt8], _ request: Request) async throws -> Reply

    /// The name in logs and metrics: "GET /v1/capabilities/{name}".
    let name: String
    let method: HTTPRequest.Method
    /// The components of the path; nil matches any.
    let path: [String?]
    /// The right that a request needs; nil if the route is open to everyone.
    let right: ServerRole.Right?
    /// Whether it is for browsers, which may send the token as a password, and send and receive forms and pages.
    var isPage = false
    /// Whether it tells an orchestrator about the server itself.
    var isHealth = false
    /// Whether it can stop an upgrade.
    var isStop = false
    /// The maximum size of the body, in bytes; nil for the server's default.
    var maxBody: Int?
    let work: Work

    var takesBody: Bool { method == .post || method == .put }

    /// `HEAD` is answered as `GET`; the connection drops the body.
    func answers(_ method: HTTPRequest.Method) -> Bool {
        method == self.method || (method == .head && self.method == .get)
    }

    func matches(_ path: [String]) -> Bool {
        path.count == self.path.count && zip(path, self.path).allSatisfy { $1 == nil || $0 == $1 }
    }
}

/// Admits requests by their address, their token and its role, and answers them.
struct ServerResponder: HTTPResponder {
    let parts: ServerParts
    let routes: [ServerRoute]
    private let addresses: RateLimiter
    private let tokens: RateLimiter
    /// Limits the audit entries of requests without a valid token, so that a flood does not displace other entries.
    private let unauthenticatedLimiter = RateLimiter(
        RequestRate(perSecond: 1, burst: 20),
        key: IPAddress.bucket
    )

    /// Limits the lines in the log for each route, so that a flood of requests that fail does not fill it.
    private let failures = RateLimiter(RequestRate(perSecond: 1, burst: 5))

    init(_ parts: ServerParts) {
        self.parts = parts
        routes =
            DeviceRoutes(parts: parts).routes + OperatorRoutes(parts: parts).routes
            + ReportRoutes(parts: parts).routes + ConsoleRoutes(parts: parts).routes
            + PageRoutes(parts: parts).routes
        addresses = RateLimiter(parts.configuration.addressRate, key: IPAddress.bucket)
        tokens = RateLimiter(parts.configuration.tokenRate)
    }

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        let proxies = parts.configuration.trustedProxies
        var call = Call(request, address: proxies.client(of: context.address, request.headers))
        let route = routes.first { $0.answers(call.method) && $0.matches(call.path) }
        var reply: Reply
        do {
            try parts.publicHost.check(call, isPage: route?.isPage ?? false)
            reply = try await answer(&call, request, route)
        } catch var refusal as HTTPRefusal {
            logRefusal(refusal, call, route)
            if route?.isPage ?? false, refusal.page == nil {
                refusal.page = ConsolePage.refusal(refusal.message, refusal.reasons, isRead: call.method == .get)
            }
            reply = refusal.reply
            if refusal.status == .methodNotAllowed { reply.headers[.allow] = allowedMethods(call.path) }
            // The rest of an oversized body is not read.
            if refusal.status == .contentTooLarge { reply.headers[.connection] = "close" }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let name = route?.name ?? "no route"
            if failures.wait(for: name, at: parts.elapsed()) == nil {
                parts.logger.error("\(name): \("\(error)".plain())")
            }
            let why = (error as? UpgradeStoreError)?.message ?? "the server cannot do that now"
            var refusal = HTTPRefusal.unavailable(why)
            if route?.isPage ?? false { refusal.page = ConsolePage.refusal(why, [], isRead: call.method == .get) }
            reply = refusal.reply
        }
        parts.metrics.count(route?.name ?? "none", status: reply.status.code)
        parts.logger.debug("\(route?.name ?? "none") \(reply.status.code) \(call.holder?.name ?? "-")")
        return response(reply, request)
    }

    private func answer(_ call: inout Call, _ request: Request, _ route: ServerRoute?) async throws -> Reply {
        let token = call.token(allowsBasic: route?.isPage ?? false)
        call.holder = token.flatMap(parts.configuration.tokens.entry)
        try limit(call, route)
        guard let route else {
            let path = call.path
            guard routes.contains(where: { $0.matches(path) }) else { throw HTTPRefusal.notFound }
            throw HTTPRefusal(.methodNotAllowed, "methodNotAllowed", "this address does not support the method")
        }
        if let right = route.right { try authorize(call, right, route, hasToken: token != nil) }
        var request = request
        var bytes: [UInt8] = []
        if route.takesBody {
            let limit = route.maxBody ?? parts.configuration.maxBody
            let type = call.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
            let expected = route.isPage ? "application/x-www-form-urlencoded" : "application/json"
            guard type == expected else {
                let message = "the body must be \(expected)"
                throw route.isPage
                    ? HTTPRefusal(.unsupportedMediaType, "notForm", message)
                    : HTTPRefusal(.unsupportedMediaType, "notJSON", message)
            }
            do {
                bytes = Array(try await request.collectBody(upTo: limit).readableBytesView)
            } catch is NIOTooManyBytesError {
                throw HTTPRefusal(.contentTooLarge, "tooLarge", "the body has more than \(limit) bytes")
            } catch {
                throw HTTPRefusal(.badRequest, "incompleteBody", "the connection ended before the body did")
            }
        }
        return try await route.work(call, bytes, request)
    }

    /// Takes a token from the buckets that the request belongs to.
    ///
    /// A bucket of a holder with a role for people belongs to that holder alone, and stops have a separate one. Health has none, because an orchestrator restarts a server that does not answer.
    private func limit(_ call: Call, _ route: ServerRoute?) throws(HTTPRefusal) {
        if route?.isHealth ?? false { return }
        let now = parts.elapsed()
        let isPerson = call.holder.map { $0.role != .device } ?? false
        if !isPerson, let wait = addresses.wait(for: call.address, at: now) {
            throw tooMany("this address sends too many requests", wait)
        }
        guard let holder = call.holder else { return }
        let bucket = (route?.isStop ?? false ? "stop " : "") + holder.name
        if let wait = tokens.wait(for: bucket, at: now) {
            throw tooMany("this token sends too many requests", wait)
        }
    }

    private func authorize(
        _ call: Call,
        _ right: ServerRole.Right,
        _ route: ServerRoute,
        hasToken: Bool
    ) throws(HTTPRefusal) {
        guard let entry = call.holder else {
            var refusal = HTTPRefusal(
                .unauthorized,
                "unauthorized",
                hasToken ? "the token is not valid" : "this address needs a token: Authorization: Bearer TOKEN"
            )
            refusal.headers[.wwwAuthenticate] = route.isPage ? #"Basic realm="cofferdam""# : "Bearer"
            throw refusal
        }
        guard entry.role.has(right) else {
            throw HTTPRefusal(
                .forbidden,
                "forbidden",
                "a token with the role \(entry.role.rawValue) may not do that"
            )
        }
    }

    private func tooMany(_ message: String, _ wait: Int) -> HTTPRefusal {
        var refusal = HTTPRefusal(.tooManyRequests, "tooMany", message)
        refusal.retryAfter = wait
        return refusal
    }

    /// The methods of that path, as `Allow` lists them.
    private func allowedMethods(_ path: [String]) -> String {
        let methods = routes.filter { $0.matches(path) }.map(\.method.rawValue)
        return Set(methods.contains("GET") ? methods + ["HEAD"] : methods).sorted().joined(separator: ", ")
    }

    /// Writes the refusal to the audit log if the request was a change, or was refused access.
    private func logRefusal(_ refusal: HTTPRefusal, _ call: Call, _ route: ServerRoute?) {
        guard route?.takesBody ?? false || [401, 403, 429].contains(refusal.status.code) else { return }
        if call.holder == nil, unauthenticatedLimiter.wait(for: call.address, at: parts.elapsed()) != nil {
            return parts.refusals.drop()
        }
        let path = "/" + call.path.map { $0.plain(60) }.joined(separator: "/")
        parts.refusals.add(
            RefusedRequest(
                at: parts.configuration.now(),
                by: call.holder?.name,
                address: call.address,
                request: "\(call.method.rawValue.plain(20)) \(path.plain())",
                status: refusal.status.code,
                code: refusal.code,
                message: refusal.message
            )
        )
    }

    private func response(_ reply: Reply, _ request: Request) -> Response {
        var headers = reply.headers
        headers[.xContentTypeOptions] = "nosniff"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        switch reply.body {
        case .nothing: return Response(status: reply.status, headers: headers)
        case .bytes(let bytes, let type):
            headers[.contentType] = type
            return Response(
                status: reply.status,
                headers: headers,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            )
        case .events(let stream):
            headers[.contentType] = "text/event-stream; charset=utf-8"
            if request.method == .head {
                var response = Response(status: reply.status, headers: headers)
                response.headers[.contentLength] = nil
                return response
            }
            let body = ResponseBody { writer in
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await stream { piece in try await writer.write(ByteBuffer(string: piece)) }
                }
                try await writer.finish(nil)
            }
            return Response(status: reply.status, headers: headers, body: body)
        }
    }
}
#endif

import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// A request's surroundings: the connection it came by, so that it can be cut.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// Takes each request to its API, counts it, and does the harm that was asked for.
struct ServiceResponder: HTTPResponder {
    let sandbox: Sandbox
    private let logger: Logger
    /// By the first part of the path.
    private let apis: [String: Served]
    /// In whose words an address is refused that is no API's.
    private let fallback: Served

    private struct Served: Sendable {
        let api: any API
        let routes: [Route]

        init(_ api: any API) {
            self.api = api
            routes = api.routes
        }
    }

    /// Thrown to end a connection whose answer must not be finished.
    private struct Cut: Error {}

    private static let largestBody = 1 << 20

    init(sandbox: Sandbox, offersControl: Bool, logger: Logger) {
        self.sandbox = sandbox
        self.logger = logger
        let v2 = V2API(sandbox: sandbox)
        fallback = Served(v2)
        var apis = ["v1": Served(V1API(sandbox: sandbox)), "v2": Served(v2)]
        if offersControl { apis["control"] = Served(ControlAPI(control: SandboxControl(sandbox: sandbox))) }
        self.apis = apis
    }

    func respond(to request: Request, context: ServiceContext) async throws -> Response {
        do {
            let response = try await takeIn(request, context)
            // The path alone: a query may hold a signature.
            logger.info("\(request.method) \(request.uri.path) \(response.status.code)")
            return response
        } catch {
            logger.info("\(request.method) \(request.uri.path) cut")
            throw error
        }
    }

    private func takeIn(_ request: Request, _ context: ServiceContext) async throws -> Response {
        var request = request
        let named = Call.segments(of: request.uri.path).first.flatMap { apis[$0] }
        let served = named ?? fallback
        let origin = "http://\(request.head.authority ?? "127.0.0.1")"
        let body: [UInt8]
        do {
            body = Array(try await request.collectBody(upTo: Self.largestBody).readableBytesView)
        } catch {
            let call = Call(recorded(request, []), prefix: 1, origin: origin)
            var answer = served.api.answer(refusing: Refusal(.tooLarge, "the body is too large"), to: call)
            answer.headers.append((.connection, "close"))
            return try response(answer, request)
        }
        let call = Call(recorded(request, body), prefix: 1, origin: origin)
        let route: Route
        do throws(Refusal) {
            guard named != nil else { throw Refusal(.notFound, "no such address") }
            route = try Route.matching(call, in: served.routes)
        } catch {
            return try response(served.api.answer(refusing: error, to: call), request)
        }
        let fault = route.operation(call).flatMap { operation in
            sandbox.world.update { world in
                world.calls.add(call.request, of: operation)
                return world.faults.take(for: operation)
            }
        }
        return try await respond(to: call, route, served.api, fault, request, context)
    }

    private func respond(
        to call: Call,
        _ route: Route,
        _ api: any API,
        _ fault: Fault?,
        _ request: Request,
        _ context: ServiceContext
    ) async throws -> Response {
        switch fault {
        case .reset:
            context.channel.close(promise: nil)
            throw Cut()
        case .commitThenCut:
            _ = try await answer(to: call, route, api, request)
            context.channel.close(promise: nil)
            throw Cut()
        case .status(let status, let retryAfter):
            let refusal = Refusal(injected: status, retryAfter: retryAfter)
            return try response(api.answer(refusing: refusal, to: call), request)
        case .html:
            let page = "<!doctype html><title>Sign in to the network</title><p>Welcome to the zoo's café."
            return try response(
                Answer(status: 200, body: .bytes(Array(page.utf8), contentType: "text/html; charset=utf-8")),
                request
            )
        case .garbage:
            let bytes: [UInt8] = Array("{\"items\": [{\"id\": 1, \"na".utf8) + [0xFF, 0x00, 0xFE]
            return try response(Answer(status: 200, body: .bytes(bytes, contentType: "application/json")), request)
        case .truncated:
            return try truncated(await answer(to: call, route, api, request))
        case .hold, .delay:
            return try await respondLater(to: call, route, api, fault, request)
        case nil:
            return try response(await answer(to: call, route, api, request), request)
        }
    }

    /// The proper answer, refusals included.
    private func answer(to call: Call, _ route: Route, _ api: any API, _ request: Request) async throws -> Answer {
        guard route.reply == .late else { return try await properAnswer(to: call, route, api) }
        var answer = try await request.body.consumeWithCancellationOnInboundClose { _ in
            try await properAnswer(to: call, route, api)
        }
        // Watching for the client's leave ends the connection's use.
        answer.headers.append((.connection, "close"))
        return answer
    }

    private func properAnswer(to call: Call, _ route: Route, _ api: any API) async throws -> Answer {
        do {
            return try await route.answer(call)
        } catch let refusal as Refusal {
            return api.answer(refusing: refusal, to: call)
        }
    }

    /// Waits as the fault says, as long as the client stays. A stream is opened at once, and waits itself.
    private func respondLater(
        to call: Call,
        _ route: Route,
        _ api: any API,
        _ fault: Fault?,
        _ request: Request
    ) async throws -> Response {
        if route.reply == .stream {
            var answer = try await properAnswer(to: call, route, api)
            if case .events(let stream) = answer.body {
                answer.body = .events { send in
                    try await pause(for: fault)
                    try await stream(send)
                }
            }
            return try response(answer, request)
        }
        var answer = try await request.body.consumeWithCancellationOnInboundClose { _ in
            try await pause(for: fault)
            return try await properAnswer(to: call, route, api)
        }
        answer.headers.append((.connection, "close"))
        return try response(answer, request)
    }

    private func pause(for fault: Fault?) async throws {
        switch fault {
        case .delay(let duration):
            try await Task.sleep(for: duration)
        case .hold:
            let releases = sandbox.world.update { world in
                world.faults.held += 1
                return world.faults.releases
            }
            defer { sandbox.world.update { $0.faults.held -= 1 } }
            try await sandbox.world.wait { $0.faults.releases != releases }
        default:
            break
        }
    }

    private func recorded(_ request: Request, _ body: [UInt8]) -> RecordedRequest {
        RecordedRequest(
            method: request.method.rawValue,
            path: request.uri.path,
            query: request.uri.query ?? "",
            headers: request.headers.map { ($0.name.rawName, $0.value) },
            body: body
        )
    }

    private func response(_ answer: Answer, _ request: Request) throws -> Response {
        let body: ResponseBody =
            switch answer.body {
            case .nothing: ResponseBody()
            case .json(let value): ResponseBody(byteBuffer: ByteBuffer(bytes: try value.text()))
            case .bytes(let bytes, _): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            case .events(let stream):
                ResponseBody { writer in
                    try await request.body.consumeWithCancellationOnInboundClose { _ in
                        try await stream { piece in try await writer.write(ByteBuffer(string: piece)) }
                    }
                    try await writer.finish(nil)
                }
            }
        return Response(status: .init(code: answer.status), headers: answer.fields, body: body)
    }

    /// The head and the first half of the body; then the connection closes.
    private func truncated(_ answer: Answer) throws -> Response {
        let bytes: [UInt8] =
            switch answer.body {
            case .json(let value): try value.text()
            case .bytes(let bytes, _): bytes
            case .events, .nothing: []
            }
        let body = ResponseBody(contentLength: max(bytes.count, 16)) { writer in
            try await writer.write(ByteBuffer(bytes: bytes.prefix(bytes.count / 2)))
            throw Cut()
        }
        return Response(status: .init(code: answer.status), headers: answer.fields, body: body)
    }
}

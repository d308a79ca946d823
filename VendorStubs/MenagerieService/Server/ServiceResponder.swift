#if Sandbox
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// A request's context: its connection, so that it can be closed.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// Routes each request to its API, counts it, and applies injected faults.
struct ServiceResponder: HTTPResponder {
    let sandbox: Sandbox
    private let logger: Logger
    /// The APIs by the first path component.
    private let apis: [String: Served]
    /// The API whose format is used to refuse unknown addresses.
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
    struct Cut: Error {}

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
            let response = try await handle(request, context)
            // Only the path, because a query may hold a signature.
            logger.info("\(request.method) \(request.uri.path) \(response.status.code)")
            return response
        } catch {
            logger.info("\(request.method) \(request.uri.path) cut")
            throw error
        }
    }

    private func handle(_ request: Request, _ context: ServiceContext) async throws -> Response {
        var request = request
        let name = Call.segments(of: request.uri.path).first
        let named = name.flatMap { apis[$0] }
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
        let major = name.flatMap(Major.init)
        let fault = route.operation(call).flatMap { operation in
            sandbox.world.update { world in
                world.calls.add(call.request, of: operation, via: major)
                return world.faults.take(for: operation, via: major)
            }
        }
        let visit = Visit(call: call, route: route, api: served.api, request: request, channel: context.channel)
        guard let fault else { return try response(await answer(to: visit), request) }
        return try await respond(to: visit, with: fault)
    }

    /// A call that is being answered.
    struct Visit {
        let call: Call
        let route: Route
        let api: any API
        let request: Request
        let channel: any Channel
    }

    /// Returns the proper answer, including refusals.
    func answer(to visit: Visit) async throws -> Answer {
        guard visit.route.reply == .late else { return try await properAnswer(to: visit.call, visit.route, visit.api) }
        return try await whileConnected(visit) { try await properAnswer(to: visit.call, visit.route, visit.api) }
    }

    /// Produces an answer that may take long; the work is cancelled when the client disconnects.
    func whileConnected(
        _ visit: Visit,
        _ work: @concurrent @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        var answer = try await visit.request.body.consumeWithCancellationOnInboundClose { _ in try await work() }
        // Watching for the client to disconnect makes the connection unusable afterwards.
        answer.headers.append((.connection, "close"))
        return answer
    }

    func properAnswer(to call: Call, _ route: Route, _ api: any API) async throws -> Answer {
        do {
            let answer = try await route.answer(call)
            if let failure = sandbox.world.read(\.storageFailure) { throw Refusal(.status(500), failure) }
            return answer
        } catch let refusal as Refusal {
            return api.answer(refusing: refusal, to: call)
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

    func response(_ answer: Answer, _ request: Request) throws -> Response {
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
}
#endif

import CofferdamCurl
import HTTPTypes
import Load

struct CofferdamLoad: LoadClient {
    let executor: (any TaskExecutor)?
    private let client: CurlClient
    private let request: HTTPRequest

    init(_ options: LoadOptions) throws {
        client = CurlClient(
            configuration: .defaults { configuration in
                if let authority = options.authority { configuration.tls.authorities = .file(authority) }
            }
        )
        switch options.variant {
        case "default": executor = nil
        case "onloop": executor = client.executor
        default: throw LoadError("no variant '\(options.variant)'")
        }
        var fields = HTTPFields()
        for header in requestHeaders {
            guard let name = HTTPField.Name(header.name) else { throw LoadError("\(header.name) is not a header") }
            fields[name] = header.value
        }
        request = try HTTPRequest(.get, url: options.url, headerFields: fields)
    }

    func get() async throws -> Int {
        let reply = try await client.send(request)
        guard reply.head.status == .ok else { throw LoadError("status \(reply.head.status)") }
        return reply.body.count
    }

    func download(at pace: inout Pace) async throws {
        let reply = try await client.stream(request)
        guard reply.head.status == .ok else { throw LoadError("status \(reply.head.status)") }
        for try await block in reply.body {
            if let pause = pace.take(block.count) { try await Task.sleep(for: pause) }
        }
    }

    func close() async { await client.shutdown() }
}

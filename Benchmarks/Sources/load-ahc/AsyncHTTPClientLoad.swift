import AsyncHTTPClient
import Load
import NIOCore
import NIOHTTP1
import NIOSSL

struct AsyncHTTPClientLoad: LoadClient {
    private let client: HTTPClient
    private let request: HTTPClientRequest

    init(_ options: LoadOptions) {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.concurrency
        if let authority = options.authority {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authority)
            configuration.tlsConfiguration = tls
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        var request = HTTPClientRequest(url: options.url)
        for header in requestHeaders { request.headers.add(name: header.name, value: header.value) }
        self.request = request
    }

    func get() async throws -> Int {
        let reply = try await client.execute(request, timeout: .seconds(60))
        guard reply.status == .ok else { throw LoadError("status \(reply.status)") }
        return try await reply.body.collect(upTo: 64 << 20).readableBytes
    }

    func download(at pace: inout Pace) async throws {
        let reply = try await client.execute(request, timeout: .seconds(60))
        guard reply.status == .ok else { throw LoadError("status \(reply.status)") }
        for try await block in reply.body {
            if let pause = pace.take(block.readableBytes) { try await Task.sleep(for: pause) }
        }
    }

    func close() async { try? await client.shutdown() }
}

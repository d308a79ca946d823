#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlIdleConnectionTests {
    @Test func `A connection is kept, however many others are in use`() async throws {
        let gate = Gate()
        let server = try ScriptedServer { connection, request in
            if request.path == "/held" { gate.block() }
            connection.reply([])
        }
        try await withClient(.defaults { $0.maximumIdleConnections = 1 }) { client in
            let held = try HTTPRequest(.get, url: "\(server.url)/held")
            let tasks = (0..<3).map { _ in Task { try await client.send(held) } }
            await server.until { $0.requests.count == 3 }
            for _ in 0..<5 { _ = try await client.send(HTTPRequest(.get, url: server.url)) }
            #expect(server.log.accepted == 4)
            gate.open()
            for task in tasks { _ = try await task.value }
        }
    }

    @Test func `After a burst, no more are kept than configured`() async throws {
        let gates = (0..<4).map { _ in Gate() }
        let server = try ScriptedServer { connection, request in
            if let index = Int(request.path.dropFirst()) { gates[index].block() }
            connection.reply([])
        }
        try await withClient(.defaults { $0.maximumIdleConnections = 2 }) { client in
            let requests = try gates.indices.map { try HTTPRequest(.get, url: "\(server.url)/\($0)") }
            let tasks = requests.map { request in Task { try await client.send(request) } }
            await server.until { $0.requests.count == 4 }
            for (gate, task) in zip(gates, tasks) {
                gate.open()
                _ = try await task.value
            }
            await server.until { $0.closedByClient >= 2 }
            _ = try await client.send(HTTPRequest(.get, url: server.url))
            #expect(server.log.accepted == 4)
            #expect(server.log.closedByClient == 2)
        }
    }

    @Test(arguments: [0, -1])
    func `None is kept if so configured`(maximum: Int) async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        try await withClient(.defaults { $0.maximumIdleConnections = maximum }) { client in
            for _ in 0..<3 { _ = try await client.send(HTTPRequest(.get, url: server.url)) }
            await server.until { $0.closedByClient == 3 }
        }
        #expect(server.log.accepted == 3)
    }
}
#endif

#if Curl
#if os(Linux)
import CofferdamCurl
import HTTPTypes
import Testing

// In separate processes: the resolver hangs for all tests.
@Suite(.timeLimit(.minutes(5)), .enabled(if: HangingResolver.isInPlace))
struct CurlResolvingTests {
    @Test(arguments: [false, true])
    func `Cancelling while the name is being resolved returns at once, and delays no other request`(isStream: Bool)
        async
    {
        await #expect(processExitsWith: .success) { [isStream] in
            let server = try ScriptedServer { connection, _ in connection.reply([1]) }
            let client = CurlClient()
            let request = try HTTPRequest(.get, url: "http://a.hanging.invalid/")
            let task = Task {
                if isStream { _ = try await client.stream(request) } else { _ = try await client.send(request) }
            }
            await HangingResolver.lookUps.until { $0 == 1 }
            // Meanwhile the loop goes on.
            #expect(try await client.send(HTTPRequest(.get, url: server.url)).body == [1])
            task.cancel()
            // The resolver never answers, and yet the call returns.
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await client.census().transfersInFlight == 0)
            #expect(try await client.send(HTTPRequest(.get, url: server.url)).body == [1])
            await client.shutdown()
            HangingResolver.open()
        }
    }

    @Test func `A name that is not resolved in time is a connect time-out`() async {
        await #expect(processExitsWith: .success) {
            let client = CurlClient(configuration: .defaults { $0.options.timeouts.connect = .milliseconds(50) })
            let error = try await curlError {
                try await client.send(HTTPRequest(.get, url: "http://a.hanging.invalid/"))
            }
            #expect(error.timeout == .connect && error.wasSent == false)
            await client.shutdown()
            HangingResolver.open()
        }
    }

    @Test(arguments: [false, true])
    func `The client's end does not wait for the resolver`(isDropped: Bool) async {
        await #expect(processExitsWith: .success) { [isDropped] in
            var client: CurlClient? = CurlClient()
            let task = Task { [client] in
                try await client?.send(HTTPRequest(.get, url: "http://a.hanging.invalid/"))
            }
            await HangingResolver.lookUps.until { $0 == 1 }
            if isDropped { task.cancel() } else { await client?.shutdown() }
            let result = await task.result
            #expect(throws: (any Error).self) { try result.get() }
            client = nil
            // Only the resolver's own thread is left.
            await ProcessCensus.until { ProcessCensus.clientThreads == 1 }
            HangingResolver.open()
            await ProcessCensus.until { ProcessCensus.clientThreads == 0 }
        }
    }
}
#endif
#endif

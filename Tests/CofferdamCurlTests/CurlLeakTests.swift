#if Curl
#if os(Linux)
import CofferdamCurl
import HTTPTypes
import Testing

// In separate processes, whose threads, files and memory are counted; the servers run in this one.
@Suite(.timeLimit(.minutes(5)))
struct CurlLeakTests {
    @Test func `Ten thousand requests cancelled at random moments leave nothing`() async throws {
        let server = try CancellationStorm.server()
        let full = try FullListener()
        let seed = UInt64.random(in: 0...999_999)
        print("cancellations: seed \(seed)")
        await #expect(processExitsWith: .success) {
            [port = Int(server.port) as Int, fullPort = Int(full.port) as Int, seed = seed as UInt64] in
            let sockets = ProcessCensus.sockets
            let client = CurlClient(configuration: .defaults { $0.options.timeouts.connect = nil })
            let storm = CancellationStorm(port: port, fullPort: fullPort, seed: seed)
            var memory: [Int] = []
            let cancelled = try await storm.run(10_000, with: client) { tenth in
                #expect(await client.census().transfersInFlight == 0, "seed \(seed), tenth \(tenth)")
                await ProcessCensus.until {
                    // More look-ups may hang by now.
                    if HangingResolver.isInPlace { HangingResolver.release() }
                    return ProcessCensus.clientThreads == 1
                }
                // What the pool keeps is bounded by its own rule.
                let kept = await client.census().keptMemory
                memory.append((ProcessCensus.allocatedMemory ?? 0) - kept)
            }
            // Thousands: about a ninth of all in each state, minus replies that were faster.
            for moment in CancellationMoment.allCases where moment != .ending && moment != .paused {
                #expect(cancelled[moment.rawValue] > 900, "seed \(seed): \(moment) \(cancelled[moment.rawValue])")
            }
            let growth = memory[9] - memory[1]
            // Swift's own tasks leave about 60 bytes each; a handle would be 10 KB.
            #expect(growth < 3 << 20, "seed \(seed): grew by \(growth) bytes, \(memory)")
            await client.shutdown()
            await ProcessCensus.until { ProcessCensus.clientThreads == 0 && ProcessCensus.sockets == sockets }
        }
        await server.until { $0.finished == $0.accepted }
    }

    @Test func `A thousand requests at once are all answered`() async throws {
        let server = try ScriptedServer { connection, request in connection.reply(Array(request.path.utf8)) }
        await #expect(processExitsWith: .success) { [url = server.url as String] in
            let sockets = ProcessCensus.sockets
            let client = CurlClient()
            let answered = try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<1000 {
                    group.addTask {
                        let request = try HTTPRequest(.get, url: "\(url)/\(index)")
                        if index.isMultiple(of: 2) {
                            return Array(try await client.send(request).body) == Array("/\(index)".utf8)
                        }
                        let stream = try await client.stream(request)
                        return try await stream.body.collect(upTo: 100) == Array("/\(index)".utf8)
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(answered == 1000)
            // At most as many idle handles as the configuration allows.
            #expect(await client.census().idleHandles <= 64)
            await client.shutdown()
            await ProcessCensus.until { ProcessCensus.clientThreads == 0 && ProcessCensus.sockets == sockets }
        }
    }

    @Test func `Bodies that are decoded, truncated, dropped or cancelled leak no memory`() async throws {
        let samples = CodedSample.all
        let server = try ScriptedServer { connection, request in
            let parts = request.path.split(separator: "/").compactMap { Int($0) }
            let sample = samples[parts[0]]
            connection.reply(coded: Array(sample.bytes.dropLast(parts[1])), sample.coding)
        }
        await #expect(processExitsWith: .success) { [url = server.url as String, count = samples.count as Int] in
            let client = CurlClient()
            var memory: [Int] = []
            for round in 0..<300 {
                for sample in 0..<count {
                    let cut = round % 3
                    let request = try HTTPRequest(.get, url: "\(url)/\(sample)/\(cut)")
                    switch round % 5 {
                    case 0: _ = try? await client.send(request)
                    case 1: _ = try await client.stream(request)
                    case 2:
                        let stream = try await client.stream(request)
                        var blocks = stream.body.makeAsyncIterator()
                        _ = try await blocks.next()
                    case 3: _ = try? await client.stream(request).body.collect(upTo: 1 << 20)
                    default:
                        let task = Task { try await client.send(request) }
                        task.cancel()
                        _ = await task.result
                    }
                }
                if round == 100 || round == 299 { memory.append(ProcessCensus.allocatedMemory ?? 0) }
            }
            #expect(await client.census().transfersInFlight == 0)
            // A decoder left behind each time would be 10 KB or more, 1400 times.
            let growth = memory[1] - memory[0]
            #expect(growth < 2 << 20, "grew by \(growth) bytes")
            await client.shutdown()
        }
    }

    @Test(arguments: [false, true])
    func `Ended clients leave no thread, socket or memory`(isDropped: Bool) async throws {
        let server = try ScriptedServer { connection, request in
            if request.path == "/silent" {
                connection.waitForClientToClose()
            } else {
                connection.reply(Array(repeating: 1, count: 100_000))
            }
        }
        await #expect(processExitsWith: .success) { [url = server.url as String, isDropped] in
            let sockets = ProcessCensus.sockets
            var memory: [Int] = []
            for round in 0..<60 {
                let client = CurlClient()
                // Including one that was never used.
                if !round.isMultiple(of: 5) {
                    async let one = client.send(HTTPRequest(.get, url: url))
                    async let other = client.stream(HTTPRequest(.get, url: url))
                    _ = try await (one, other)
                    if !isDropped {
                        let silent = Task { try await client.send(HTTPRequest(.get, url: "\(url)/silent")) }
                        await client.shutdown()
                        let error = try await curlError { try await silent.value }
                        #expect(error.code == .closed)
                    }
                }
                if !isDropped { await client.shutdown() }
                if round == 20 || round == 59 { memory.append(ProcessCensus.allocatedMemory ?? 0) }
            }
            await ProcessCensus.until { ProcessCensus.clientThreads == 0 && ProcessCensus.sockets == sockets }
            if !isDropped {
                let growth = memory[1] - memory[0]
                #expect(growth < 1 << 20, "grew by \(growth) bytes")
            }
        }
    }
}
#endif
#endif

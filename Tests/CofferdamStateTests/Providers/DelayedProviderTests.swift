import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct DelayedProviderTests {
    /// A transfer that waits at gates, is counted, and reports its progress.
    private final class Server: Sendable {
        let runs = Log<Int>()
        let cancelled = Log<Int>()
        let clock = TestClock()
        let results: [Result<String, TestError>]

        init(_ results: Result<String, TestError>...) { self.results = results }

        func provider() -> DelayedProvider<String> {
            DelayedProvider { progress in
                self.runs.add(self.runs.entries.count)
                let run = self.runs.entries.count - 1
                progress(TransferProgress(completed: 10, total: 100))
                do { try await self.clock.sleep(for: .seconds(1)) } catch {
                    self.cancelled.add(run)
                    throw error
                }
                progress(TransferProgress(completed: 5, total: 100))
                return try self.results[min(run, self.results.count - 1)].get()
            }
        }

        func finish() async {
            await until { self.clock.sleeperCount == 1 }
            clock.advance(by: .seconds(1))
        }
    }

    private func text(_ state: DelayedState<String>) -> String {
        switch state {
        case .idle: "idle"
        case .loading(let progress): "loading \(progress.completed)"
        case .ready(let value): "ready \(value)"
        case .failed(let error): "failed \((error as? TestError)?.name ?? "?")"
        }
    }

    @Test func `nothing is fetched until it is started, and then once`() async {
        let server = Server(.success("lion"))
        let picture = server.provider()
        let log = Log<String>()
        let token = picture.state.listen { log.add(text($0)) }
        #expect(server.runs.entries.isEmpty)
        picture.start()
        picture.start()
        await server.finish()
        await until { log.entries.last == "ready lion" }
        picture.start()
        #expect(log.entries == ["idle", "loading 0", "loading 10", "ready lion"])
        #expect(server.runs.entries.count == 1)
        token.cancel()
    }

    @Test func `an error is a value, and starting again tries again`() async throws {
        let server = Server(.failure(TestError("offline")), .success("lion"))
        let picture = server.provider()
        picture.start()
        await server.finish()
        await until { picture.state.current.error as? TestError == TestError("offline") }
        #expect(picture.state.current.progress == nil)
        picture.start()
        await server.finish()
        #expect(try await picture.value() == "lion")
    }

    @Test func `all waiting callers share one transfer and get its outcome`() async throws {
        for result in [.success("lion"), .failure(TestError("offline"))] as [Result<String, TestError>] {
            let server = Server(result)
            let picture = server.provider()
            let tasks = (0..<20).map { _ in Task { try await picture.value() } }
            await until { picture.waiterCount == tasks.count }
            await server.finish()
            for task in tasks {
                switch (await task.result, result) {
                case (.success(let value), .success(let expected)): #expect(value == expected)
                case (.failure(let error), .failure(let expected)): #expect(error as? TestError == expected)
                default: Issue.record("not the transfer's outcome")
                }
            }
            #expect(server.runs.entries.count == 1)
        }
    }

    @Test func `stopping cancels the transfer and resumes waiting callers`() async throws {
        let server = Server(.success("lion"))
        let picture = server.provider()
        picture.start()
        let waiting = Task { try await picture.value() }
        await until { server.clock.sleeperCount == 1 }
        await until { picture.waiterCount == 1 }
        picture.stop()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await until { server.cancelled.entries == [0] }
        #expect(text(picture.state.current) == "idle")
        picture.stop()
        picture.start()
        await server.finish()
        #expect(try await picture.value() == "lion")
    }

    @Test func `a leaving caller does not disturb others, and the last waiting one stops the transfer`() async {
        let server = Server(.success("lion"))
        let picture = server.provider()
        let tasks = (0..<2).map { _ in Task { try await picture.value() } }
        await until { picture.waiterCount == 2 && server.clock.sleeperCount == 1 }
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        #expect(server.clock.sleeperCount == 1)
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        await until { server.cancelled.entries == [0] }
        #expect(text(picture.state.current) == "idle")
    }

    @Test func `a started transfer goes on when its waiting callers have left`() async {
        let server = Server(.success("lion"))
        let picture = server.provider()
        picture.start()
        let waiting = Task { try await picture.value() }
        await until { picture.waiterCount == 1 && server.clock.sleeperCount == 1 }
        waiting.cancel()
        _ = await waiting.result
        await server.finish()
        await until { picture.state.current.value == "lion" }
    }

    @Test func `it stops its transfer when it is released`() async {
        let server = Server(.success("lion"))
        var picture: DelayedProvider<String>? = server.provider()
        picture?.start()
        await until { server.clock.sleeperCount == 1 }
        picture = nil
        await until { server.cancelled.entries == [0] }
    }

    @Test func `a stopped transfer that ignores cancellation never commits`() async throws {
        let gate = TestGate()
        let runs = Log<Void>()
        let picture = DelayedProvider<String> { progress in
            runs.add(())
            let isFirst = runs.entries.count == 1
            if isFirst { await gate.pass() }
            progress(TransferProgress(completed: isFirst ? 99 : 1))
            return isFirst ? "old" : "new"
        }
        picture.start()
        await until { gate.arrivals == 1 }
        picture.stop()
        #expect(try await picture.value() == "new")
        gate.open()
        for _ in 0..<100 { await Task.yield() }
        #expect(picture.state.current.value == "new")
    }

    @Test(
        arguments: [
            (TransferProgress(completed: 5, total: 10), 0.5), (TransferProgress(completed: 5), nil),
            (TransferProgress(completed: 0, total: 0), nil), (TransferProgress(completed: 20, total: 10), 1),
            (TransferProgress(completed: -1, total: 10), 0),
        ] as [(TransferProgress, Double?)]
    )
    func `progress is a fraction where the total is known`(progress: TransferProgress, fraction: Double?) {
        #expect(progress.fraction == fraction)
    }
}

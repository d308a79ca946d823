import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Measures one server, from its start to its millionth unit.
struct ServerSuite {
    let server: String
    let devices: Int
    let rate: Int
    let seconds: Int
    let units: Int

    /// The number of orders whose arrival is measured.
    private static let orders = 10
    /// The number of connections that post.
    private static let connections = 64
    private static let unitsInPost = 500

    /// The load generator's output.
    private struct Answer: Decodable {
        var connected: Int?
        var rps: Double?
        var refused: Int?
        var count: Int?
        var p50ms: Double?
        var p99ms: Double?
        var maxms: Double?
    }

    func run() async throws -> [Measurement] {
        let load = try await ClientBuild(product: "load-devices").folder.appending(path: "load-devices").path()
        return try await BenchmarkServer.with(server) { server in
            var rows: [Measurement] = []
            progress("warming up")
            _ = try await post(server, load, rate: Double(rate) / 4, seconds: min(5, seconds), units: 1, from: 1 << 40)
            let before = try await server.memory()
            progress("connecting \(devices) devices")
            try await connected(to: server, load) { order in
                let after = try await server.memory()
                rows.append(row("stage.connected", Double(devices), "devices", limit: nil, samples: devices))
                rows.append(
                    row("memory.perDevice", (after - before) / Double(devices), "KiB", limit: nil, samples: devices)
                )
                progress("posting \(rate) times a second, for \(seconds) s")
                rows += try await posts(server, load, from: 1 << 41, suffix: "")
                progress("posting with wrk as fast as the server answers")
                let most = try await ClosedLoop.posting(to: server, connections: Self.connections, seconds: seconds)
                rows.append(row("evidence.wrk.rps", most.rps, "posts/s", limit: nil, samples: most.count))
                rows.append(row("evidence.wrk.p99ms", most.p99ms, "ms", limit: nil, samples: most.count))
                progress("pulling the kill switch")
                var answers: [Answer] = []
                for number in 0..<Self.orders {
                    answers.append(try await order(number.isMultiple(of: 2) ? "kill" : "resume"))
                }
                let p99 = Measurement.median(answers.compactMap(\.p99ms))
                rows.append(row("kill.p99ms", p99, "ms", limit: 1_000, samples: Self.orders * devices))
                let worst = answers.compactMap(\.maxms).max() ?? .nan
                rows.append(row("kill.maxms", worst, "ms", limit: 1_000, samples: Self.orders * devices))
            }
            progress("counting \(units) units")
            let begin = ContinuousClock.now
            let whole = units / Self.unitsInPost
            // As fast as possible: every post is due at once.
            let many = try await post(server, load, rate: Double(whole), seconds: 1, units: Self.unitsInPost, from: 0)
            let took = begin.duration(to: .now).seconds
            rows.append(row("units.perSecond", Double(units) / took, "units/s", limit: nil, samples: many.count ?? 0))
            rows.append(row("units.memory", try await server.memory() / 1_024, "MiB", limit: nil, samples: 1))
            progress("posting beside \(units) units")
            rows += try await posts(server, load, from: 1 << 42, suffix: ".full")
            return rows
        }
    }

    private func posts(
        _ server: BenchmarkServer,
        _ load: String,
        from first: Int,
        suffix: String
    ) async throws -> [Measurement] {
        let answer = try await post(server, load, rate: Double(rate), seconds: seconds, units: 1, from: first)
        let count = answer.count ?? 0
        return [
            row("evidence.rps" + suffix, answer.rps ?? .nan, "posts/s", limit: Double(rate), samples: count),
            row("evidence.p50ms" + suffix, answer.p50ms ?? .nan, "ms", limit: nil, samples: count),
            row("evidence.p99ms" + suffix, answer.p99ms ?? .nan, "ms", limit: 50, samples: count),
        ]
    }

    private func row(_ name: String, _ value: Double, _ unit: String, limit: Double?, samples: Int) -> Measurement {
        Measurement(
            name: name,
            value: value,
            unit: unit,
            base: "the goal",
            ratio: limit.map { value / $0 } ?? 1,
            samples: samples,
            limit: limit
        )
    }

    // MARK: The load generator

    private func post(
        _ server: BenchmarkServer,
        _ load: String,
        rate: Double,
        seconds: Int,
        units: Int,
        from first: Int
    ) async throws -> Answer {
        let output = try await ChildProcess.output(
            of: .path(FilePath(load)),
            [
                "post", "\(server.port)", "orders", "\(rate)", "\(seconds)", "\(Self.connections)", "\(units)",
                "\(first)",
            ],
            environment: server.tokens
        )
        let answer = try JSONDecoder().decode(Answer.self, from: Data(output.utf8))
        if answer.refused ?? 0 > 0 { throw TransportFailure("\(answer.refused ?? 0) posts were refused") }
        return answer
    }

    /// Holds the devices' event streams open while the body runs, which gives orders.
    private func connected(
        to server: BenchmarkServer,
        _ load: String,
        _ body: (_ order: (String) async throws -> Answer) async throws -> Void
    ) async throws {
        let variables = server.tokens.map { (Environment.Key(stringLiteral: $0), Optional($1)) }
        let result = try await Subprocess.run(
            .path(FilePath(load)),
            arguments: ["connect", "\(server.port)", "orders", "\(devices)"],
            environment: .inherit.updating(Dictionary(uniqueKeysWithValues: variables)),
            input: .inputWriter,
            output: .sequence,
            error: .currentStandardError
        ) { execution in
            var lines = execution.standardOutput.strings().makeAsyncIterator()
            func next() async throws -> Answer {
                guard let line = try await lines.next() else { throw TransportFailure("load-devices has ended") }
                return try JSONDecoder().decode(Answer.self, from: Data(line.utf8))
            }
            _ = try await next()
            try await body { move in
                _ = try await execution.standardInputWriter.write(move + "\n")
                return try await next()
            }
            try await execution.standardInputWriter.finish()
        }
        guard result.terminationStatus.isSuccess else { throw TransportFailure("load-devices failed") }
    }
}

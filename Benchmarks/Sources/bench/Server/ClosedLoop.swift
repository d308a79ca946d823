import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Posts evidence with wrk (https://github.com/wg/wrk) over several connections, each of which sends the next post as
/// soon as the last one is answered. This measures the server's maximum throughput.
struct ClosedLoop: Decodable {
    let count: Int
    let refused: Int
    let rps: Double
    let p99ms: Double

    /// Posts one unit at a time, a different one each time, with the bodies of load-devices.
    ///
    /// - Throws: ``TransportFailure`` if wrk is missing or fails, or if the server refuses a post.
    static func posting(to server: BenchmarkServer, connections: Int, seconds: Int) async throws -> ClosedLoop {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cofferdam-wrk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "posts.lua")
        try Data(script.utf8).write(to: file)
        let output = try await ChildProcess.output(
            of: .name("wrk"),
            [
                "--threads", "1", "--connections", "\(connections)", "--duration", "\(seconds)s", "--script",
                file.path(),
                "http://127.0.0.1:\(server.port)/v1/capabilities/orders/evidence",
            ],
            environment: server.tokens
        )
        // wrk's own summary comes first.
        guard let line = output.split(separator: "\n").last,
            let answer = try? JSONDecoder().decode(ClosedLoop.self, from: Data(line.utf8))
        else { throw TransportFailure("wrk printed no result: \(output)") }
        if answer.refused > 0 { throw TransportFailure("\(answer.refused) posts of wrk failed or were refused") }
        return answer
    }

    private static let script = """
        local count = 0
        local headers = {
            ["Authorization"] = "Bearer " .. os.getenv("DEVICE_TOKEN"),
            ["Content-Type"] = "application/json",
        }
        local body = '{"reports":[{"stage":"legacyOnly","epoch":0,"window":600,"build":"1.0","units":['
            .. '{"unit":"c0000000%08x","windows":[{"tally":"legacy","operation":"place","marks":[],"settled":true,'
            .. '"nanoseconds":1000000},{"tally":"legacy","marks":[],"settled":true}]}]}]}'

        function request()
            count = count + 1
            return wrk.format("POST", nil, headers, string.format(body, count))
        end

        function done(summary, latency)
            local errors = summary.errors
            local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
            io.write(string.format('{"count": %d, "refused": %d, "rps": %.1f, "p99ms": %.3f}\\n', summary.requests, failed,
                summary.requests / (summary.duration / 1e6), latency:percentile(99) / 1e3))
        end
        """
}

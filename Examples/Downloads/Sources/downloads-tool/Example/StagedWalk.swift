import AsyncHTTPDownloads
import Cofferdam
import CofferdamContracts
import CofferdamStand
import CofferdamUpgrade
import DownloadsPort
import DownloadsUpgrade
import Foundation
import URLSessionDownloads

/// Walks through the upgrade under traffic, with one server; each client reaches it through its own proxy.
struct StagedWalk {
    private let legacy: TestProxy
    private let candidate: TestProxy
    private let upgrade: Upgrade<DownloadsService>
    private let clock = AdjustableClock()
    private let directory: String

    /// The outcome of the walk.
    struct Outcome: Sendable {
        /// The stages, each once, in order.
        var stages: [Stage]
        /// The gate's last decision.
        var decision: Decision?
        var visits = 0
        /// The number of users who got an error from a call, or a wrong result.
        var failed = 0
        /// The number of users whose stream broke: a stream stays with the client that began it.
        var broken = 0
        /// The number of requests that each client has sent.
        var requests: (legacy: Int, candidate: Int) = (0, 0)
    }

    /// - Parameter fault: the fault of the candidate's requests as soon as users depend on it; nil for none.
    static func run(_ fault: VendorFault?) async throws -> Outcome {
        let server = try await FileServer.start()
        let files = (0..<20).map { "file \($0)" }
        for name in files { server.put(content(of: name), as: name) }
        do {
            let walk = try await StagedWalk(server)
            let outcome = try await walk.walk(files, fault)
            await walk.close()
            await server.stop()
            return outcome
        } catch {
            await server.stop()
            throw error
        }
    }

    private init(_ server: FileServer) async throws {
        directory = try temporaryDirectory()
        let proxies = (try await ServerStand.proxy(to: server), try await ServerStand.proxy(to: server))
        (legacy, candidate) = proxies
        upgrade = try downloadsUpgrade(
            from: { openURLSessionDownloads(server: "http://127.0.0.1:\(proxies.0.port)", token: FileServer.token) },
            to: { openAsyncHTTPDownloads(server: "http://127.0.0.1:\(proxies.1.port)", token: FileServer.token) },
            backend: .memory(),
            // Higher than in a real upgrade, so that a few hundred users are enough.
            limit: 0.1,
            calls: 200,
            shortestSeconds: 0,
            clock: clock
        )
    }

    private func close() async {
        await upgrade.close()
        await legacy.close()
        await candidate.close()
        remove(directory)
    }

    private func walk(_ files: [String], _ fault: VendorFault?) async throws -> Outcome {
        await upgrade.start()
        var outcome = Outcome(stages: [upgrade.engine.status.stage])
        try await visit(200, files, &outcome)
        try await upgrade.advance(by: "example", reason: "both clients pass the contract")
        // Enough even for a candidate that is neither good nor bad; none needs this many rounds.
        for _ in 0..<40 {
            let stage = upgrade.engine.status.stage
            if outcome.stages.last != stage { outcome.stages.append(stage) }
            if stage == .candidateOnly || stage == .legacyOnly { break }
            if let fault, stage.kind == .canary { try candidate.inject(fault, times: .max) }
            try await visit(100, files, &outcome)
            // As `run()` does every second: the gate decides only on what the ledger has.
            await upgrade.engine.save()
            outcome.decision = await upgrade.engine.decide()
        }
        outcome.requests = (legacy.arrivals(), candidate.arrivals())
        return outcome
    }

    /// Has `count` new users visit, and ends their windows.
    private func visit(_ count: Int, _ files: [String], _ outcome: inout Outcome) async throws {
        let first = outcome.visits
        outcome.visits += count
        let upgrade = upgrade
        let directory = directory
        let ends = await withTaskGroup(of: VisitEnd.self) { group in
            var ends: [VisitEnd] = []
            for number in first..<first + count {
                if number - first >= 16, let end = await group.next() { ends.append(end) }
                let user = "user \(number)"
                group.addTask {
                    await Self.visit(upgrade.downloads(for: user), files[number % files.count], "\(directory)/\(user)")
                }
            }
            return await group.reduce(into: ends) { $0.append($1) }
        }
        outcome.failed += ends.count { $0 == .failed }
        outcome.broken += ends.count { $0 == .broken }
        await upgrade.routes.shadowQueue.drained()
        clock.advance(by: EvidenceRecorder.window + .seconds(1))
        await upgrade.engine.refresh()
    }

    private enum VisitEnd { case good, failed, broken }

    /// One user's visit: lists the files, reads about one, downloads it, and reads its bytes as a stream.
    private static func visit(_ downloads: any Downloads, _ name: String, _ path: String) async -> VisitEnd {
        let expected = content(of: name)
        do {
            let page = try await downloads.files(after: nil, limit: 5)
            let file = try await downloads.file(name)
            try await downloads.download(name, to: path) { _ in }
            let bytes = Array(try Data(contentsOf: URL(filePath: path)))
            guard page.files.count == 5, file.size == bytes.count, bytes == expected else { return .failed }
        } catch {
            return .failed
        }
        do {
            var bytes: [UInt8] = []
            for try await block in downloads.blocks(of: name) { bytes += block.bytes }
            return bytes == expected ? .good : .failed
        } catch {
            return .broken
        }
    }

    private static func content(of name: String) -> [UInt8] { Array(String(repeating: name, count: 400).utf8) }
}

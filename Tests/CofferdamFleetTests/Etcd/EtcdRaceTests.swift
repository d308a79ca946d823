#if Fleet
import Cofferdam
import CofferdamCurl
import CofferdamFleet
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
import UpgradeTestSupport

@Suite(.needsEtcd, .serialized, .timeLimit(.minutes(5)))
struct EtcdRaceTests {
    private static let (processes, transitions) = (8, 200)

    @Test func `when eight processes race, no transition is lost or made twice`() async throws {
        try await EtcdServer.with { server in
            await withTaskGroup { group in
                for process in 0..<Self.processes {
                    group.addTask { [endpoint = server.endpoint] in await Self.race(process, endpoint) }
                }
            }
            try await Self.checkLog(of: server.store(), transitions: Self.processes * Self.transitions)
        }
    }

    /// Runs in a separate process.
    private static func race(_ process: Int, _ endpoint: String) async {
        await #expect(processExitsWith: .success) { [process = process as Int, endpoint = endpoint as String] in
            let configuration = EtcdConfiguration(endpoints: [endpoint], prefix: "/apps/shop")
            let store = EtcdUpgradeStore(configuration, client: CurlClient())
            let plan = try Readings.plan()
            for number in 0..<Self.transitions { try await Self.step(store, plan, "\(process).\(number)") }
        }
    }

    /// Up, and from the top down again; both raise the epoch by one.
    private static func step(_ store: EtcdUpgradeStore, _ plan: UpgradePlan, _ id: String) async throws {
        while true {
            for action in [UpgradeAction.advance(despiteGate: true), .abort] {
                do {
                    _ = try await store.carryOut(Requests.request(action, id: id), for: "catalogue", plan: plan)
                    return
                } catch let refusal as UpgradeRefusal where refusal.code == .alreadyThere {}
            }
        }
    }

    @Test func `no transaction is lost or made twice when etcd is killed in the middle of them`() async throws {
        try await EtcdServer.with(isSynchronous: true) { server in
            let plan = try Readings.plan()
            let (workers, steps) = (4, 25)
            let count = Log<Void>()
            try await withThrowingTaskGroup { group in
                for worker in 0..<workers {
                    let store = server.store()
                    group.addTask {
                        for number in 0..<steps {
                            // A read fails while the server is down; a change retries until its outcome is known.
                            while true {
                                do {
                                    try await Self.step(store, plan, "\(worker).\(number)")
                                    break
                                } catch let error as UpgradeStoreError where error.code == .unavailable {
                                    try await Task.sleep(for: .milliseconds(20))
                                }
                            }
                            count.add(())
                        }
                    }
                }
                for round in 1...6 {
                    try await eventually("round \(round)") { count.entries.count >= round * workers * steps / 8 }
                    try await server.restart()
                }
                try await group.waitForAll()
            }
            try await Self.checkLog(of: server.store(), transitions: workers * steps)
        }
    }

    /// Each line begins where the previous one ended, and no number is missing.
    private static func checkLog(of store: EtcdUpgradeStore, transitions: Int) async throws {
        let log = try await store.history(of: "catalogue", last: .max).reversed()
        #expect(Set(log.map(\.id)).count == transitions)
        #expect(log.map(\.after.epoch) == Array(1...transitions))
        #expect(zip(log, log.dropFirst()).allSatisfy { $0.after == $1.before })
        let stored = try #require(try await store.read("catalogue"))
        #expect(stored.state.epoch == transitions)
        #expect(stored.state.entry == log.last?.id)
    }
}
#endif

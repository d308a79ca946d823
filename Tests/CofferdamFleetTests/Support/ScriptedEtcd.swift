#if Fleet
import Cofferdam
import CofferdamCurl
import CofferdamSupport
import TestSupport
@testable import CofferdamFleet
import Foundation

/// Gives scripted answers, and records the requests.
final class ScriptedEtcd: Sendable {
    enum Reply: Sendable {
        case answer(Int, String)
        /// The lines of a watch.
        case lines([String])
        /// A watch that stays quiet for that long and then ends.
        case quiet(Duration)
        /// The same, but its connection is lost then.
        case quietAndLost(Duration)
        case failure(wasSent: Bool?)
    }

    private let script: Mutex<[Reply]>
    let calls = Log<EtcdTransport.Call>()
    let waits = Log<Duration>()
    private let silence = Mutex(Duration.zero)
    private let start = ContinuousClock.now

    init(_ script: [Reply]) { self.script = Mutex(script) }

    /// As etcd 3.4 writes it.
    static let header =
        #""header":{"cluster_id":"14841639068965178418","member_id":"1","revision":"7","raft_term":"2"}"#
    static let empty = Reply.answer(200, "{\(header)}")

    static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    func store(endpoints: [String] = ["one"], credentials: EtcdCredentials? = nil) -> EtcdUpgradeStore {
        let configuration = EtcdConfiguration(endpoints: endpoints, prefix: "/a", credentials: credentials)
        let transport = EtcdTransport {
            try self.reply(to: $0).answer
        } lines: { call, isEnough in
            let reply = try self.reply(to: call)
            for line in reply.lines where try isEnough(Array(line.utf8)) { break }
            return reply.answer
        }
        // Waits end at once, and yet time passes.
        let pacing = Pacing(
            pause: { self.waits.add($0) },
            random: { 0 },
            now: { self.waits.entries.reduce(self.start + self.silence.withLock { $0 }) { $0 + $1 } }
        )
        return EtcdUpgradeStore(EtcdGateway(configuration, transport: transport), pacing: pacing)
    }

    private func reply(to call: EtcdTransport.Call) throws -> (answer: EtcdTransport.Answer, lines: [String]) {
        calls.add(call)
        let reply = script.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .failure(wasSent: false) }
        switch reply {
        case .answer(let status, let body): return (EtcdTransport.Answer(status: status, body: Array(body.utf8)), [])
        case .lines(let lines): return (EtcdTransport.Answer(status: 200), lines)
        case .quiet(let duration):
            silence.withLock { $0 += duration }
            return (EtcdTransport.Answer(status: 200), [])
        case .quietAndLost(let duration):
            silence.withLock { $0 += duration }
            throw CurlError(.connectionLost, "it is gone", wasSent: true)
        case .failure(let wasSent): throw CurlError(.connectionLost, "it is gone", wasSent: wasSent)
        }
    }
}
#endif

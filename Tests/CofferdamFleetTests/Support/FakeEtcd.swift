#if Fleet
import Cofferdam
import CofferdamCurl
import CofferdamSupport
import CofferdamTesting
import Foundation
import TestSupport

@testable import CofferdamFleet

/// An etcd in memory: keys, their revisions, transactions and watches. Its stores wait on the test's clock.
final class FakeEtcd: Sendable {
    fileprivate struct Pair {
        var value: String
        var created: Int64
        var changed: Int64
    }

    fileprivate struct Watch {
        var keys: Range<String>
        var lines: AsyncStream<String>.Continuation
    }

    fileprivate struct State {
        var pairs: [String: Pair] = [:]
        /// The revision of each key's last change, including deleted keys.
        var changes: [String: Int64] = [:]
        var revision: Int64 = 1
        var watches: [Int: Watch] = [:]
        var count = 0
    }

    private let clock: TestClock
    private let date: Int?
    private let state = Mutex(State())

    /// - Parameter date: its hosts' time when the test's clock starts, in seconds since 1970; nil if it tells none.
    init(clock: TestClock, date: Int? = nil) { (self.clock, self.date) = (clock, date) }

    /// A store for one instance, whose random waits are the longest possible.
    func store() -> EtcdUpgradeStore {
        let configuration = EtcdConfiguration(endpoints: ["fake"], prefix: "/a")
        let transport = EtcdTransport {
            try self.answer($0)
        } lines: {
            try await self.watch($0, $1)
        }
        let start = ContinuousClock.now
        let pacing = Pacing(
            pause: { [clock] in try await clock.sleep(for: $0) },
            random: { 1 },
            now: { [clock] in start + clock.now.offset }
        )
        let gateway = EtcdGateway(configuration, transport: transport, now: pacing.now)
        return EtcdUpgradeStore(gateway, pacing: pacing)
    }

    /// The number of watches.
    var watchers: Int { state.withLock { $0.watches.count } }

    /// Writes as a person would, with a tool.
    func put(_ key: String, _ value: String) {
        state.withLock { state in
            state.revision += 1
            state.put(key, Data(value.utf8).base64EncodedString())
        }
    }

    /// Ends every watch.
    func cut() {
        for watch in state.withLock({ $0.watches.values }) { watch.lines.finish() }
    }

    // MARK: Answers

    private func answer(_ call: EtcdTransport.Call) throws -> EtcdTransport.Answer {
        let body = try state.withLock { state in
            let question = try Self.object(call.body)
            var answer: [String: Any]
            switch call.path {
            case "/v3/kv/range": answer = ["kvs": try state.found(question)]
            case "/v3/kv/txn": answer = try state.transact(question)
            default: throw TestError(call.path)
            }
            answer["header"] = ["cluster_id": "7", "revision": "\(state.revision)"]
            return Array(try JSONSerialization.data(withJSONObject: answer))
        }
        let date = date.map { $0 + Int(clock.now.offset.components.seconds) }
        return EtcdTransport.Answer(status: 200, body: body, date: date)
    }

    private func watch(
        _ call: EtcdTransport.Call,
        _ isEnough: ([UInt8]) throws -> Bool
    ) async throws -> EtcdTransport.Answer {
        guard let wanted = try Self.object(call.body)["create_request"] as? [String: Any] else {
            throw TestError("no watch")
        }
        let keys = try Self.text(wanted["key"])..<Self.text(wanted["range_end"])
        let start = Int64(wanted["start_revision"] as? String ?? "") ?? 0
        let (lines, continuation) = AsyncStream<String>.makeStream()
        let id = state.withLock { state in
            state.count += 1
            state.watches[state.count] = Watch(keys: keys, lines: continuation)
            // Changes between the read and the watch are reported too.
            if state.changes.contains(where: { keys.contains($0.key) && $0.value >= start }) {
                continuation.yield(state.event)
            }
            return state.count
        }
        defer { state.withLock { _ = $0.watches.removeValue(forKey: id) } }
        for await line in lines where try isEnough(Array(line.utf8)) { return EtcdTransport.Answer(status: 200) }
        try Task.checkCancellation()
        throw CurlError(.connectionLost, "the watch is cut", wasSent: true)
    }

    fileprivate static func object(_ bytes: [UInt8]) throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
            throw TestError("no object")
        }
        return object
    }

    fileprivate static func text(_ value: Any?) throws -> String {
        guard let data = (value as? String).flatMap({ Data(base64Encoded: $0) }) else { throw TestError("no bytes") }
        return String(decoding: data, as: UTF8.self)
    }
}

extension FakeEtcd.State {
    fileprivate var event: String {
        #"{"result":{"header":{"cluster_id":"7","revision":"\#(revision)"},"events":[{}]}}"#
    }

    fileprivate mutating func put(_ key: String, _ value: String) {
        let created = pairs[key]?.created ?? revision
        pairs[key] = FakeEtcd.Pair(value: value, created: created, changed: revision)
        tell(key)
    }

    private mutating func tell(_ key: String) {
        changes[key] = revision
        for watch in watches.values where watch.keys.contains(key) { watch.lines.yield(event) }
    }

    fileprivate func found(_ range: [String: Any]) throws -> [[String: String]] {
        let key = try FakeEtcd.text(range["key"])
        let keys = try range["range_end"].map { key..<(try FakeEtcd.text($0)) }
        let most = (range["max_create_revision"] as? String).flatMap { Int64($0) } ?? .max
        let found = pairs.filter { (keys?.contains($0.key) ?? ($0.key == key)) && $0.value.created <= most }
        let limit = (range["limit"] as? String).flatMap { Int($0) } ?? .max
        return found.sorted { $0.value.created > $1.value.created }.prefix(limit).map { key, pair in
            [
                "key": Data(key.utf8).base64EncodedString(), "value": pair.value,
                "create_revision": "\(pair.created)", "mod_revision": "\(pair.changed)",
            ]
        }
    }

    fileprivate mutating func transact(_ body: [String: Any]) throws -> [String: Any] {
        let holds = try (body["compare"] as? [[String: Any]] ?? []).allSatisfy { comparison in
            let changed = pairs[try FakeEtcd.text(comparison["key"])]?.changed ?? 0
            return "\(changed)" == comparison["mod_revision"] as? String
        }
        let steps = body[holds ? "success" : "failure"] as? [[String: [String: Any]]] ?? []
        if steps.contains(where: { $0["request_range"] == nil }) { revision += 1 }
        let responses = try steps.map { step -> [String: Any] in
            if let range = step["request_range"] { return ["response_range": ["kvs": try found(range)]] }
            if let put = step["request_put"] {
                self.put(try FakeEtcd.text(put["key"]), put["value"] as? String ?? "")
            } else if let range = step["request_delete_range"] {
                let key = try FakeEtcd.text(range["key"])
                pairs[key] = nil
                tell(key)
            }
            return [:]
        }
        return holds ? ["succeeded": true, "responses": responses] : ["responses": responses]
    }
}
#endif

#if Fleet
import Cofferdam
import CofferdamCurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A client for etcd's JSON gateway, at whichever endpoint answers. Reads are linearizable: confirmed by a majority, or
/// not answered.
struct EtcdGateway: Sendable {
    let configuration: EtcdConfiguration
    let positionRecord: EtcdPositionRecord
    let time: EtcdTime
    private let transport: EtcdTransport
    private let session = Session()

    private final class Session: Sendable {
        private let state = Mutex((token: String?.none, preferred: 0))

        var token: String? {
            get { state.withLock { $0.token } }
            set { state.withLock { $0.token = newValue } }
        }
        var preferred: Int {
            get { state.withLock { $0.preferred } }
            set { state.withLock { $0.preferred = newValue } }
        }
    }

    /// - Parameter now: the time of this host that no setting of its clock changes.
    init(
        _ configuration: EtcdConfiguration,
        transport: EtcdTransport,
        known: EtcdPosition? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.configuration = configuration
        self.transport = transport
        positionRecord = EtcdPositionRecord(known)
        time = EtcdTime(now: now)
    }

    // MARK: Requests

    /// Asks one endpoint after another, until one answers.
    ///
    /// - Throws: ``EtcdFailure``; `CancellationError`.
    func ask<Answer: EtcdAnswer>(_ path: String, _ question: some Encodable, as answer: Answer.Type) async throws
        -> Answer
    {
        let body = try Self.encoded(question)
        var failures: [EtcdFailure] = []
        for (index, endpoint) in order() {
            do {
                let answer: Answer = try await ask(endpoint, path, body)
                session.preferred = index
                return answer
            } catch let failure as EtcdFailure {
                if failure.kind == .setBack { throw failure }
                failures.append(failure)
            }
        }
        let mayBeDone = failures.contains { $0.kind == .unknown }
        throw EtcdFailure(
            mayBeDone ? .unknown : .refused,
            failures.isEmpty ? "no endpoint is given" : failures.map(\.message).joined(separator: "; ")
        )
    }

    /// Waits for a change of a key in the range, at a revision from `start` on.
    ///
    /// - Returns: false if the watch ended without a change, so that the caller must read the keys.
    /// - Throws: ``EtcdFailure``; `CancellationError`.
    func waitForChange(in keys: Range<String>, from start: Int64) async throws -> Bool {
        let create = EtcdWatchRequest.Create(
            key: Data(keys.lowerBound.utf8),
            rangeEnd: Data(keys.upperBound.utf8),
            startRevision: EtcdInteger(start)
        )
        let body = try Self.encoded(EtcdWatchRequest(createRequest: create))
        let position = positionRecord.position
        let order = order()
        guard let (index, endpoint) = order.first else { throw EtcdFailure(.refused, "no endpoint is given") }
        do {
            let hasChanged = Mutex(false)
            let call = EtcdTransport.Call(
                endpoint: endpoint,
                path: "/v3/watch",
                body: body,
                token: try await token(at: endpoint),
                timeout: configuration.timeout,
                silence: configuration.watchLimit
            )
            let answer = try await translating(endpoint) {
                try await transport.lines(call) { line in
                    let isOver = try Self.isChange(line, positionRecord, since: position)
                    hasChanged.withLock { $0 = isOver }
                    return isOver
                }
            }
            guard answer.status == 200 else { throw Self.refusal(answer, at: endpoint) }
            return hasChanged.withLock { $0 }
        } catch let failure as EtcdFailure {
            if EtcdTokenRefusal.matches(by: failure.message) { session.token = nil }
            session.preferred = (index + 1) % configuration.endpoints.count
            throw failure
        }
    }

    // MARK: One endpoint

    private func order() -> [(offset: Int, element: String)] {
        let endpoints = Array(configuration.endpoints.enumerated())
        let preferred = session.preferred
        return Array(endpoints[preferred...] + endpoints[..<preferred])
    }

    private func ask<Answer: EtcdAnswer>(_ endpoint: String, _ path: String, _ body: [UInt8]) async throws -> Answer {
        let start = positionRecord.position
        let token = try await token(at: endpoint)
        do {
            return try await send(endpoint, path, body, token: token, since: start)
        } catch let failure as EtcdFailure
            where configuration.credentials != nil && failure.kind == .refused
            && EtcdTokenRefusal.matches(by: failure.message)
        {
            // A refused request was not carried out, so it is sent once more with a new token.
            if session.token == token { session.token = nil }
            return try await send(endpoint, path, body, token: try await self.token(at: endpoint), since: start)
        }
    }

    private func token(at endpoint: String) async throws -> String? {
        guard let credentials = configuration.credentials else { return nil }
        if let token = session.token { return token }
        let login = try Self.encoded(EtcdLogin(name: credentials.user, password: credentials.password))
        do {
            let answer: EtcdLoginAnswer = try await send(
                endpoint,
                "/v3/auth/authenticate",
                login,
                token: nil,
                since: positionRecord.position
            )
            session.token = answer.token
            return answer.token
        } catch var failure as EtcdFailure {
            // Whatever became of the login, the request that needs it was not sent.
            if failure.kind == .unknown { failure.kind = .refused }
            throw failure
        }
    }

    private func send<Answer: EtcdAnswer>(
        _ endpoint: String,
        _ path: String,
        _ body: [UInt8],
        token: String?,
        since start: EtcdPosition?
    ) async throws -> Answer {
        let call = EtcdTransport.Call(
            endpoint: endpoint,
            path: path,
            body: body,
            token: token,
            timeout: configuration.timeout
        )
        let reply = try await translating(endpoint) { try await transport.send(call) }
        guard reply.status == 200 else { throw Self.refusal(reply, at: endpoint) }
        if let date = reply.date { time.observe(date) }
        let answer: Answer
        do {
            answer = try Self.decoder.decode(Answer.self, from: Data(reply.body))
        } catch {
            throw EtcdFailure(.unknown, "\(Self.name(endpoint)): the answer is not etcd's")
        }
        try positionRecord.observe(answer.header, since: start, isLinearizable: Answer.isLinearizable)
        return answer
    }

    // MARK: Errors

    /// The endpoint's address without a password.
    private static func name(_ endpoint: String) -> Substring {
        endpoint.lastIndex(of: "@").map { endpoint[endpoint.index(after: $0)...] } ?? endpoint[...]
    }

    private func translating<Value>(_ endpoint: String, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as CancellationError {
            throw error
        } catch let failure as EtcdFailure {
            throw failure
        } catch let error as CurlError where error.wasSent == false {
            throw EtcdFailure(.refused, "\(Self.name(endpoint)): \(error)")
        } catch {
            throw EtcdFailure(.unknown, "\(Self.name(endpoint)): \(error)")
        }
    }

    /// A client error is refused before anything is done. After every other error the outcome is unknown: after
    /// "request timed out", for example, the proposal may still be committed.
    private static func refusal(_ answer: EtcdTransport.Answer, at endpoint: String) -> EtcdFailure {
        let isRefused = (400..<500).contains(answer.status) && answer.status != 408
        // If a refusal's message cannot be read, only its status is known.
        let said = (try? decoder.decode(EtcdRefusal.self, from: Data(answer.body)))?.message
        return EtcdFailure(
            isRefused ? .refused : .unknown,
            "\(name(endpoint)): it answers \(answer.status)" + (said.map { ": \($0)" } ?? "")
        )
    }

    private static func isChange(
        _ line: [UInt8],
        _ positionRecord: EtcdPositionRecord,
        since start: EtcdPosition?
    ) throws -> Bool {
        let line = try decoder.decode(EtcdWatchLine.self, from: Data(line))
        guard let result = line.result else { throw EtcdFailure(.refused, line.error?.message ?? "the watch ended") }
        if let reason = result.cancelReason { throw EtcdFailure(.refused, reason) }
        if let revision = result.compactRevision {
            throw EtcdFailure(.refused, "the cluster keeps nothing from before revision \(revision.value)")
        }
        if result.canceled == true { throw EtcdFailure(.refused, "the watch was cancelled") }
        try positionRecord.observe(result.header, since: start, isLinearizable: false)
        return result.events?.isEmpty == false
    }

    private static func encoded(_ message: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = .sortedKeys
        return [UInt8](try encoder.encode(message))
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}
#endif

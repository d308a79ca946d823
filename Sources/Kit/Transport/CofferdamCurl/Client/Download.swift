#if Curl
import HTTPTypes

/// One attempt of a download, which goes on with the part of an earlier one.
struct Download {
    private let client: CurlClient
    private let path: String
    private let limit: Int
    private let body: CurlRequestBody
    private let limits: TransferLimits
    /// Nil if redirects are returned.
    private let hops: RequestAttempts?
    /// The observation of the whole download.
    private let observation: RequestObservation?

    init(
        client: CurlClient,
        path: String,
        limit: Int,
        body: CurlRequestBody,
        limits: TransferLimits,
        redirects: RedirectPolicy,
        observation: RequestObservation?
    ) {
        self.client = client
        self.path = path
        self.limit = limit
        self.body = body
        self.limits = limits
        hops = RequestAttempts(redirects: redirects, retry: .never, budget: nil)
        self.observation = observation
    }

    private struct Answer {
        let stream: CurlStream
        /// The request that was answered: the last hop's, without a range.
        let request: HTTPRequest
        let hasBody: Bool
        /// Whether the request was for the rest of the part.
        let goesOn: Bool
    }

    /// - Parameter isNew: whether to ignore a part.
    func run(_ request: HTTPRequest, isNew: Bool = false) async throws -> DownloadResult {
        var part = DownloadFile.part(for: path, creates: false)
        let size = part?.size ?? 0
        let noted = isNew ? nil : part?.note.flatMap(DownloadProgress.init(note:))
        let answer = try await ask(request, goingOn: noted, of: size)
        if var progress = noted, answer.goesOn {
            let offset = progress.usable(of: size)
            switch answer.stream.head.status.code {
            case 206:
                do { try progress.check(answer.stream.head, after: offset) } catch {
                    answer.stream.body.discard()
                    part?.abandon()
                    throw error
                }
                if var file = part.take() {
                    try file.cut(to: offset)
                    // The old note stays true if this one cannot be written.
                    _ = file.keep(as: progress)
                    return try await receive(answer.stream, in: &file, total: progress.total)
                }
            case 416:
                observation?.receive(answer.stream.head)
                observation?.resend()
                answer.stream.body.discard()
                part?.abandon()
                part = nil
                return try await run(request, isNew: true)
            default: break
            }
        }
        return try await begin(answer, with: part.take())
    }

    /// Sends the request, and follows its redirects. Only the part's own address is asked for the rest of it.
    private func ask(_ request: HTTPRequest, goingOn noted: DownloadProgress?, of size: Int) async throws -> Answer {
        func attempt(_ request: HTTPRequest, sendsBody: Bool) async throws -> Answer {
            let body = sendsBody ? body : .empty
            var asked = request
            var goesOn = false
            if let noted, body.isEmpty, noted.resource == DownloadProgress.resource(of: request),
                noted.usable(of: size) > 0
            {
                asked = noted.request(request, after: noted.usable(of: size))
                goesOn = true
            }
            let stream = try await client.streamOnce(asked, body, limits)
            return Answer(stream: stream, request: request, hasBody: !body.isEmpty, goesOn: goesOn)
        }
        guard let hops else { return try await attempt(request, sendsBody: true) }
        return try await hops.run(
            request,
            isBodyReplayable: { body.isReplayable },
            observation: observation,
            head: \.stream.head,
            discard: { $0.stream.body.discard() },
            attempt: attempt
        )
    }

    /// Begins anew with the body of a successful reply.
    private func begin(_ answer: Answer, with part: consuming DownloadFile?) async throws -> DownloadResult {
        let stream = answer.stream
        guard stream.head.status.kind == .successful else {
            let refusal = try await stream.body.collect(upTo: limits.maximumBodySize)
            let reply = CurlReply(head: stream.head, body: refusal, httpVersion: stream.httpVersion)
            return DownloadResult(reply: reply, head: stream.head, size: refusal.count)
        }
        let progress = answer.hasBody ? nil : DownloadProgress(of: answer.request, stream.head)
        var part = part
        if part == nil, progress != nil { part = DownloadFile.part(for: path, creates: true) }
        if var file = part.take() {
            try file.cut(to: 0)
            if let progress, file.keep(as: progress) {
                return try await receive(stream, in: &file, total: progress.total)
            }
            file.abandon()
        }
        var file = try DownloadFile(for: path)
        return try await receive(stream, in: &file, total: nil)
    }

    private func receive(
        _ stream: CurlStream,
        in file: inout DownloadFile,
        total: Int?
    ) async throws -> DownloadResult {
        observation?.receive(stream.head, version: stream.httpVersion)
        let start = file.size
        for try await block in stream.body {
            guard block.count <= limit - file.size else {
                file.abandon()
                throw CurlError(.tooLarge, "the reply's body is over \(limit) bytes", wasSent: true)
            }
            try file.write(block)
        }
        if let total, file.size != total {
            if file.size > total { file.abandon() }
            throw CurlError(.truncated, "the body has \(file.size) of \(total) bytes", wasSent: true)
        }
        try file.complete()
        let isPart = stream.head.status.code == 206 && file.isKept
        let head = isPart ? DownloadProgress.whole(stream.head, size: file.size) : stream.head
        let reply = CurlReply(head: head, body: [], httpVersion: stream.httpVersion)
        return DownloadResult(reply: reply, head: stream.head, size: file.size - start)
    }
}

/// The reply to a download, and what its last request received.
struct DownloadResult: ExchangeReply {
    static var isWhole: Bool { false }

    let reply: CurlReply
    /// The head as the server sent it.
    let head: HTTPResponse
    /// The size of the body in bytes, counted after decompression.
    let size: Int

    func discard() {}

    func report(to observation: RequestObservation) {
        // That of a body was recorded before it.
        if head.status.kind != .successful { observation.receive(head, version: reply.httpVersion) }
        observation.end(bodySize: size)
    }
}
#endif

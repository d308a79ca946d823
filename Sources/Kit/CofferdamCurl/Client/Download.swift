import HTTPTypes

/// One attempt of a download, which goes on with the part of an earlier one.
struct Download {
    let client: CurlClient
    let path: String
    let limit: Int
    let body: CurlRequestBody
    let options: CurlOptions

    /// - Parameter isNew: whether to ignore a part.
    func run(_ request: HTTPRequest, isNew: Bool = false) async throws -> CurlReply {
        let resource = body.isEmpty ? DownloadProgress.resource(of: request) : nil
        var part = resource == nil ? nil : DownloadFile.part(for: path, creates: false)
        let size = part?.size ?? 0
        let noted = isNew ? nil : part?.note.flatMap(DownloadProgress.init(note:))
        if var progress = noted, progress.resource == resource, progress.usable(of: size) > 0 {
            let offset = progress.usable(of: size)
            let stream = try await client.stream(progress.request(request, after: offset), body: body, options: options)
            switch stream.head.status.code {
            case 206:
                do { try progress.check(stream.head, after: offset) } catch {
                    stream.body.discard()
                    part?.abandon()
                    throw error
                }
                if var file = part.take() {
                    try file.cut(to: offset)
                    return try await receive(stream, in: &file, total: progress.total)
                }
            case 416:
                stream.body.discard()
                part?.abandon()
                part = nil
                return try await run(request, isNew: true)
            default: return try await begin(stream, of: request, with: part.take())
            }
        }
        return try await begin(client.stream(request, body: body, options: options), of: request, with: part.take())
    }

    /// Begins anew with the body of a successful reply.
    private func begin(_ stream: CurlStream, of request: HTTPRequest, with part: consuming DownloadFile?) async throws
        -> CurlReply
    {
        guard stream.head.status.kind == .successful else {
            let refusal = try await stream.body.collect(upTo: options.maximumBodySize)
            return CurlReply(head: stream.head, body: refusal, httpVersion: stream.httpVersion)
        }
        let progress = body.isEmpty ? DownloadProgress(of: request, stream.head) : nil
        var part = part
        if part == nil, progress != nil { part = DownloadFile.part(for: path, creates: true) }
        if var file = part.take() {
            try file.cut(to: 0)
            if let progress, file.write(note: progress.note) {
                return try await receive(stream, in: &file, total: progress.total)
            }
            file.abandon()
        }
        var file = try DownloadFile(for: path)
        return try await receive(stream, in: &file, total: nil)
    }

    private func receive(_ stream: CurlStream, in file: inout DownloadFile, total: Int?) async throws -> CurlReply {
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
        return CurlReply(head: head, body: [], httpVersion: stream.httpVersion)
    }
}

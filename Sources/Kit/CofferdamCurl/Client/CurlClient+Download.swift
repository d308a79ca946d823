public import HTTPTypes  // requests are HTTPRequest

extension CurlClient {
    /// Downloads the body of a successful reply to a file, atomically: the bytes go to a temporary file beside it,
    /// which replaces the destination once the body is complete. Until then an existing file stays as it is.
    ///
    /// A body that stalls for the options' idle time-out, or for 60 seconds if they set none, ends the request.
    ///
    /// - Parameter limit: the largest body, in bytes, counted after decompression; `nil` for no limit.
    /// - Returns: the reply. If its status is 2xx, the body is in the file; otherwise the reply holds the body and no
    ///   file is touched.
    /// - Throws: as ``send(_:body:options:)``; `file` when the file cannot be written, `tooLarge` above the limit.
    @concurrent public func download(
        _ request: HTTPRequest,
        to path: String,
        upTo limit: Int? = nil,
        body: CurlRequestBody = .empty,
        options: CurlOptions? = nil
    ) async throws -> CurlReply {
        var options = options ?? self.options
        options.timeouts.idle = options.timeouts.idle ?? .seconds(60)
        let stream = try await stream(request, body: body, options: options)
        guard stream.head.status.kind == .successful else {
            let refusal = try await stream.body.collect(upTo: options.maximumBodySize)
            return CurlReply(head: stream.head, body: refusal, httpVersion: stream.httpVersion)
        }
        var file = try DownloadFile(for: path)
        var size = 0
        for try await block in stream.body {
            size += block.count
            guard size <= limit ?? .max else {
                throw CurlError(.tooLarge, "the reply's body is over \(limit ?? .max) bytes", wasSent: true)
            }
            try file.write(block)
        }
        try file.complete()
        return CurlReply(head: stream.head, body: [], httpVersion: stream.httpVersion)
    }
}

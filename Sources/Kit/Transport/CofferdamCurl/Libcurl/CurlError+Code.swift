#if Curl
import CLibcurl

extension CurlError {
    /// CURLE_TOO_LARGE, which older headers do not have.
    private static let tooLargeForLibcurl = CURLcode(rawValue: 100)

    /// Converts a result of libcurl. All conversions go through here.
    ///
    /// - Parameter hasHead: whether the reply's head had arrived.
    init(_ result: CURLcode, detail: String, wasSent: Bool?, hasHead: Bool) {
        let code: Code =
            switch result {
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dns
            case CURLE_COULDNT_CONNECT, CURLE_PROXY: .connect
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE,
                CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_USE_SSL_FAILED,
                CURLE_SSL_CLIENTCERT:
                .tls
            case CURLE_PARTIAL_FILE where hasHead: .truncated
            // libcurl reports the same for a proxy that does not open the tunnel.
            case CURLE_SEND_ERROR where wasSent == false, CURLE_RECV_ERROR where wasSent == false: .connect
            // In TLS 1.3 the server checks the client's certificate after the request may have been sent.
            case CURLE_RECV_ERROR where !hasHead && detail.contains("SSL routines") && detail.contains(" alert "): .tls
            // libcurl reports this for heads beyond its own limits, and for HTTP/2 heads in too many frames or without
            // room in its buffers.
            case CURLE_RECV_ERROR where Self.isAboutLongHeads(detail): .tooLarge
            // A trailer beyond libcurl's limits, the only part of a chunked body that it stores.
            case CURLE_RECV_ERROR where detail == "Out of memory in chunked-encoding": .tooLarge
            case CURLE_RECV_ERROR where detail.contains("nghttp2_session_mem_recv()"): .protocol
            // libcurl reports the same for malformed chunks.
            case CURLE_RECV_ERROR where detail.hasSuffix("in chunked-encoding"): .protocol
            case CURLE_SEND_ERROR where hasHead, CURLE_RECV_ERROR where hasHead: .truncated
            // libcurl reports a partial file for a head that was cut after its Content-Length.
            case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_SEND_FAIL_REWIND:
                .connectionLost
            // libcurl's limit for the header data that it stores.
            case CURLE_OUT_OF_MEMORY, Self.tooLargeForLibcurl: .tooLarge
            // libcurl reports the same when the server closes the connection before it has accepted any request.
            case CURLE_HTTP2 where !hasHead: .connectionLost
            // libcurl reports the same for a reply that is not HTTP, which it takes for HTTP/0.9.
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM,
                CURLE_BAD_CONTENT_ENCODING:
                .protocol
            // libcurl reports this for an invalid header or trailer, and for a chunked body in HTTP/1.0.
            case CURLE_BAD_FUNCTION_ARGUMENT where wasSent != false, CURLE_UPLOAD_FAILED: .protocol
            case CURLE_URL_MALFORMAT: .invalidRequest
            default: .unknown
            }
        let general = String(cString: curl_easy_strerror(result))
        var message = detail.isEmpty ? general : detail
        // libcurl's only time-out, for a request that reconnects; the detail may be from an earlier attempt.
        if code == .timeout { message = "no connection in time" }
        self.init(code, message, curlCode: Int32(result.rawValue), wasSent: wasSent)
        if code == .timeout { timeout = .connect }
    }

    private static func isAboutLongHeads(_ detail: String) -> Bool {
        detail.hasPrefix("Too large response headers")
            || ["-902", "-905"].contains { detail.contains("nghttp2_session_mem_recv() returned \($0)") }
    }
}
#endif

import CLibcurl

extension CurlError {
    /// CURLE_TOO_LARGE, which older headers do not have.
    private static let tooLargeForLibcurl = CURLcode(rawValue: 100)

    /// The one place where libcurl's results become ours.
    ///
    /// - Parameter hasHead: whether the reply's head had come.
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
            case CURLE_PARTIAL_FILE: .truncated
            // Also what libcurl says of a proxy that does not open the tunnel.
            case CURLE_SEND_ERROR where wasSent == false, CURLE_RECV_ERROR where wasSent == false: .connect
            // In TLS 1.3 the server looks at the client's certificate when the request is on its way already.
            case CURLE_RECV_ERROR where !hasHead && detail.contains("SSL routines") && detail.contains(" alert "): .tls
            // What libcurl says of heads beyond its own bounds, and its HTTP/2 of those in too many frames, and of those that
            // libcurl has no room for.
            case CURLE_RECV_ERROR where Self.isAboutLongHeads(detail): .tooLarge
            // Of a trailer beyond its bounds, which is all that it holds of chunks.
            case CURLE_RECV_ERROR where detail == "Out of memory in chunked-encoding": .tooLarge
            case CURLE_RECV_ERROR where detail.contains("nghttp2_session_mem_recv()"): .protocol
            // Also what libcurl says of chunks that are none.
            case CURLE_RECV_ERROR where detail.hasSuffix("in chunked-encoding"): .protocol
            case CURLE_SEND_ERROR where hasHead, CURLE_RECV_ERROR where hasHead: .truncated
            case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_SEND_FAIL_REWIND: .connectionLost
            // What a header line makes libcurl hold: it has a bound for that.
            case CURLE_OUT_OF_MEMORY, Self.tooLargeForLibcurl: .tooLarge
            // Also what libcurl says when the server goes away before it has taken any of the requests.
            case CURLE_HTTP2 where !hasHead: .connectionLost
            // Also what libcurl says of a reply that is no HTTP: it takes it for HTTP/0.9.
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM,
                CURLE_BAD_CONTENT_ENCODING:
                .protocol
            // What libcurl says of a header, or of a trailer, that is none, and of HTTP/1.0 for a body in chunks.
            case CURLE_BAD_FUNCTION_ARGUMENT where wasSent != false, CURLE_UPLOAD_FAILED: .protocol
            case CURLE_URL_MALFORMAT: .invalidRequest
            default: .unknown
            }
        let general = String(cString: curl_easy_strerror(result))
        var message = detail.isEmpty ? general : detail
        // The only one that libcurl has, for a request that connects again; the detail may be of the time before.
        if code == .timeout { message = "no connection within the time" }
        self.init(code, message, curlCode: Int32(result.rawValue), wasSent: wasSent)
        if code == .timeout { timeout = .connect }
    }

    private static func isAboutLongHeads(_ detail: String) -> Bool {
        detail.hasPrefix("Too large response headers")
            || ["-902", "-905"].contains { detail.contains("nghttp2_session_mem_recv() returned \($0)") }
    }
}

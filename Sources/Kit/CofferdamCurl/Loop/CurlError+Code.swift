import CLibcurl

extension CurlError {
    /// The one place where libcurl's results become ours.
    init(_ result: CURLcode, detail: String, wasSent: Bool?) {
        let code: Code =
            switch result {
            case CURLE_COULDNT_RESOLVE_HOST: .dns
            case CURLE_COULDNT_CONNECT: .connect
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE,
                CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_USE_SSL_FAILED:
                .tls
            case CURLE_PARTIAL_FILE: .truncated
            case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_SEND_FAIL_REWIND: .connectionLost
            // Also what libcurl says of a reply that is no HTTP: it takes it for HTTP/0.9.
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM,
                CURLE_BAD_CONTENT_ENCODING:
                .protocol
            case CURLE_URL_MALFORMAT: .invalidRequest
            default: .unknown
            }
        let general = String(cString: curl_easy_strerror(result))
        let message = detail.isEmpty ? general : detail
        self.init(code, message, curlCode: Int32(result.rawValue), wasSent: wasSent)
    }
}

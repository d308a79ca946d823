#if Curl
import CLibcurl

/// Settings common to all easy handles of a client, applied once when a handle is created.
struct HandleSettings {
    let configuration: CurlConfiguration

    func apply(to options: inout EasyOptions) {
        setRules(&options)
        setTLS(configuration.tls, &options)
        setProxy(configuration.proxy, &options)
        if let path = configuration.unixSocket { options.set(CURLOPT_UNIX_SOCKET_PATH, path) }
    }

    private func setRules(_ options: inout EasyOptions) {
        options.check(cofferdam_setopt_http_only(options.raw))
        // The client follows redirects itself: libcurl forwards custom headers to other hosts.
        options.set(CURLOPT_FOLLOWLOCATION, 0)
        options.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        options.set(CURLOPT_PATH_AS_IS, 1)
        // Consumers decode their bodies: libcurl would do it on the loop, and accept a truncated body as complete.
        options.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        options.set(CURLOPT_NOSIGNAL, 1)
        options.set(CURLOPT_TCP_KEEPALIVE, 1)
        // Otherwise cancelling a transfer that is still resolving waits for the resolver.
        options.check(cofferdam_setopt_quick_exit(options.raw))
        options.check(cofferdam_setopt_close_on_exec(options.raw))
    }

    private func setTLS(_ tls: CurlTLS, _ options: inout EasyOptions) {
        options.set(CURLOPT_SSL_VERIFYPEER, tls.acceptsForgedCertificates ? 0 : 1)
        options.set(CURLOPT_SSL_VERIFYHOST, tls.acceptsForgedCertificates ? 0 : 2)
        options.set(
            CURLOPT_SSLVERSION,
            tls.minimumVersion == .tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
        )
        setAuthorities(tls.authorities, &options)
        TLSConnection.prepare(&options, logsKeys: tls.logsKeys)
        if let certificate = tls.clientCertificate {
            options.set(CURLOPT_SSLCERT, certificate.certificateFile)
            options.set(CURLOPT_SSLKEY, certificate.keyFile)
            if let password = certificate.keyPassword { options.set(CURLOPT_KEYPASSWD, password) }
        }
        if !tls.pinnedKeys.isEmpty {
            options.set(CURLOPT_PINNEDPUBLICKEY, tls.pinnedKeys.map { "sha256//\($0)" }.joined(separator: ";"))
        }
    }

    private func setAuthorities(_ authorities: CurlTLS.Authorities, _ options: inout EasyOptions) {
        switch authorities {
        case .system:
            // With a directory libcurl does not cache the authorities: each connection reads them all again.
            if cofferdam_default_ca_file() != nil { options.set(CURLOPT_CAPATH, nil) }
        case .file(let path):
            options.set(CURLOPT_CAINFO, path)
            options.set(CURLOPT_CAPATH, nil)
        case .pem(let text):
            var text = text
            text.withUTF8 { bytes in
                options.check(cofferdam_setopt_blob(options.raw, CURLOPT_CAINFO_BLOB, bytes.baseAddress, bytes.count))
            }
            options.set(CURLOPT_CAPATH, nil)
        }
    }

    private func setProxy(_ proxy: CurlProxy?, _ options: inout EasyOptions) {
        // Empty rather than absent, so that the environment's proxies are not used.
        options.set(CURLOPT_PROXY, proxy.map { "\($0.scheme.rawValue)://\($0.host):\($0.port)" } ?? "")
        // So for the exceptions, which libcurl would look up for each request even without a proxy.
        options.set(CURLOPT_NOPROXY, proxy?.exceptions.joined(separator: ",") ?? "")
        guard let proxy else { return }
        options.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        options.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // For CONNECT: other requests have it among their headers.
        if let userAgent = configuration.userAgent { options.set(CURLOPT_USERAGENT, userAgent) }
        if let user = proxy.user { options.set(CURLOPT_PROXYUSERNAME, user) }
        if let password = proxy.password { options.set(CURLOPT_PROXYPASSWORD, password) }
        options.set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
        options.set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
    }
}
#endif

#if Curl
import CLibcurl
package import HTTPTypes

/// Resolves a `Location` with libcurl's URL parser, so that the URL that is checked is the one libcurl connects to.
package enum RedirectTarget {
    /// Returns a request without header fields for the bytes of a `Location`, resolved against `request`; its fragment is dropped (RFC
    /// 9110, section 10.2.2; RFC 3986, section 5).
    ///
    /// - Throws: `redirect` for an invalid URL, for schemes other than http and https, and for credentials in the URL.
    package static func resolve(
        _ location: [UInt8],
        against request: HTTPRequest
    ) throws(CurlError) -> HTTPRequest {
        var reference = location.prefix { $0 != UInt8(ascii: "#") }.drop { isBlank($0) }
        while let last = reference.last, isBlank(last) { reference.removeLast() }
        // A C string would end at a NUL.
        guard reference.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw RedirectPolicy.refused(request, "a redirect with a control character")
        }
        do throws(CurlError) {
            let target = try RequestTarget(scheme: request.scheme, authority: request.authority, path: request.path)
            // An empty reference means the same document (RFC 3986, section 4.4); libcurl would resolve it to the
            // parent.
            guard !reference.isEmpty else { return try HTTPRequest(request.method, url: target.url) }
            guard let url = join(target.url, Array(reference)) else {
                throw CurlError(.redirect, "it is not an http or https URL, or holds credentials")
            }
            let next = try HTTPRequest(request.method, url: url)
            // libcurl would decode it, so that it would connect to a different host than the one compared.
            if next.authority?.contains("%") == true, RequestOrigin(next) != RequestOrigin(request) {
                throw CurlError(.redirect, "its host is percent-encoded")
            }
            return next
        } catch {
            throw RedirectPolicy.refused(request, "a redirect that cannot be followed: \(error.message)")
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// - Parameter reference: bytes without a NUL; libcurl encodes those beyond ASCII as they are.
    private static func join(_ base: String, _ reference: [UInt8]) -> String? {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        let flags = UInt32(CURLU_URLENCODE | CURLU_DISALLOW_USER)
        var joined: UnsafeMutablePointer<CChar>?
        guard curl_url_set(handle, CURLUPART_URL, base, 0) == CURLUE_OK,
            (reference + [0]).withUnsafeBytes({ bytes in
                curl_url_set(handle, CURLUPART_URL, bytes.bindMemory(to: CChar.self).baseAddress, flags)
            }) == CURLUE_OK,
            curl_url_get(handle, CURLUPART_URL, &joined, 0) == CURLUE_OK,
            let joined
        else { return nil }
        defer { curl_free(joined) }
        return String(cString: joined)
    }
}
#endif

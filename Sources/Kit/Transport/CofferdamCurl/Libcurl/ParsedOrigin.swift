#if Curl
import CLibcurl

/// The origin of a handle's requests as libcurl has parsed it. For the next request to the same server, libcurl neither
/// parses a URL nor prints one: it gets the path alone, as the request target, which it sends as it is.
final class ParsedOrigin {
    private let parsed = curl_url()
    /// What libcurl has parsed; empty if the handle's request has a whole URL.
    private var text: [UInt8] = []

    deinit { curl_url_cleanup(parsed) }

    /// Sets the origin of the handle's next request.
    ///
    /// - Returns: whether libcurl needs only the request target; otherwise it needs the whole URL.
    func use(_ origin: Slice<UnsafeMutableRawBufferPointer>, _ options: inout EasyOptions) -> Bool {
        if origin.elementsEqual(text) { return true }
        text = []
        // When libcurl 7.88 copies a parsed URL, the zone of an IPv6 address is lost.
        let isKept = !origin.contains(UInt8(ascii: "%")) && parse(origin)
        options.set(CURLOPT_CURLU, pointer: isKept ? parsed.map { UnsafeMutableRawPointer($0) } : nil)
        // Otherwise libcurl keeps the URL it has printed for the last origin.
        options.set(CURLOPT_URL, nil)
        if isKept { text = Array(origin) }
        return isKept
    }

    private func parse(_ origin: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
        let line = origin.map { CChar(bitPattern: $0) } + [0]
        return curl_url_set(parsed, CURLUPART_URL, line, 0) == CURLUE_OK
    }
}
#endif

#if Curl
import CLibcurl

/// A request's URL and header lines in a list for libcurl, at stable addresses. The memory is reused for one request
/// after another.
final class HeaderLines {
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 16)
    private var nodes = UnsafeMutableBufferPointer<curl_slist>.allocate(capacity: 16)
    private var used = 0
    /// `nil` if libcurl needs a whole URL for each request, as for a proxy.
    private let origin: ParsedOrigin?
    private var hasWholeURL = false

    init(keepsOrigin: Bool) { origin = keepsOrigin ? ParsedOrigin() : nil }

    deinit {
        bytes.deallocate()
        nodes.deallocate()
    }

    func set(_ request: PreparedRequest, _ options: inout EasyOptions) {
        reserve(bytes: request.wire.count, nodes: request.headerCount)
        bytes.copyBytes(from: request.wire)
        used = request.wire.count
        var end = 0
        // libcurl copies the URL or the target and only reads the list.
        let url = line(after: &end)
        hasWholeURL = origin?.use(bytes[..<request.originSize], &options) != true
        if hasWholeURL {
            options.check(cofferdam_setopt_string(options.raw, CURLOPT_URL, url))
        } else {
            let target = url.map { $0 + request.originSize }
            options.check(cofferdam_setopt_string(options.raw, CURLOPT_REQUEST_TARGET, target))
        }
        for index in 0..<request.headerCount {
            let next = index + 1 < request.headerCount ? nodes.baseAddress.map { $0 + index + 1 } : nil
            nodes.initializeElement(at: index, to: curl_slist(data: line(after: &end), next: next))
        }
        let list = request.headerCount > 0 ? nodes.baseAddress : nil
        options.check(cofferdam_setopt_list(options.raw, CURLOPT_HTTPHEADER, list))
        options.set(CURLOPT_CUSTOMREQUEST, request.customMethod)
    }

    /// Erases the request from memory.
    func clear(_ options: inout EasyOptions) {
        options.set(hasWholeURL ? CURLOPT_URL : CURLOPT_REQUEST_TARGET, nil)
        options.check(cofferdam_setopt_list(options.raw, CURLOPT_HTTPHEADER, nil))
        UnsafeMutableRawBufferPointer(rebasing: bytes[..<used]).initializeMemory(as: UInt8.self, repeating: 0)
        used = 0
    }

    /// Returns the line that begins at `end`, and moves `end` past its NUL.
    private func line(after end: inout Int) -> UnsafeMutablePointer<CChar>? {
        let start = end
        end = (bytes[start...].firstIndex(of: 0) ?? used) + 1
        return bytes.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) }
    }

    private func reserve(bytes byteCount: Int, nodes nodeCount: Int) {
        if bytes.count < byteCount {
            bytes.deallocate()
            bytes = .allocate(byteCount: byteCount, alignment: 16)
        }
        if nodes.count < nodeCount {
            nodes.deallocate()
            nodes = .allocate(capacity: nodeCount)
        }
    }
}
#endif

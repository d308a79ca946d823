import CLibcurl

/// An easy handle with its callbacks, reused for one transfer after another. Lives on the loop thread.
///
/// What is the same for every transfer is set once; `prepare` sets the rest, and all of the rest.
final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    private(set) var transfer: Transfer?
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// `nil` when libcurl refuses an option or has no memory.
    init?(configuration: CurlConfiguration) {
        guard let raw = curl_easy_init() else {
            errorBuffer.deallocate()
            return nil
        }
        self.raw = raw
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        guard setOnce(configuration) else { return nil }
    }

    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(headers)
        errorBuffer.deallocate()
    }

    /// libcurl's words about the last failure; empty when it had none.
    var errorDetail: String { String(cString: errorBuffer) }

    /// - Returns: whether libcurl took everything; without the handle is not to be used.
    func prepare(for transfer: Transfer) -> Bool {
        let request = transfer.submission.request
        self.transfer = transfer
        errorBuffer[0] = 0
        var options = Options(raw)
        options.set(CURLOPT_URL, request.url)
        setMethod(of: request, &options)
        for line in request.headerLines {
            guard let longer = curl_slist_append(headers, line) else { return false }
            headers = longer
        }
        options.check(cofferdam_setopt_list(raw, CURLOPT_HTTPHEADER, headers))
        // A stalled stream that shares an HTTP/2 connection makes libcurl buffer without bound.
        let isStream = transfer.stream != nil
        options.set(CURLOPT_HTTP_VERSION, isStream ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS)
        options.set(CURLOPT_BUFFERSIZE, isStream ? 128 << 10 : 16 << 10)
        return options.isComplete
    }

    /// Lets go of the transfer and of its secrets.
    func recycle() {
        transfer = nil
        cofferdam_setopt_string(raw, CURLOPT_URL, nil)
        cofferdam_setopt_list(raw, CURLOPT_HTTPHEADER, nil)
        cofferdam_setopt_pointer(raw, CURLOPT_COPYPOSTFIELDS, nil)
        curl_slist_free_all(headers)
        headers = nil
    }

    private func setMethod(of request: PreparedRequest, _ options: inout Options) {
        // Undoes POST and NOBODY.
        options.set(CURLOPT_HTTPGET, 1)
        options.set(CURLOPT_CUSTOMREQUEST, nil)
        if request.method == "HEAD" {
            options.set(CURLOPT_NOBODY, 1)
            return
        }
        if request.sendsBody {
            options.set(CURLOPT_POST, 1)
            options.check(cofferdam_setopt_off(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)))
            options.check(
                request.body.withUnsafeBytes { bytes in
                    var nothing: UInt8 = 0
                    return withUnsafeMutableBytes(of: &nothing) { empty in
                        let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
                        return cofferdam_setopt_pointer(raw, CURLOPT_COPYPOSTFIELDS, start ?? empty.baseAddress)
                    }
                }
            )
        }
        options.set(CURLOPT_CUSTOMREQUEST, request.method)
    }

    private func setOnce(_ configuration: CurlConfiguration) -> Bool {
        var options = Options(raw)
        setRules(configuration, &options)
        setCallbacks(&options)
        return options.isComplete
    }

    private func setRules(_ configuration: CurlConfiguration, _ options: inout Options) {
        options.check(cofferdam_setopt_http_only(raw))
        options.set(CURLOPT_FOLLOWLOCATION, 0)
        // Else the environment's proxies are used.
        options.set(CURLOPT_PROXY, "")
        options.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        options.set(CURLOPT_PATH_AS_IS, 1)
        options.set(CURLOPT_SSL_VERIFYPEER, 1)
        options.set(CURLOPT_SSL_VERIFYHOST, 2)
        options.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        setAuthorities(configuration, &options)
        options.set(CURLOPT_NOSIGNAL, 1)
        options.set(CURLOPT_NOPROGRESS, 1)
        options.set(CURLOPT_TCP_KEEPALIVE, 1)
        // Else leaving a transfer that is still resolving waits for the resolver.
        options.check(cofferdam_setopt_quick_exit(raw))
        // Only so that libcurl shares the time among several addresses; our own deadlines decide.
        options.set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds)
        options.check(cofferdam_setopt_close_on_exec(raw))
    }

    private func setAuthorities(_ configuration: CurlConfiguration, _ options: inout Options) {
        if let file = configuration.certificateAuthorities {
            options.set(CURLOPT_CAINFO, file)
            options.set(CURLOPT_CAPATH, nil)
        } else if cofferdam_default_ca_file() != nil {
            // With a directory libcurl does not cache the authorities, and each connection reads them all again.
            options.set(CURLOPT_CAPATH, nil)
        }
    }

    private func setCallbacks(_ options: inout Options) {
        // The handle owns `raw`, and the loop keeps the handle while `raw` is in the multi handle: so the pointer is
        // good whenever libcurl calls.
        let context = Unmanaged.passUnretained(self).toOpaque()
        options.check(cofferdam_setopt_pointer(raw, CURLOPT_ERRORBUFFER, errorBuffer))
        options.check(cofferdam_setopt_pointer(raw, CURLOPT_PRIVATE, context))
        options.check(cofferdam_setopt_pointer(raw, CURLOPT_HEADERDATA, context))
        options.check(cofferdam_setopt_pointer(raw, CURLOPT_WRITEDATA, context))
        options.check(cofferdam_setopt_pointer(raw, CURLOPT_PREREQDATA, context))
        options.check(
            cofferdam_setopt_data_callback(raw, CURLOPT_HEADERFUNCTION) { data, size, count, context in
                let line = UnsafeRawBufferPointer(start: data, count: size * count)
                return EasyHandle.from(context)?.transfer?.receiveHead(line) == true ? line.count : 0
            }
        )
        options.check(
            cofferdam_setopt_data_callback(raw, CURLOPT_WRITEFUNCTION) { data, size, count, context in
                let chunk = UnsafeRawBufferPointer(start: data, count: size * count)
                return switch EasyHandle.from(context)?.transfer?.receiveBody(chunk) {
                case .taken: chunk.count
                case .full: Int(CURL_WRITEFUNC_PAUSE)
                case .refused, nil: 0
                }
            }
        )
        options.check(
            cofferdam_setopt_prereq_callback(raw) { context, _, _, _, _ in
                EasyHandle.from(context)?.transfer?.admitAttempt() == true
                    ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }
        )
    }

    /// The handle that a callback or a message is about.
    static func from(_ context: UnsafeMutableRawPointer?) -> EasyHandle? {
        context.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    static func of(_ raw: UnsafeMutableRawPointer) -> EasyHandle? {
        var context: UnsafeMutableRawPointer?
        guard cofferdam_getinfo_pointer(raw, CURLINFO_PRIVATE, &context) == CURLE_OK else { return nil }
        return from(context)
    }
}

/// Sets options, and remembers whether libcurl took them all.
private struct Options {
    let raw: UnsafeMutableRawPointer
    private(set) var isComplete = true

    init(_ raw: UnsafeMutableRawPointer) { self.raw = raw }

    mutating func set(_ option: CURLoption, _ value: Int) { check(cofferdam_setopt_long(raw, option, value)) }

    mutating func set(_ option: CURLoption, _ value: String?) { check(cofferdam_setopt_string(raw, option, value)) }

    mutating func check(_ result: CURLcode) { if result != CURLE_OK { isComplete = false } }
}

extension Duration {
    /// Rounded up, and at least 1: libcurl takes 0 for its own default.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000_000 else { return 1_000_000_000_000 }
        let part = Int(attoseconds / 1_000_000_000_000_000) + (attoseconds % 1_000_000_000_000_000 > 0 ? 1 : 0)
        return max(1, Int(seconds) * 1000 + part)
    }
}

#if Curl
import CLibcurl

/// An easy handle with its callbacks, reused for one transfer after another on the loop thread.
///
/// Options common to all transfers are set once; `prepare` sets all others.
final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    private(set) var transfer: Transfer?
    private let clock: LoopClock
    private let connections: KeptConnections
    private let sessions: SharedSessions?
    private var check = ConnectionCheck()
    private var openedSockets: [curl_socket_t] = []
    /// Identifies the connections if they have no address of their own.
    private let label: KeptConnections.Label?
    /// Whether no connection is kept.
    private let keepsNone: Bool
    /// Whether the server's TLS runs inside that of a proxy, where it cannot be inspected.
    private let hidesTLS: Bool
    private let lines: HeaderLines
    private let parser = HeadParser(maximumSize: 0)
    private var shape: Shape?
    private var isDebugCallbackOn = false
    private var isAnsweredByLastWords = false
    /// Whether the request was sent on a connection that was used before.
    private var isOnReused = false
    /// Whether that connection was shut down before the request was sent.
    private var isSpoiled = false
    /// How often the loop has sent the request again.
    private var repetitions = 0
    /// Whether any line of a reply has arrived on this connection.
    private var hasReply = false
    private let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// Options that most requests share, set only when they differ from the previous request's.
    private struct Shape: Equatable {
        var version: Int
        var reportsProgress: Bool
        /// Whether the request gets a connection of its own.
        var isAlone: Bool
        /// Whether no other handle uses the connection.
        var isLabelled: Bool
        /// The time to connect, in nanoseconds; `nil` for no limit.
        var connect: Int64?

        /// Rounded up, and at most 24 days, for libcurl, which takes 0 for its default of 300 s.
        var connectMilliseconds: Int {
            connect.map { Int(min(max(1, $0 / 1_000_000 + 1), Int64(Int32.max))) } ?? Int(Int32.max)
        }
    }

    private static let spoilsPriorKnowledge = cofferdam_spoils_prior_knowledge() != 0

    /// Creates a handle; `nil` when libcurl refuses an option or has no memory.
    init?(
        settings: HandleSettings,
        use: HandleUse,
        clock: LoopClock,
        connections: KeptConnections,
        sessions: SharedSessions?
    ) {
        guard let raw = curl_easy_init() else {
            errorBuffer.deallocate()
            return nil
        }
        self.raw = raw
        self.clock = clock
        self.connections = connections
        self.sessions = sessions
        label = settings.configuration.unixSocket == nil ? nil : connections.takeLabel()
        keepsNone = settings.configuration.maximumIdleConnections <= 0
        hidesTLS = settings.configuration.proxy?.scheme == .https
        lines = HeaderLines(keepsOrigin: settings.configuration.proxy == nil)
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        var options = EasyOptions(raw)
        settings.apply(to: &options)
        options.set(CURLOPT_BUFFERSIZE, use.bufferSize)
        sessions?.use(in: &options)
        setCallbacks(&options)
        guard options.isComplete else { return nil }
    }

    deinit {
        curl_easy_cleanup(raw)
        errorBuffer.deallocate()
        if let label { connections.give(label) }
    }

    /// The error of the transfer that has ended; `nil` if it succeeded.
    func error(of result: CURLcode) -> (any Error)? {
        guard result != CURLE_OK, let transfer, !deliverLastWords() else { return transfer?.failure }
        // libcurl describes the failure there, unless it has no words for it.
        let detail = String(cString: errorBuffer)
        let hasHead = transfer.reply != nil
        var error = CurlError(result, detail: detail, wasSent: transfer.wasSent, hasHead: hasHead)
        var status = 0
        if !transfer.wasSent, cofferdam_getinfo_long(raw, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK,
            status >= 300
        {
            error.proxyStatus = status
        }
        return error
    }

    /// Whether the request is to be sent again because its reused connection was lost without an answer. libcurl does so
    /// itself for the end of an HTTP/1 connection, but neither for HTTP/2 nor if it was sending.
    func maySendAgain(after error: (any Error)?) -> Bool {
        guard let transfer, transfer.failure == nil, isOnReused, !hasReply, repetitions < 5,
            let error = error as? CurlError
        else { return false }
        let mayRepeat =
            isSpoiled
            ? [.connect, .connectionLost].contains(error.code)
            : transfer.request.isSentAgain && error.code == .connectionLost
        if mayRepeat { (isOnReused, repetitions) = (false, repetitions + 1) }
        return mayRepeat
    }

    /// - Returns: whether libcurl accepted every option; if not, the handle must not be used.
    func prepare(for transfer: Transfer) -> Bool {
        self.transfer = transfer
        transfer.handle = self
        errorBuffer[0] = 0
        var options = EasyOptions(raw)
        lines.set(transfer.request, &options)
        setBody(of: transfer, &options)
        setShape(of: transfer, &options)
        return options.isComplete
    }

    /// Releases the transfer and its secrets.
    func recycle() {
        transfer?.handle = nil
        transfer = nil
        check.keepLastWords(false)
        check = ConnectionCheck()
        (isAnsweredByLastWords, isOnReused, repetitions) = (false, false, 0)
        openedSockets.removeAll(keepingCapacity: true)
        var options = EasyOptions(raw)
        lines.clear(&options)
        setDebugCallback(isOn: false)
        options.set(CURLOPT_FORBID_REUSE, keepsNone || shape?.isAlone == true ? 1 : 0)
        // Resets CURLOPT_NOBODY, CURLOPT_POST and CURLOPT_UPLOAD.
        options.set(CURLOPT_HTTPGET, 1)
    }

    /// The size in bytes from which libcurl does not send a body together with the head.
    private static let sentInParts = 64 << 10

    private func setBody(of transfer: Transfer, _ options: inout EasyOptions) {
        let request = transfer.request
        if request.method == "HEAD" {
            options.set(CURLOPT_NOBODY, 1)
            return
        }
        if transfer.upload != nil {
            options.set(CURLOPT_UPLOAD, 1)
            options.set(CURLOPT_INFILESIZE_LARGE, size: request.bodySize ?? -1)
        } else if request.sendsBody, case .bytes(let bytes) = request.body.content {
            options.set(CURLOPT_POST, 1)
            options.set(CURLOPT_POSTFIELDSIZE_LARGE, size: bytes.count)
            if bytes.count >= Self.sentInParts {
                // The read callback gives the bytes, and sees that they are sent.
                options.set(CURLOPT_POSTFIELDS, pointer: nil)
            } else if let start = bytes.fixedStart {
                // The transfer keeps the bytes until libcurl has released it.
                options.set(CURLOPT_POSTFIELDS, pointer: start)
            } else {
                var nothing: UInt8 = 0
                bytes.withUnsafeBytes { bytes in
                    withUnsafeMutableBytes(of: &nothing) { empty in
                        let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
                        options.set(CURLOPT_COPYPOSTFIELDS, pointer: start ?? empty.baseAddress)
                    }
                }
            }
        }
    }

    private func setShape(of transfer: Transfer, _ options: inout EasyOptions) {
        let version =
            switch transfer.limits.httpVersion {
            case .http2: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
            // A stalled stream that shares an HTTP/2 connection makes libcurl buffer without bound.
            case .automatic:
                !transfer.isStream && transfer.request.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
            case .http1: CURL_HTTP_VERSION_1_1
            }
        let shape = Shape(
            version: version,
            reportsProgress: transfer.limits.progress != nil,
            isAlone: Self.spoilsPriorKnowledge && version == CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
                && !transfer.request.isSecure,
            // HTTP/2 connections may be shared.
            isLabelled: version == CURL_HTTP_VERSION_1_1,
            connect: transfer.limits.connect
        )
        guard shape != self.shape else { return }
        options.set(CURLOPT_HTTP_VERSION, shape.version)
        // Wait for a new connection to show whether it can be shared instead of opening one per request.
        options.set(CURLOPT_PIPEWAIT, version == CURL_HTTP_VERSION_1_1 || shape.isAlone ? 0 : 1)
        options.set(CURLOPT_FRESH_CONNECT, shape.isAlone ? 1 : 0)
        options.set(CURLOPT_FORBID_REUSE, keepsNone || shape.isAlone ? 1 : 0)
        if let label { options.set(CURLOPT_LOCALPORT, shape.isLabelled ? label.port : 0) }
        options.set(CURLOPT_NOPROGRESS, shape.reportsProgress ? 0 : 1)
        // Lets libcurl divide the time among several addresses; the client's own deadlines decide.
        options.set(CURLOPT_CONNECTTIMEOUT_MS, shape.connectMilliseconds)
        self.shape = shape
    }

    // MARK: Callbacks

    private func setCallbacks(_ options: inout EasyOptions) {
        // The handle owns `raw`, and the loop keeps the handle while `raw` is in the multi handle, so the pointer is
        // valid whenever libcurl calls.
        let context = Unmanaged.passUnretained(self).toOpaque()
        options.set(CURLOPT_ERRORBUFFER, pointer: errorBuffer)
        for option in [
            CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA,
            CURLOPT_PREREQDATA, CURLOPT_XFERINFODATA, CURLOPT_SOCKOPTDATA,
        ] {
            options.set(option, pointer: context)
        }
        options.set(CURLOPT_HEADERFUNCTION) { data, size, count, context in
            let line = UnsafeRawBufferPointer(start: data, count: size * count)
            return EasyHandle.with(context) { $0.receiveHead(line) } ? line.count : 0
        }
        options.set(CURLOPT_WRITEFUNCTION) { data, size, count, context in
            let chunk = UnsafeRawBufferPointer(start: data, count: size * count)
            return switch EasyHandle.with(context, { $0.transfer?.receiveBody(chunk, $0.clock) }) {
            case .taken: chunk.count
            case .full: Int(CURL_WRITEFUNC_PAUSE)
            case .refused, nil: 0
            }
        }
        options.set(CURLOPT_READFUNCTION) { data, size, count, context in
            let buffer = UnsafeMutableRawBufferPointer(start: data, count: size * count)
            return switch EasyHandle.with(context, { $0.transfer?.readUpload(into: buffer, $0.clock) }) {
            case .bytes(let count): count
            case .wait: Int(CURL_READFUNC_PAUSE)
            case .failed, nil: Int(CURL_READFUNC_ABORT)
            }
        }
        options.check(
            cofferdam_setopt_seek_callback(raw) { context, offset, origin in
                let isBeginning = offset == 0 && origin == SEEK_SET
                let isRewound = isBeginning && EasyHandle.with(context) { $0.transfer?.rewindUpload() ?? false }
                return isRewound ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
            }
        )
        options.check(cofferdam_setopt_debug_callback(raw))
        options.check(
            cofferdam_setopt_prereq_callback(raw) { context, remote, _, remotePort, localPort in
                let name = KeptConnections.Name.address(
                    localPort: localPort,
                    remotePort: remotePort,
                    remoteAddress: remote.map { String(cString: $0) } ?? ""
                )
                let isAdmitted = EasyHandle.with(context) { $0.admitAttempt(on: name) }
                return isAdmitted ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }
        )
        options.check(
            cofferdam_setopt_opened_callback(raw) { context, opened, _ in
                EasyHandle.with(context) { $0.openedSockets.append(opened) }
                return CURL_SOCKOPT_OK
            }
        )
        // The loop owns the pool, which owns the connections until libcurl has closed them.
        let connections = Unmanaged.passUnretained(connections).toOpaque()
        options.check(
            cofferdam_setopt_close_callback(
                raw,
                { context, closing in
                    let opaque: UnsafeMutableRawPointer? = context
                    if let opaque {
                        Unmanaged<KeptConnections>.fromOpaque(opaque).takeUnretainedValue().remove(closing)
                    }
                    return cofferdam_close(closing)
                },
                connections
            )
        )
        options.check(
            cofferdam_setopt_progress_callback(raw) { context, toReceive, received, toSend, sent in
                EasyHandle.with(context) {
                    $0.transfer?.report(sent: sent, of: toSend, received: received, of: toReceive, $0.clock)
                }
                return 0
            }
        )
    }

    /// - Returns: whether the request may be sent on libcurl's current connection.
    private func admitAttempt(on address: KeptConnections.Name) -> Bool {
        // libcurl tries again on another connection, although there is an answer.
        guard let transfer, !deliverLastWords() else { return false }
        parser.reset(maximumSize: transfer.limits.maximumHeadSize)
        var connects = 0
        _ = cofferdam_getinfo_long(raw, CURLINFO_NUM_CONNECTS, &connects)
        (isOnReused, isSpoiled, hasReply) = (connects == 0, false, false)
        var name = address
        if let label, shape?.isLabelled == true { name = .label(label) }
        if connects > 0 {
            check = ConnectionCheck(connections.add(name, among: openedSockets), findTLS(of: transfer))
            // In HTTP/2 the server may send first.
            if shape?.version != CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE, check.isAnsweredEarly() {
                transfer.refuse(Self.early)
                return false
            }
        } else {
            check = ConnectionCheck(connections[name], findTLS(of: transfer))
            // libcurl will fail to send and use another connection, so this does not count as an attempt.
            isSpoiled = check.shutDownIfSpoiled(at: clock.now)
            if isSpoiled { return true }
        }
        let isPlain = !transfer.request.isSecure && shape?.version == CURL_HTTP_VERSION_1_1
        check.keepLastWords(isPlain && transfer.request.sendsBody)
        return transfer.admitAttempt(clock)
    }

    private func findTLS(of transfer: Transfer) -> TLSConnection.Found {
        let found = TLSConnection.find(raw)
        guard transfer.request.isSecure else { return found }
        if case .open = found, !hidesTLS { return found }
        return .hidden
    }

    /// Delivers an early answer that libcurl has not read.
    ///
    /// - Returns: whether there was one, in full.
    private func deliverLastWords() -> Bool {
        if isAnsweredByLastWords { return true }
        guard let transfer, transfer.reply == nil, !check.lastWords.isEmpty,
            let words = LastWords(check.lastWords, maximumHeadSize: transfer.limits.maximumHeadSize)
        else { return false }
        isAnsweredByLastWords = true
        if transfer.receiveHead(words.reply, clock), !words.body.isEmpty {
            _ = words.body.withUnsafeBytes { transfer.receiveBody($0, clock) }
        }
        return true
    }

    private static let early = CurlError(.protocol, "the server answered before it was asked")

    private func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        hasReply = true
        do throws(CurlError) {
            // Trailers are ignored.
            if parser.complete == nil { try beginHead(line) }
            guard try parser.take(line), let reply = parser.complete, let transfer else { return true }
            watchEnd(of: reply, transfer)
            return transfer.receiveHead(reply, clock)
        } catch {
            transfer?.refuse(error)
            return false
        }
    }

    private func beginHead(_ line: UnsafeRawBufferPointer) throws(CurlError) {
        // libcurl may take the line after the status line for a continuation of another reply's header line.
        let isStatusLine = HeadParser.isStatusLine(line)
        setDebugCallback(isOn: isStatusLine && Self.hasStaleFolds)
        guard isStatusLine, line.count > 5, line[5] == UInt8(ascii: "1") else { return }
        if check.beginReply() { throw Self.early }
        if !check.isPossible { closeAfterwards() }
    }

    private static let hasStaleFolds = cofferdam_has_stale_folds() != 0

    /// libcurl discards bytes that arrive with the end of a reply and do not belong to it, and reports that only to its
    /// debug callback.
    private func watchEnd(of reply: HeadParser.Known, _ transfer: Transfer) {
        guard reply.version.utf8.first == UInt8(ascii: "1") else { return }
        let framing = reply.framing
        // A server that announces a body may still send it later.
        if reply.status == 204, framing.isChunked || framing.length ?? 0 > 0 { closeAfterwards() }
        if framing.isChunked || transfer.request.method == "HEAD" || reply.hasNoBody { setDebugCallback(isOn: true) }
    }

    private func closeAfterwards() { _ = cofferdam_setopt_long(raw, CURLOPT_FORBID_REUSE, 1) }

    /// Turns `cofferdam_debug_callback` on or off.
    private func setDebugCallback(isOn: Bool) {
        guard isOn != isDebugCallbackOn else { return }
        isDebugCallbackOn = isOn
        _ = cofferdam_setopt_long(raw, CURLOPT_VERBOSE, isOn ? 1 : 0)
    }

    /// Calls `body` with the handle of a callback, without counting references: a reply makes a dozen calls.
    private static func with<Result>(_ context: UnsafeMutableRawPointer?, _ body: (EasyHandle) -> Result) -> Result {
        // Safe: libcurl returns the pointer that `setCallbacks` gave it, and the loop keeps the handle meanwhile.
        Unmanaged<EasyHandle>.fromOpaque(context.unsafelyUnwrapped)._withUnsafeGuaranteedRef(body)
    }

    static func of(_ raw: UnsafeMutableRawPointer) -> EasyHandle? {
        var context: UnsafeMutableRawPointer?
        guard cofferdam_getinfo_pointer(raw, CURLINFO_PRIVATE, &context) == CURLE_OK, context != nil else { return nil }
        return with(context) { $0 }
    }
}
#endif

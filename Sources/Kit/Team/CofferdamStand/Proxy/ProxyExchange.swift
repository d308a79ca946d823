/// One request on its way through a proxy, and the reply to it.
///
/// Used only on its connection's event loop.
final class ProxyExchange {
    let id: Int
    let operation: String
    let request: [UInt8]
    let action: ProxyAction?

    /// Whether the server has received the request, or does not need it.
    var isForwarded = false
    /// Whether the exchange waits for a release.
    var isHeld = false
    /// Whether the exchange waits for the clock.
    var isDelayed = false
    /// The bytes that may be sent to the client now.
    private var output: ArraySlice<UInt8> = []
    /// The rest of a held reply, or all of a reply that must be rewritten or swapped.
    private var kept: [UInt8] = []
    private var replyCount = 0
    /// Whether the reply's last byte has arrived.
    private(set) var isAnswered = false
    /// How the connection ends after this reply.
    var ending: ProxyAction.Ending?
    /// Whether the reply has made way for the next one.
    var isSwapped = false

    init(id: Int, operation: String, request: [UInt8], action: ProxyAction?) {
        self.id = id
        self.operation = operation
        self.request = request
        self.action = action
        switch action {
        case .hold: isHeld = true
        case .delay: isDelayed = true
        default: break
        }
    }

    /// How many bytes of the reply are waiting here.
    var waitingCount: Int { output.count + kept.count }
    /// Whether the connection ends with this reply.
    var endsConnection: Bool {
        switch action {
        case .cut: true
        case .rewriteReply(let then, _): then != nil
        default: ending != nil
        }
    }
    /// Whether the exchange has nothing left to send or to wait for.
    var isFinished: Bool { isAnswered && !isHeld && output.isEmpty }

    /// Takes up to `count` bytes for the client.
    func takeOutput(_ count: Int = .max) -> ArraySlice<UInt8> {
        let piece = output.prefix(count)
        output = count < output.count ? output.dropFirst(count) : []
        return piece
    }

    /// Ends the exchange without a reply from the server.
    func answer(with bytes: [UInt8], then ending: ProxyAction.Ending? = nil) {
        (output, isForwarded, isAnswered, self.ending) = (bytes[...], true, true, ending)
    }

    /// Takes a piece of the server's reply.
    ///
    /// - Parameter headLength: the size of the reply's head in bytes, once it is known.
    /// - Returns: whether the reply is held from now on.
    func receive(_ piece: ArraySlice<UInt8>, headLength: Int?) -> Bool {
        defer { replyCount += piece.count }
        switch action {
        case .cut(.afterForwarding, _): return false
        case .cut(.afterReplyBytes(let count), let how):
            let budget = max(0, count) - replyCount
            output += piece.prefix(max(0, budget))
            if piece.count >= budget { (isAnswered, ending) = (true, how) }
            return false
        case .stall(let count, let part):
            guard !isReleased else { break }
            guard !isHeld else {
                kept += piece
                return false
            }
            guard let start = part == .whole ? 0 : headLength else { break }
            let budget = max(0, start + min(max(0, count), .max - start) - replyCount)
            guard piece.count > budget else { break }
            output += piece.prefix(budget)
            kept += piece.dropFirst(budget)
            isHeld = true
            return true
        case .rewriteReply, .swapWithNext:
            kept += piece
            return false
        default: break
        }
        output += piece
        return false
    }

    private var isReleased = false

    /// Ends the reply.
    ///
    /// - Returns: whether it is held from now on.
    /// - Throws: the error that a rewrite throws.
    func replyEnded() throws -> Bool {
        guard !isAnswered else { return false }
        isAnswered = true
        switch action {
        case .cut(.afterForwarding, let how), .cut(.afterReplyBytes, let how):
            ending = how
        case .rewriteReply(let then, let rewrite):
            let reply = kept
            kept = []
            output = try rewrite(request, reply)[...]
            ending = then
        case .swapWithNext where !isSwapped:
            isHeld = true
            return true
        default: break
        }
        return false
    }

    /// Releases what is held.
    func release() {
        output += kept
        (kept, isHeld, isReleased) = ([], false, true)
    }
}

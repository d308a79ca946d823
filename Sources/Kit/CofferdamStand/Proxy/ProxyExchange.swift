/// One request on its way through a proxy, and the reply to it.
///
/// It is used on its connection's event loop alone.
final class ProxyExchange {
    let id: Int
    let operation: String
    let request: [UInt8]
    let action: ProxyAction?

    /// Whether the server has the request, or need not have it.
    var isForwarded = false
    /// Whether a release is waited for.
    var isHeld = false
    /// Whether the clock is waited for.
    var isDelayed = false
    /// What the client may have now.
    private var output: ArraySlice<UInt8> = []
    /// The rest of a reply that is held, or all of one that is to be rewritten.
    private var kept: [UInt8] = []
    private var replyCount = 0
    /// Whether the reply's last byte has come.
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

    /// How many bytes of the reply wait here.
    var waitingCount: Int { output.count + kept.count }
    /// Whether the connection ends with this reply.
    var endsConnection: Bool {
        switch action {
        case .cut: true
        case .rewriteReply(let then, _): then != nil
        default: ending != nil
        }
    }
    /// Whether nothing is left to do but to end it.
    var isFinished: Bool { isAnswered && !isHeld && output.isEmpty }

    /// Takes up to so many bytes for the client.
    func takeOutput(_ count: Int = .max) -> ArraySlice<UInt8> {
        let piece = output.prefix(count)
        output = count < output.count ? output.dropFirst(count) : []
        return piece
    }

    /// Ends without a reply of the server's.
    func answer(with bytes: [UInt8], then ending: ProxyAction.Ending? = nil) {
        (output, isForwarded, isAnswered, self.ending) = (bytes[...], true, true, ending)
    }

    /// Takes a piece of the server's reply.
    ///
    /// - Parameter headLength: how long the reply's head is, once that is known.
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
    /// - Throws: what a rewriting throws.
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

    /// Lets go of what is held.
    func release() {
        output += kept
        (kept, isHeld, isReleased) = ([], false, true)
    }
}

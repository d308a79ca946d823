#if Sandbox
import HTTPTypes
import Hummingbird

extension ServiceResponder {
    /// Answers a call that has a fault.
    func respond(to visit: Visit, with fault: Fault) async throws -> Response {
        switch fault {
        case .status, .gateway, .html, .garbage, .redirect, .redirectLoop, .gzipBomb:
            return try response(replacement(of: fault, visit), visit.request)
        case .altered(let corruption):
            var answer = try await answer(to: visit)
            if case .json(let value) = answer.body { answer.body = .json(corruption.appliedThroughout(value)) }
            return try response(answer, visit.request)
        case .reset:
            return try await end(visit, by: .reset)
        case .emptyReply:
            return try await end(visit, by: .close)
        case .commitThenCut:
            _ = try await answer(to: visit)
            return try await end(visit, by: .close)
        case .hold, .delay, .logNormalDelay:
            return try await respondLater(to: visit, fault)
        case .encoded(let coding):
            return try response(try await answer(to: visit).encoded(by: coding, for: visit.call), visit.request)
        case .truncated, .cut, .wrongContentLength, .malformedChunk, .chunked, .conflictingLengths, .dribble, .stall,
            .slowClose:
            let answer = try await answer(to: visit)
            guard case .events(let stream) = answer.body else { return try await sendRaw(answer, visit, fault) }
            return try response(spoilt(answer, stream, visit, fault), visit.request)
        }
    }

    /// Returns the answer that replaces the proper one; the call is not carried out.
    private func replacement(of fault: Fault, _ visit: Visit) -> Answer {
        switch fault {
        case .status(let status, let retryAfter):
            return visit.api.answer(refusing: Refusal(injected: status, retryAfter: retryAfter), to: visit.call)
        case .gateway(let status, let retryAfter):
            var answer = Answer(status: status, body: .bytes(Array("gateway\n".utf8), contentType: "text/plain"))
            if let retryAfter {
                answer.headers.append((.retryAfter, retryAfter.header(at: sandbox.world.read(\.now))))
            }
            return answer
        case .redirect(let address):
            return Answer(status: 307, headers: [(.location, address)], body: .nothing)
        case .redirectLoop:
            let request = visit.call.request
            let query = request.query.isEmpty ? "" : "?\(request.query)"
            let address = visit.call.origin + request.path + query
            return Answer(status: 307, headers: [(.location, address)], body: .nothing)
        case .gzipBomb(let count):
            let bytes = GzipBomb.bytes(expandingTo: min(max(0, count), GzipBomb.largest))
            return Answer(
                status: 200,
                headers: [(.contentEncoding, "gzip")],
                body: .bytes(bytes, contentType: "application/json")
            )
        case .garbage:
            let bytes: [UInt8] = Array("{\"items\": [{\"id\": 1, \"na".utf8) + [0xFF, 0x00, 0xFE]
            return Answer(status: 200, body: .bytes(bytes, contentType: "application/json"))
        default:
            let page = "<!doctype html><title>Sign in to the network</title><p>Welcome to the zoo's café."
            return Answer(status: 200, body: .bytes(Array(page.utf8), contentType: "text/html; charset=utf-8"))
        }
    }

    private func end(_ visit: Visit, by ending: Fault.Ending) async throws -> Response {
        await visit.channel.end(by: ending)
        throw Cut()
    }

    /// Sends an answer corrupted by the fault, and ends the connection.
    private func sendRaw(_ answer: Answer, _ visit: Visit, _ fault: Fault) async throws -> Response {
        let reply = try RawReply(answer)
        var ending = Fault.Ending.close
        switch fault {
        case .cut(let count, let how):
            ending = how
            try await visit.channel.sendRaw(reply.cut(afterBytes: count))
        case .wrongContentLength(let difference):
            try await visit.channel.sendRaw(reply.wrongLength(by: difference))
        case .malformedChunk:
            try await visit.channel.sendRaw(reply.malformedChunk)
        case .chunked:
            try await visit.channel.sendRaw(reply.chunked)
        case .conflictingLengths:
            try await visit.channel.sendRaw(reply.conflictingLengths)
        case .stall(let count):
            let (channel, start) = (visit.channel, max(0, count))
            try await channel.sendRaw(reply.head(length: reply.body.count) + reply.body.prefix(start))
            _ = try await whileConnected(visit) {
                try await self.pause(for: .hold)
                try await channel.sendRaw(reply.body.dropFirst(start))
                return answer
            }
        case .dribble(let pause):
            let channel = visit.channel
            _ = try await whileConnected(visit) {
                for byte in reply.whole {
                    try await channel.sendRaw(CollectionOfOne(byte))
                    try await self.pause(for: pause == .zero ? nil : .delay(pause))
                }
                return answer
            }
        case .slowClose:
            try await visit.channel.sendRaw(reply.head(length: nil) + reply.body)
            _ = try await whileConnected(visit) {
                try await self.pause(for: fault)
                return answer
            }
        default:
            let half = reply.body.count / 2
            try await visit.channel.sendRaw(reply.head(length: max(reply.body.count, 16)) + reply.body.prefix(half))
        }
        return try await end(visit, by: ending)
    }

    /// A stream whose bytes are sent one by one, or that ends too early.
    private func spoilt(
        _ answer: Answer,
        _ stream: @concurrent @escaping @Sendable (Answer.Send) async throws -> Void,
        _ visit: Visit,
        _ fault: Fault
    ) -> Answer {
        let channel = visit.channel
        var answer = answer
        switch fault {
        case .dribble(let pause):
            answer.body = .events { send in
                try await stream { piece in
                    for scalar in piece.unicodeScalars {
                        try await send(String(scalar))
                        try await self.pause(for: pause == .zero ? nil : .delay(pause))
                    }
                }
            }
        case .stall(let count):
            answer.body = .events { send in
                let budget = Monitor(max(0, count))
                try await stream { piece in
                    let isLast = budget.update { left in
                        let isWithin = left >= 0
                        left -= piece.utf8.count
                        return isWithin && left < 0
                    }
                    if isLast { try await self.pause(for: .hold) }
                    try await send(piece)
                }
            }
        case .cut(let count, let ending):
            answer.body = .events { send in
                let budget = Monitor(max(0, count))
                try await stream { piece in
                    let left = budget.update { left in
                        defer { left -= piece.utf8.count }
                        return left
                    }
                    guard left < piece.utf8.count else { return try await send(piece) }
                    try await send(String(decoding: Array(piece.utf8.prefix(max(0, left))), as: UTF8.self))
                    await channel.end(by: ending)
                    throw Cut()
                }
            }
        default:
            answer.body = .events { send in
                try await send(": cut")
                await channel.end(by: .close)
                throw Cut()
            }
        }
        return answer
    }

    /// Waits for the fault's duration, while the client stays connected. A stream opens at once, and waits itself.
    private func respondLater(to visit: Visit, _ fault: Fault) async throws -> Response {
        if visit.route.reply == .stream {
            var answer = try await answer(to: visit)
            if case .events(let stream) = answer.body {
                answer.body = .events { send in
                    try await pause(for: fault)
                    try await stream(send)
                }
            }
            return try response(answer, visit.request)
        }
        let (call, route, api) = (visit.call, visit.route, visit.api)
        let answer = try await whileConnected(visit) {
            try await self.pause(for: fault)
            return try await self.properAnswer(to: call, route, api)
        }
        return try response(answer, visit.request)
    }

    private func pause(for fault: Fault?) async throws {
        switch fault {
        case .delay(let duration), .slowClose(let duration):
            try await sandbox.delay(for: duration)
        case .hold:
            let releases = sandbox.world.update { world in
                world.faults.held += 1
                return world.faults.releases
            }
            defer { sandbox.world.update { $0.faults.held -= 1 } }
            try await sandbox.world.wait { $0.faults.releases != releases }
        default:
            break
        }
    }
}

extension Sandbox {
    /// Waits for a duration by the machine's clock or by the service's, or until a release.
    fileprivate func delay(for duration: Duration) async throws {
        let (deadline, releases) = world.update { world in
            world.faults.delayed += 1
            return (world.now + duration, world.faults.releases)
        }
        defer { world.update { $0.faults.delayed -= 1 } }
        _ = try await world.wait(atMost: duration) { $0.faults.releases != releases || $0.now >= deadline }
    }
}
#endif

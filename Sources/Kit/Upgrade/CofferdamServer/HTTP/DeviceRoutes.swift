#if Server
import CofferdamDevice
import CofferdamUpgrade
import HTTPTypes

/// The routes for devices: their stage, their enrolment and their evidence.
struct DeviceRoutes: Sendable {
    let parts: ServerParts

    /// The maximum wait of a long poll, in seconds.
    static let maxWait = 60

    var routes: [ServerRoute] {
        [
            ServerRoute(
                name: "GET /v1/capabilities/{name}/stage",
                method: .get,
                path: ["v1", "capabilities", nil, "stage"],
                right: .readStage
            ) { call, _, _ in try await stage(call) },
            ServerRoute(
                name: "POST /v1/capabilities/{name}/evidence",
                method: .post,
                path: ["v1", "capabilities", nil, "evidence"],
                right: .postEvidence
            ) { call, body, _ in try await evidence(call, body) },
            ServerRoute(
                name: "POST /v1/capabilities/{name}/enrolments",
                method: .post,
                path: ["v1", "capabilities", nil, "enrolments"],
                right: .postEvidence
            ) { call, body, _ in try await enrol(call, body) },
        ]
    }

    // MARK: The stage

    private func stage(_ call: Call) async throws -> Reply {
        let name = try parts.upgrade(call.path[2]).name
        if call.headers[.accept]?.contains("text/event-stream") ?? false { return try events(of: name) }
        guard let stage = parts.hub.stage(of: name) else {
            throw HTTPRefusal(.serviceUnavailable, "unavailable", "the stage is not known yet")
        }
        let known = call.headers[.ifNoneMatch]
        let wait = try Self.wait(call)
        guard stage.tag == known else { return try reply(stage) }
        if wait > .zero, let next = try await change(of: name, from: stage.tag, within: wait) {
            return try reply(next)
        }
        return Reply(status: .notModified, headers: [.eTag: stage.tag])
    }

    private static func wait(_ call: Call) throws(HTTPRefusal) -> Duration {
        guard let text = call.query["wait"] else { return .zero }
        guard let seconds = Int(text), (0...maxWait).contains(seconds) else {
            throw HTTPRefusal(.badRequest, "invalidParameter", "wait must be 0 to \(maxWait) seconds")
        }
        return .seconds(seconds)
    }

    /// - Returns: nil after the wait, or when the server stops.
    private func change(of name: String, from tag: String, within wait: Duration) async throws -> ServedStage? {
        guard let stages = parts.hub.stages(of: name) else {
            throw HTTPRefusal(
                .serviceUnavailable,
                "busy",
                "too many clients are waiting, or the server is stopping"
            )
        }
        let sleep = parts.sleep
        return try await withThrowingTaskGroup(of: ServedStage?.self) { group in
            group.addTask {
                for await stage in stages where stage.tag != tag { return stage }
                return nil
            }
            group.addTask {
                try await sleep(wait)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private func reply(_ stage: ServedStage) throws -> Reply {
        var reply = Reply(body: .bytes(try parts.hub.json(stage), type: "application/json"))
        reply.headers[.eTag] = stage.tag
        reply.headers[.cacheControl] = "no-cache"
        return reply
    }

    private func events(of name: String) throws -> Reply {
        guard let stages = parts.hub.stages(of: name, for: .stream) else {
            throw HTTPRefusal(
                .serviceUnavailable,
                "busy",
                "too many clients are waiting, or the server is stopping"
            )
        }
        let source: @Sendable (AsyncStream<String>.Continuation) async throws -> Void = { pen in
            for await stage in stages { pen.yield(try event(stage)) }
        }
        return .events([source], sleep: parts.sleep)
    }

    private func event(_ stage: ServedStage) throws -> String {
        let data = String(decoding: try parts.hub.json(stage), as: UTF8.self)
        return "id: \(stage.tag)\nevent: stage\ndata: \(data)\n\n"
    }

    // MARK: Evidence

    /// The upgrade of a post.
    private func posted(_ call: Call) throws(HTTPRefusal) -> HostedUpgrade {
        let upgrade = try parts.upgrade(call.path[2])
        guard upgrade.evidence.isPosted else {
            throw HTTPRefusal(.conflict, "notPosted", "evidence for this upgrade is not posted")
        }
        return upgrade
    }

    private func enrol(_ call: Call, _ body: [UInt8]) async throws -> Reply {
        let name = try posted(call).name
        let request = try ServerJSON.decode(Enrolments.Request.self, body)
        return try .json(try await parts.enrolments.enrol(request, call, body, of: name, at: parts.elapsed()))
    }

    private func evidence(_ call: Call, _ body: [UInt8]) async throws -> Reply {
        let upgrade = try posted(call)
        let name = upgrade.name
        let installation = try await parts.enrolments.installation(call, body, of: name)
        let post = try ServerJSON.decode(EvidencePost.self, body)
        let check = ReportCheck(window: Int(parts.configuration.window.components.seconds))
        if let problem = check.problem(of: post) { throw HTTPRefusal(.badRequest, "invalidReport", problem) }
        do {
            let receipt = try await parts.intake.add(post.reports, of: name, from: installation)
            parts.metrics.count(receipt)
            parts.posts.count(of: name, at: parts.configuration.now())
            let isNews = receipt.counted > 0 || post.reports.contains(where: \.hasDeviceLines)
            if isNews { parts.live.evidenceChanged(of: name) }
            return try .json(receipt)
        } catch is EvidenceIntake.Busy {
            var refusal = HTTPRefusal(.serviceUnavailable, "busy", "too much evidence is waiting to be written")
            refusal.retryAfter = 5
            throw refusal
        }
    }
}
#endif

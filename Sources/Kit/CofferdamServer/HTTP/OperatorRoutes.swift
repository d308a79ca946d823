#if Server
    import CofferdamUpgrade
    import HTTPTypes
    import Logging

    /// The addresses for people and their tools: they look at upgrades, and move them.
    struct OperatorRoutes: Sendable {
        let parts: ServerParts

        private static let maxHistory = 1_000
        private static let maxReasonBytes = 1_000
        private static let moves = ["advance", "promote", "rollback", "abort", "kill", "resume", "override"]

        var routes: [ServerRoute] {
            let capabilities = "/v1/capabilities"
            return [
                ServerRoute(
                    name: "GET \(capabilities)",
                    method: .get,
                    path: ["v1", "capabilities"],
                    right: .readStatus
                ) { _, _, _ in try await overview() },
                ServerRoute(
                    name: "GET \(capabilities)/{name}",
                    method: .get,
                    path: ["v1", "capabilities", nil],
                    right: .readStatus
                ) { call, _, _ in try await status(call) },
                ServerRoute(name: "GET /v1/refusals", method: .get, path: ["v1", "refusals"], right: .readRefusals) {
                    call,
                    _,
                    _ in try await refusals(call)
                },
            ]
                + Self.moves.map { move in
                    ServerRoute(
                        name: "POST \(capabilities)/{name}/\(move)",
                        method: .post,
                        path: ["v1", "capabilities", nil, move],
                        right: .change
                    ) { call, body, _ in try await change(call, body, move) }
                }
        }

        // MARK: Looking

        private struct Overview: Encodable {
            var capabilities: [StatusDocument]
        }

        private func overview() async throws -> Reply {
            var documents: [StatusDocument] = []
            for upgrade in parts.upgrades.values.sorted(by: { $0.name < $1.name }) {
                documents.append(StatusDocument(upgrade, try await upgrade.status()))
            }
            return try .json(Overview(capabilities: documents))
        }

        private func status(_ call: Call) async throws -> Reply {
            let upgrade = try parts.upgrade(call.path[2])
            let count = try Self.count(call, "history", default: 50)
            let history = try await upgrade.store.history(of: upgrade.name, last: count)
            return try .json(StatusDocument(upgrade, try await upgrade.status(), history: history))
        }

        private struct Refusals: Encodable {
            var refusals: [RefusedRequest]
        }

        private func refusals(_ call: Call) async throws -> Reply {
            try .json(Refusals(refusals: try await parts.refusals.last(Self.count(call, "last", default: 100))))
        }

        private static func count(_ call: Call, _ name: String, default: Int) throws(HTTPRefusal) -> Int {
            guard let text = call.query[name] else { return `default` }
            guard let count = Int(text), (0...maxHistory).contains(count) else {
                throw HTTPRefusal(.badRequest, "invalidParameter", "\(name) is 0 to \(maxHistory)")
            }
            return count
        }

        // MARK: Moving

        private struct Order: Decodable {
            var reason: String?
            var despiteGate: Bool?
            var to: String?
            var target: String?
            var operation: String?
            var stage: String?
            var clear: Bool?
        }

        private struct Changed: Encodable {
            var entry: StatusDocument.Entry
        }

        private func change(_ call: Call, _ body: [UInt8], _ name: String) async throws -> Reply {
            let upgrade = try parts.upgrade(call.path[2])
            let order = try ServerJSON.decode(Order.self, body)
            let reason = order.reason ?? ""
            guard reason.utf8.count <= Self.maxReasonBytes else {
                throw HTTPRefusal(.badRequest, "invalidBody", "reason: at most \(Self.maxReasonBytes) bytes")
            }
            let move = try Self.move(name, order)
            do {
                let entry = try await upgrade.change(
                    move,
                    by: call.holder?.name ?? "",
                    reason: reason,
                    id: try Self.id(call)
                )
                parts.logger.notice("\(upgrade.name): \(name) by \(entry.request.by)")
                return try .json(Changed(entry: StatusDocument.Entry(entry)))
            } catch let refused as HostedUpgrade.Refused {
                let refusal = refused.refusal
                let status: HTTPResponse.Status = refusal.code == .incomplete ? .badRequest : .conflict
                var answer = HTTPRefusal(status, refusal.code.rawValue, refusal.message)
                answer.reasons = refused.reasons
                throw answer
            }
        }

        /// A request with the same key is carried out once.
        private static func id(_ call: Call) throws(HTTPRefusal) -> String {
            guard let name = HTTPField.Name("Idempotency-Key"), let key = call.headers[name] else {
                return UpgradeEngine.randomID()
            }
            guard ControlPlaneConfiguration.isName(key) else {
                throw HTTPRefusal(
                    .badRequest,
                    "invalidHeader",
                    "Idempotency-Key has 1 to 100 of A-Z, a-z, 0-9, dot, hyphen, underscore"
                )
            }
            return key
        }

        private static func move(_ name: String, _ order: Order) throws(HTTPRefusal) -> HostedUpgrade.Move {
            switch name {
            case "advance": return .certain(.advance(despiteGate: order.despiteGate ?? false))
            case "promote": return .promote
            case "rollback": return .certain(.rollBack(to: try stage(order.to, "to") ?? .legacyOnly))
            case "abort": return .certain(.abort)
            case "resume": return .certain(.resume)
            case "kill":
                guard let target = order.target.flatMap(KillSwitch.Target.init) else {
                    let all = KillSwitch.Target.allCases.map(\.rawValue).joined(separator: ", ")
                    throw HTTPRefusal(.badRequest, "invalidBody", "target is one of \(all)")
                }
                return .certain(.kill(target))
            default:
                let stage = try stage(order.stage, "stage")
                guard let operation = order.operation, !operation.isEmpty,
                    operation.utf8.count <= ReportCheck.maxNameBytes, operation == operation.plain()
                else {
                    let limit = ReportCheck.maxNameBytes
                    throw HTTPRefusal(
                        .badRequest,
                        "invalidBody",
                        "operation is the name of one, of at most \(limit) bytes"
                    )
                }
                guard (order.clear ?? false) == (stage == nil) else {
                    throw HTTPRefusal(.badRequest, "invalidBody", "give a stage or clear, one of them")
                }
                return .certain(.override(operation: operation, stage: stage))
            }
        }

        private static func stage(_ text: String?, _ field: String) throws(HTTPRefusal) -> Stage? {
            guard let text else { return nil }
            guard let stage = Stage(rawValue: text) else {
                throw HTTPRefusal(.badRequest, "invalidBody", "\(field) is not a stage")
            }
            return stage
        }
    }
#endif

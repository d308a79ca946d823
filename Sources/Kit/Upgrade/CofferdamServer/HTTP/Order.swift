#if Server
import CofferdamUpgrade
import HTTPTypes
import Logging

/// A change that a person requests through the API or a form.
extension UpgradeRequestBody {
    static let maxReasonBytes = 1_000

    /// - Throws: ``HTTPRefusal`` with 400.
    func move(_ name: String) throws(HTTPRefusal) -> RequestedChange {
        guard (reason ?? "").utf8.count <= Self.maxReasonBytes else {
            throw HTTPRefusal(.badRequest, "invalidBody", "reason: at most \(Self.maxReasonBytes) bytes")
        }
        if let problem = ChangeReason.problem(of: reason ?? "") {
            throw HTTPRefusal(.badRequest, "shortReason", problem)
        }
        switch name {
        case "advance": return .certain(.advance(despiteGate: despiteGate ?? false))
        case "promote": return .promote
        case "rollback": return .certain(.rollBack(to: try Self.stage(to, "to") ?? .legacyOnly))
        case "replan": return .replan
        case "abort": return .certain(.abort)
        case "resume": return .certain(.resume)
        case "kill":
            guard let target = target.flatMap(KillSwitch.Target.init) else {
                let all = KillSwitch.Target.allCases.map(\.rawValue).joined(separator: ", ")
                throw HTTPRefusal(.badRequest, "invalidBody", "target must be one of \(all)")
            }
            guard target != .candidate || everybodyToV2 ?? false else {
                throw HTTPRefusal(
                    .badRequest,
                    "invalidBody",
                    "a kill to the candidate sends every user to it: confirm with \"everybodyToV2\": true"
                )
            }
            return .certain(.kill(target))
        default: return try overriding()
        }
    }

    private func overriding() throws(HTTPRefusal) -> RequestedChange {
        let stage = try Self.stage(stage, "stage")
        guard let operation, !operation.isEmpty, operation.utf8.count <= ReportCheck.maxNameBytes,
            operation == operation.plain()
        else {
            throw HTTPRefusal(
                .badRequest,
                "invalidBody",
                "operation must be a name of at most \(ReportCheck.maxNameBytes) bytes"
            )
        }
        guard (clear ?? false) == (stage == nil) else {
            throw HTTPRefusal(.badRequest, "invalidBody", "give either a stage or clear")
        }
        return .certain(.override(operation: operation, stage: stage, despiteGate: despiteGate))
    }

    private static func stage(_ text: String?, _ field: String) throws(HTTPRefusal) -> Stage? {
        guard let text else { return nil }
        guard let stage = Stage(rawValue: text) else {
            throw HTTPRefusal(.badRequest, "invalidBody", "\(field) is not a stage")
        }
        return stage
    }
}

extension ServerParts {
    /// Carries out a request of the token's holder.
    ///
    /// - Parameter id: a request with the same id is carried out once.
    /// - Throws: ``HTTPRefusal`` with 400 for an invalid request, and with 409 and the rule's reason for a refused
    ///   one.
    func carryOut(
        _ name: String,
        _ order: UpgradeRequestBody,
        on upgrade: HostedUpgrade,
        _ call: Call,
        id: String
    ) async throws -> UpgradeEngine.CarriedOut {
        let move = try order.move(name)
        let role = call.holder?.role
        guard move != .certain(.kill(.candidate)) || role == .admin else {
            throw HTTPRefusal(.forbidden, "forbidden", "only an admin may send every user to the candidate")
        }
        do {
            let made = try await upgrade.change(
                move,
                by: call.holder?.name ?? "",
                reason: order.reason ?? "",
                id: id,
                from: order.from,
                allowsUnknown: order.unknown ?? false
            )
            let doubt = made.whyNotStored.map { ", in force but not stored yet: \($0)" } ?? ""
            logger.notice("\(upgrade.name): \(name) by \(made.entry.request.by)\("\(doubt)".plain())")
            return made
        } catch let refused as RefusedChange {
            throw HTTPRefusal(refused)
        }
    }
}

extension Call {
    /// The request's `Idempotency-Key`, or a new id. A request with the same id is carried out once.
    var id: String {
        get throws(HTTPRefusal) {
            guard let name = HTTPField.Name("Idempotency-Key"), let key = headers[name] else {
                return UpgradeEngine.randomID()
            }
            guard ControlPlaneConfiguration.isName(key) else {
                throw HTTPRefusal(
                    .badRequest,
                    "invalidHeader",
                    "Idempotency-Key must have 1 to 100 of A-Z, a-z, 0-9, dot, hyphen, underscore"
                )
            }
            return key
        }
    }

    /// The number of log entries that a request asks for.
    func count(_ name: String, default: Int) throws(HTTPRefusal) -> Int {
        let limit = 1_000
        guard let text = query[name] else { return `default` }
        guard let count = Int(text), (0...limit).contains(count) else {
            throw HTTPRefusal(.badRequest, "invalidParameter", "\(name) must be 0 to \(limit)")
        }
        return count
    }
}
#endif

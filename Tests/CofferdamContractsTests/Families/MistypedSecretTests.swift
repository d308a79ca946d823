import Cofferdam
import CofferdamContracts
import Foundation
import Testing

/// Checks what ERR-06 finds when a secret is mistyped, on doors that quote it in one place each.
@Suite struct MistypedSecretTests {
    private enum Mistake: Sendable, CaseIterable {
        case described, debugged, stored, inTheCause, explainedByTheCause, inBase64, logged, comparedWithTheRightOne
        case accepted
    }

    private struct Key: Sendable {
        var owner = "ann"
        var code = right
    }

    private static let right = "open sesame 1"

    private struct Refusal: Error, CustomStringConvertible, CustomDebugStringConvertible {
        var description = "refused"
        var debugDescription = "a refusal"
        var code: String?
        var cause: (any Error)?
    }

    private struct PlainCause: Error {
        let code: String
    }

    /// Shows its text only to people.
    private struct ExplainedCause: LocalizedError, CustomStringConvertible, CustomReflectable {
        let code: String
        var description: String { "a cause" }
        var failureReason: String? { "'\(code)' is not the code" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    private final class Vendor: Sendable {
        let fault = Mutex<VendorFault?>(nil)
        let log = Mutex<[String]>([])
    }

    private struct Door: Sendable {
        let vendor = Vendor()
        var open: @Sendable (Key) async throws -> Void

        init(_ mistake: Mistake?) {
            open = { [vendor] key in
                if vendor.fault.withLock(\.self) != nil { throw Refusal() }
                guard key.code != right, mistake != .accepted else { return }
                var refusal = Refusal()
                switch mistake {
                case .described: refusal.description = "refused: \(key.code)"
                case .debugged: refusal.debugDescription = "Refusal(\(key.code))"
                case .stored: refusal.code = key.code
                case .inTheCause: refusal.cause = PlainCause(code: key.code)
                case .explainedByTheCause: refusal.cause = ExplainedCause(code: key.code)
                case .inBase64: refusal.code = Data("ann:\(key.code)".utf8).base64EncodedString()
                case .logged: vendor.log.withLock { $0.append("refused \(key)") }
                case .comparedWithTheRightOne: refusal.description = "the code is \(right)"
                case .accepted, nil: break
                }
                throw refusal
            }
        }
    }

    private static func operation(hasSecret: Bool = true) -> ErrorOperation<Door> {
        ErrorOperation(
            calls: [
                FaultyCall(
                    PortCall<Door, Key, Void>(
                        "open",
                        get: { $0.open },
                        replace: { door, perform in
                            var door = door
                            door.open = perform
                            return door
                        }
                    ),
                    input: { _ in Key() },
                    secret: hasSecret ? \Key.code : nil,
                    inject: { door, fault in door.vendor.fault.withLock { $0 = fault } },
                    clear: { door in door.vendor.fault.withLock { $0 = nil } },
                    arrivals: { _ in 0 }
                )
            ],
            faultTable: [FaultExpectation(.reset, "refused", isRetryable: false)],
            decoding: "unreadable",
            modules: ["CofferdamContractsTests"],
            read: { ($0 as? Refusal).map { _ in PortFailure(category: "refused", isRetryable: false) } },
            makeError: { _ in Refusal() },
            prepare: { _ in },
            secrets: { _ in [right] },
            output: { $0.vendor.log.withLock(\.self) }
        )
    }

    private static let rules = operation().rules.filter { $0.id == "ERR-06" }

    private func row(_ mistake: Mistake?) async throws -> ContractReport.Row {
        let adapter = AdapterUnderTest(name: "door") { Door(mistake) }
        return try #require(await ContractRunner(rules: Self.rules, adapters: [adapter]).run().rows.first)
    }

    @Test func `a door that keeps its codes to itself passes`() async throws {
        let row = try await row(nil)
        #expect(row.outcome == .passed, "\(row.detail ?? "")")
    }

    @Test(arguments: Mistake.allCases)
    private func `a code is found wherever the refusal of a mistyped one shows it`(_ mistake: Mistake) async throws {
        let row = try await row(mistake)
        #expect(row.outcome == .failed)
        let found =
            switch mistake {
            case .logged: "the adapter's output contains a secret"
            case .accepted: "open with a mistyped secret: no error"
            default: "open with a mistyped secret: the error's text contains a secret"
            }
        #expect(row.detail == found)
    }

    @Test func `each form of a mistyped secret is a mutant of a call that takes one`() async {
        let adapter = AdapterUnderTest(name: "door") { Door(nil) }
        let mutants = Self.operation().mutants.filter { $0.rule == "ERR-06" }
        let report = await MutationRunner(rules: Self.rules, adapter: adapter).run(mutants)
        #expect(report.rows.map(\.outcome) == Array(repeating: .killed, count: 8))
        #expect(Self.operation(hasSecret: false).mutants.filter { $0.rule == "ERR-06" }.count == 4)
    }
}

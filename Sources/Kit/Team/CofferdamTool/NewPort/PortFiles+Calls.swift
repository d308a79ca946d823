/// Every call of a port except its streams, including writes, under the families that only need a call: time, errors
/// and cancellation.
extension PortPlan {
    var calls: [Operation] { operations.filter(\.isCall) }

    /// What a harness must be able to do to the calls at the vendor's side.
    var callNeeds: [VendorNeed] {
        guard !calls.isEmpty else { return [] }
        return [
            VendorNeed(
                comment: "Prepares the vendor so that one ordinary call of each operation succeeds, one after another.",
                signature: "prepareCalls()"
            ),
            VendorNeed(
                comment:
                    "Injects the fault into that many of the operation's next calls. For one that the vendor cannot have, throw "
                    + "`UnmetRequirements(harnessCapabilities: [\"…\"])`: the rules that need it are then not judged.",
                signature: "inject(_ fault: VendorFault, on operation: String, times: Int)",
                byProxy: "try proxy().inject(fault, on: request(of: operation), times: times)"
            ),
            VendorNeed(
                comment: "Removes the faults that have not happened yet.",
                signature: "clearFaults()",
                byProxy: "try proxy().clearRules()"
            ),
            VendorNeed(
                comment: "How many calls of an operation have arrived, including refused and faulty ones.",
                signature: "arrivals(of operation: String)",
                result: "Int",
                byProxy: "try proxy().arrivals(of: request(of: operation))"
            ),
            VendorNeed(
                comment: "Returns once that many have arrived.",
                signature: "waitForArrivals(of operation: String, atLeast count: Int)",
                byProxy: "try await proxy().waitForArrivals(of: request(of: operation), atLeast: count)"
            ),
            VendorNeed(
                comment:
                    "Returns once exactly that many calls are held; a call that its caller has given up is no longer held.",
                signature: "waitForHeld(exactly count: Int)",
                byProxy: "try await proxy().waitForHeld(exactly: count)"
            ),
            VendorNeed(
                comment: "Answers the calls that are held.",
                signature: "release()",
                byProxy: "try await proxy().release()"
            ),
            VendorNeed(
                comment: "The clock by which the adapter measures its deadlines. For an adapter without one, throw "
                    + "`UnmetRequirements(harnessCapabilities: [\"clock\"])`.",
                signature: "clock()",
                effects: "throws",
                result: "AdjustableClock"
            ),
            VendorNeed(comment: "Closes the adapter for good.", signature: "close()", effects: "async"),
        ]
    }

    // MARK: Fixtures

    var callFixtures: [String] {
        guard !calls.isEmpty else { return [] }
        return [
            "  /// How long a call may take.\n  static let deadline = Duration.seconds(30)\n",
            "  /// Whether this error of the port means a timeout. No error does yet.\n"
                + "  static func isTimeout(_ error: any Error) -> Bool { false }\n",
            "  /// Whether this error of the port means that a write may or may not have happened. No error does yet.\n"
                + "  static func isOutcomeUnknown(_ error: any Error) -> Bool { false }\n",
            "  /// Whether this error of the port means that the port is closed. No error does yet.\n"
                + "  static func isClosed(_ error: any Error) -> Bool { false }\n",
            "  /// The category of one of the port's errors; nil for any other error. The port has no errors yet.\n"
                + "  static func failure(_ error: any Error) -> PortFailure? { nil }\n",
            "  /// An error of the port, of that category.\n"
                + "  static func error(_ category: String) -> any Error {\n"
                + "    \(notWritten("\(name)Fixtures.error(_:)"))\n  }\n",
            """
              /// How the vendor's faults appear at the port: a write whose answer is lost has an unknown outcome.
              static let faults = [
                FaultExpectation(.reset, "unreachable", isRetryable: true, onWrites: "outcomeUnknown"),
                FaultExpectation(.emptyReply, "unreachable", isRetryable: true, onWrites: "outcomeUnknown"),
              ]

            """,
        ]
    }

    // MARK: Rules

    /// "Calls.cancellation.rules", for rules or mutants.
    func callLists(_ kind: String) -> [String] {
        calls.isEmpty ? [] : ["cancellation", "errors", "time"].map { "\(name)AllCalls.\($0).\(kind)" }
    }

    var callsText: String {
        guard !calls.isEmpty else { return "" }
        let (subject, fixtures) = ("\(name)Subject", "\(name)Fixtures")
        let entries = calls.map { "    \(name)WiredCall(\(name)Operations.\(identifier($0))) { \(callInput($0)) },\n" }
            .joined()
        return """

            /// Every call, including writes, under the rules for time, errors and cancellation.
            private enum \(name)AllCalls {
              static let all: [\(name)WiredCall] = [
            \(entries)  ]

              static let held = HeldCalls<\(subject)>(
                wait: { try await $0.vendor.waitForHeld(exactly: $1) },
                release: { try await $0.vendor.release() }
              )

              static let cancellation = CancellationOperation<\(subject)>(
                calls: all.map(\\.probed),
                prepare: { try await $0.vendor.prepareCalls() },
                held: held,
                close: { await $0.vendor.close() },
                isClosed: \(fixtures).isClosed,
                isPortError: { \(fixtures).failure($0) != nil },
                outlast: { try $0.vendor.clock().advance(by: \(fixtures).deadline) }
              )

              static let errors = ErrorOperation<\(subject)>(
                calls: all.map(\\.faulty),
                faultTable: \(fixtures).faults,
                decoding: "unreadable",
                modules: ["\(module)", "\(table)"],
                read: \(fixtures).failure,
                makeError: \(fixtures).error,
                prepare: { try await $0.vendor.prepareCalls() }
              )

              static let time = TimeOperation<\(subject)>(
                calls: all.map(\\.probed),
                clock: { try $0.vendor.clock() },
                deadline: { _ in \(fixtures).deadline },
                prepare: { try await $0.vendor.prepareCalls() },
                held: held,
                isTimeout: \(fixtures).isTimeout,
                isOutcomeUnknown: \(fixtures).isOutcomeUnknown,
                retryAfter: { \(fixtures).failure($0)?.retryAfter }
              )
            }

            /// An operation, with what the harness can do and count for it at the vendor.
            private struct \(name)WiredCall {
              let call: AnyPortCall<\(subject)>
              let probed: ProbedCall<\(subject)>
              let faulty: FaultyCall<\(subject)>

              init<Input: Sendable, Output: Sendable>(
                _ operation: PortOperation<any \(portType), Input, Output>,
                input: @escaping @Sendable () throws -> Input
              ) {
                let (call, name) = (PortCall(operation, at: .port), operation.name)
                let effect = operation.traits.effect
                self.call = AnyPortCall(call) { _ in try input() }
                probed = ProbedCall(
                  self.call,
                  isReading: effect == .read,
                  repetition: effect == .read || effect == .idempotent ? .harmless : .harmful,
                  inject: { try await $0.vendor.inject($1, on: name, times: $2) },
                  arrivals: { try await $0.vendor.arrivals(of: name) },
                  waitForArrivals: { try await $0.vendor.waitForArrivals(of: name, atLeast: $1) }
                )
                faulty = FaultyCall(
                  call,
                  effect: effect,
                  input: { _ in try input() },
                  inject: { try await $0.vendor.inject($1, on: name, times: .max) },
                  clear: { try await $0.vendor.clearFaults() },
                  arrivals: { try await $0.vendor.arrivals(of: name) }
                )
              }
            }

            """
    }

    /// The input of a call: for a get one that finds something, for a list its first page.
    private func callInput(_ operation: Operation) -> String {
        switch operation.shape {
        case .get: return "\(name)Fixtures.\(samples(operation))[0].input"
        case .list(let list):
            let values = zip(operation.method.parameters, list.request.arguments(cursor: "nil", limit: "10")).map {
                String($1.dropFirst($0.label.map { $0.count + 2 } ?? 0))
            }
            return values.count == 1 ? values[0] : "(\(values.joined(separator: ", ")))"
        case .stream: return "()"
        case .own:
            let parameters = operation.method.parameters
            let values = parameters.map { parameter in
                types.value(parameter.type, .number(1))
                    ?? "try \(name)Fixtures.\(fixtureName(parameter, of: operation))()"
            }
            return parameters.count == 1 ? values[0] : "(\(values.joined(separator: ", ")))"
        }
    }
}

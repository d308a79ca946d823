import Cofferdam
import CofferdamContracts
import Testing

/// Uses a port of one call whose vendor fails on demand, and an adapter whose errors are the faults' names.
@Suite struct ErrorOperationTests {
    private final class Vendor: Sendable {
        let fault = Mutex<VendorFault?>(nil)
        let calls = Mutex(0)
    }

    private struct Port: Sendable {
        let vendor = Vendor()
        var call: @Sendable () async throws -> Void

        init() {
            call = { [vendor] in
                vendor.calls.withLock { $0 += 1 }
                guard let fault = vendor.fault.withLock({ $0 }) else { return }
                if case .status(let status, let delay) = fault {
                    throw PortError(category: "status \(status)", retryAfter: delay)
                }
                throw PortError(category: "\(fault)")
            }
        }
    }

    private struct PortError: Error {
        var category: String
        var retryAfter: Duration?
    }

    private func operation(without missing: Int? = nil) -> ErrorOperation<Port> {
        let faults = [VendorFault.reset, .html].map { FaultExpectation($0, "\($0)", isRetryable: false) }
        let statuses = ErrorOperation<Port>.statuses.filter { $0 != missing }.map {
            FaultExpectation(.status($0), "status \($0)", isRetryable: false)
        }
        let call = PortCall<Port, Void, Void>(
            "call",
            get: { port in { try await port.call() } },
            replace: { port, call in
                var port = port
                port.call = call
                return port
            }
        )
        return ErrorOperation(
            calls: [
                FaultyCall(
                    call,
                    input: { _ in },
                    fabricated: { _ in },
                    inject: { port, fault in port.vendor.fault.withLock { $0 = fault } },
                    clear: { port in port.vendor.fault.withLock { $0 = nil } },
                    arrivals: { port in port.vendor.calls.withLock { $0 } }
                )
            ],
            statusTable: statuses,
            faultTable: faults,
            decoding: "HTML",
            modules: ["CofferdamContractsTests"],
            read: {
                ($0 as? PortError).map {
                    PortFailure(category: $0.category, isRetryable: false, retryAfter: $0.retryAfter)
                }
            },
            makeError: { PortError(category: $0) },
            prepare: { _ in }
        )
    }

    private let adapter = AdapterUnderTest(name: "named", capabilities: [.http], open: { Port() })

    @Test func `a rule that needs a missing harness capability is skipped with the reason, and has no mutants`()
        async
    {
        let operation = operation()
        let report = await ContractRunner(rules: operation.rules, adapters: [adapter]).run()
        #expect(report.isGreen)
        let skipped = report.rows.filter { $0.outcome == .skipped }
        #expect(skipped.map(\.rule) == ["ERR-03", "ERR-06"])
        #expect(
            skipped.map(\.detail) == [
                "the harness of named lacks deadAddresses", "the harness of named lacks knownSecrets",
            ]
        )
        #expect(
            Set(operation.mutants.map(\.rule)) == [
                "ERR-01", "ERR-02", "ERR-03", "ERR-04", "ERR-05", "ERR-07", "ERR-08",
            ]
        )
    }

    @Test func `a status that is missing from the table is a violation`() async {
        let report = await ContractRunner(rules: operation(without: 412).rules, adapters: [adapter]).run()
        let violated = report.rows.filter { $0.outcome == .failed }
        #expect(violated.map(\.rule) == ["ERR-02"])
        #expect(violated.first?.detail == "the table has no category for status 412")
    }
}

import Testing

@testable import CofferdamContracts

@Suite struct ForeignTypesTests {
    private struct PortError: Error {
        var message = "it failed"
        var delay: Duration? = .seconds(1)
        var cause: (any Error)?
        var anything: [String: any Sendable] = [:]
    }

    private struct VendorError: Error {}
    private class VendorBase: @unchecked Sendable { let inner = VendorError() }
    private final class Own: VendorBase, @unchecked Sendable {}

    private static let own: Set = ["CofferdamContractsTests"]

    @Test func `an error that contains only the port's and the language's types is clean`() {
        #expect(foreignTypes(in: PortError(anything: ["a": [1, 2], "b": "c"]), beside: Self.own).isEmpty)
    }

    @Test func `a type from any other module is found wherever it hides`() {
        let name = { (value: Any) in String(reflecting: type(of: value)) }
        let inError = PortError(cause: VendorError())
        let inValue = PortError(anything: ["a": [VendorError()]])
        let inSuperclass = PortError(anything: ["a": Own()])
        for error in [inError, inValue, inSuperclass] {
            #expect(foreignTypes(in: error, beside: []).contains(name(VendorError())))
            #expect(foreignTypes(in: error, beside: []).contains(name(error)))
        }
    }
}

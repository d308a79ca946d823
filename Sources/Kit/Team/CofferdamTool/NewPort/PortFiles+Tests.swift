extension PortPlan {
    /// What a vendor behind a proxy must still do itself.
    private var proxyNeeds: [VendorNeed] {
        let streams = operations.contains { if case .stream = $0.shape { true } else { false } }
        return [
            VendorNeed(
                comment: "The proxy to which this subject's SDK connects: each subject starts one, and closes it.",
                signature: "proxy()",
                effects: "throws",
                result: "TestProxy"
            ),
            VendorNeed(
                comment: "The name that the proxy's framing gives to the requests of an operation.",
                signature: "request(of operation: String)",
                effects: "throws",
                result: "String"
            ),
        ]
            + (streams
                ? [
                    VendorNeed(
                        comment:
                            "What the server would send: a sign of life, the last bytes of a stream that ends, half of an event; "
                            + "nothing for a loss.",
                        signature: "bytes(at incident: StreamIncident, of operation: String)",
                        effects: "throws",
                        result: "[UInt8]"
                    )
                ] : [])
    }

    /// What is to be written for each side's vendor.
    func vendorNeeds(of side: String) -> [VendorNeed] {
        usesProxy && side != "Fake" ? proxyNeeds + vendorNeeds.filter { $0.byProxy == nil } : vendorNeeds
    }

    /// What the proxy does for both of the vendor's versions.
    private var proxyText: String {
        guard usesProxy else { return "" }
        let needs = proxyNeeds.map { "  /// \($0.comment)\n  func \($0.declaration)\n" }.joined(separator: "\n")
        let bodies = vendorNeeds.compactMap { need in
            need.byProxy.map { "  func \(need.declaration) {\n    \($0)\n  }\n" }
        }
        return """

            /// A proxy between the vendor's SDK and its server does for V1 and V2 most of what the rules ask of a vendor.
            protocol Proxied\(name)Vendor: \(name)Vendor {
            \(needs)}

            extension Proxied\(name)Vendor {
            \(bodies.joined(separator: "\n"))}

            """
    }

    var standsText: String {
        let sides = [("v1", "V1", ""), ("v2", "V2", ""), ("fake", "Fake", ", identity: AdapterIdentity(.fake)")]
        let openings = sides.map { id, side, identity in
            """
              \(access) static let \(id) = AdapterUnderTest(name: "\(id)"\(identity)) {
                \(name)Subject(port: \(side)\(name)(), vendor: \(side)\(name)Vendor())
              }

            """
        }
        let vendors = sides.map { _, side, _ in
            let type = "\(side)\(name)Vendor"
            let kind = usesProxy && side != "Fake" ? "Proxied\(name)Vendor" : "\(name)Vendor"
            let methods = vendorNeeds(of: side).map { need in
                let body =
                    need.effects.hasSuffix("throws")
                    ? "throw \(notWritten("\(type).\(need.call)"))" : "// It is not written yet."
                return "  func \(need.declaration) {\n    \(body)\n  }\n"
            }
            return "\n/// \(side == "Fake" ? "Controls the fake." : "Controls the vendor's \(side).")\n"
                + "struct \(type): \(kind) {\n" + methods.joined(separator: "\n") + "}\n"
        }
        let used =
            [module, "Cofferdam", "\(name)V1", "\(name)V2", "\(name)Fake"] + (usesProxy ? ["CofferdamStand"] : [])
        return imports(["CofferdamContracts", "\(name)Contract"], using: used)
            + "/// Each opens a fresh subject for each case. An adapter declares as a capability what it can do and others cannot:\n/// for example, `capabilities: [\"vendorCursors\"]` if its cursors are the vendor's own.\n"
            + "extension AdapterUnderTest<\(name)Subject> {\n"
            + openings.joined(separator: "\n") + "}\n" + proxyText + vendors.joined()
    }

    var testsText: String {
        """
        import CofferdamContracts
        import CofferdamTesting
        import Testing
        import \(name)Contract
        import \(name)Stand

        @Suite struct \(name)Tests {
          @Test(
            .coversContract(\(name)Rules.rules, on: [.v1, .v2, .fake]),
            arguments: contractCases(\(name)Rules.rules, [.v1, .v2, .fake])
          )
          func `every adapter keeps the contract`(_ contractCase: ContractCase<\(name)Subject>) async {
            await expect(contractCase)
          }

          @Test func `every rule can fail`() async {
            let report = await MutationRunner(rules: \(name)Rules.rules, adapter: .fake)
              .run(\(name)Rules.mutants)
            for problem in report.problems { Issue.record("\\(problem)") }
          }
        }

        """
    }
}

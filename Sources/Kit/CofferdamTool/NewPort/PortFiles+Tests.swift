extension PortPlan {
    var standsText: String {
        let sides = [("v1", "V1", ""), ("v2", "V2", ""), ("fake", "Fake", ", identity: AdapterIdentity(.fake)")]
        let openings = sides.map { id, side, identity in
            """
              static let \(id) = AdapterUnderTest(name: "\(id)"\(identity)) {
                \(name)Subject(port: \(side)\(name)(), vendor: \(side)\(name)Vendor())
              }

            """
        }
        let vendors = sides.map { _, side, _ in
            let type = "\(side)\(name)Vendor"
            let methods = vendorNeeds.map { need in
                let body =
                    need.effects.hasSuffix("throws")
                    ? "throw \(notWritten("\(type).\(need.call)"))" : "// It is not written yet."
                return "  func \(need.declaration) {\n    \(body)\n  }\n"
            }
            return "\n/// \(side == "Fake" ? "Controls the fake." : "Controls the vendor's \(side).")\n"
                + "struct \(type): \(name)Vendor {\n" + methods.joined(separator: "\n") + "}\n"
        }
        let modules = [
            module, "Cofferdam", "CofferdamContracts", "\(name)Contract", "\(name)V1", "\(name)V2", "\(name)Fake",
        ]
        return imports([], using: modules)
            + "/// Each opens a fresh subject for each case. An adapter declares as a capability what it can do and others cannot:\n/// for example, `capabilities: [\"vendorCursors\"]` if its cursors are the vendor's own.\n"
            + "extension AdapterUnderTest<\(name)Subject> {\n"
            + openings.joined(separator: "\n") + "}\n" + vendors.joined()
    }

    var testsText: String {
        """
        import CofferdamContracts
        import CofferdamTesting
        import Testing
        import \(name)Contract

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

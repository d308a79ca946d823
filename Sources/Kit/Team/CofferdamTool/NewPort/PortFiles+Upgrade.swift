extension PortPlan {
    // MARK: The upgrade

    var upgradeText: String {
        imports([module, "CofferdamUpgrade", "\(name)V1", "\(name)V2"])
            + """
            extension Upgrade<any \(portType)> {
              /// ``\(name)`` on the way from V1 to V2. The backend keeps the stage: `.memory()` in a test.
              \(access) convenience init(
                backend: UpgradeBackend,
                legacy: @escaping @Sendable () async throws -> any \(portType) = { V1\(name)() },
                candidate: @escaping @Sendable () async throws -> any \(portType) = { V2\(name)() }
              ) throws {
                try self.init(
                  "\(word.lowercased())",
                  plan: .standard,
                  backend: backend,
                  // An error that both sides would give, such as "not found", is an `.answer`. None is yet.
                  failures: ErrorClassifier { _ in .failed },
                  legacy: legacy,
                  candidate: candidate
                )
              }
            }

            """
    }

    var upgradeTestsText: String {
        let subject = "\(name)Subject"
        // A port of streams only has no calls, and nothing to prepare for them.
        func calling(_ text: String) -> String { calls.isEmpty ? "" : text }
        return """
            import CofferdamContracts
            import CofferdamUpgrade
            import Testing
            import \(name)Contract
            import \(name)Stand
            \(calling("import \(table)\n"))import \(name)Upgrade

            @Suite struct \(name)UpgradeTests {
              /// Before V2 is written, the fake stands for it.
              @Test func `a user is moved from V1 to the fake`() async throws { try await move(to: .fake) }

              @Test func `a user is moved from V1 to V2`() async throws { try await move(to: .v2) }

              /// Takes each step as a person\(calling(", and makes every call at each stage")).
              private func move(to adapter: AdapterUnderTest<\(subject)>) async throws {
                let v1 = try await AdapterUnderTest<\(subject)>.v1.open()
                let candidate = try await adapter.open()
                let upgrade = try Upgrade(backend: .memory(), legacy: { v1.port }, candidate: { candidate.port })
                await upgrade.start()

            """
                + calling(
                    """
                        func makeEveryCall() async throws {
                          try await candidate.vendor.prepareCalls()
                          let session = \(subject)(port: upgrade.port(for: "ada"), vendor: candidate.vendor)
                          for call in \(name)Rules.calls { try await call(session) }
                        }

                    """
                )
                + "    while upgrade.status.stage != .candidateOnly {\n"
                + calling(
                    """
                          try await v1.vendor.prepareCalls()
                          try await makeEveryCall()

                    """
                )
                    + """
                          try await upgrade.advance(by: "ada", reason: "a test", despiteGate: true)
                        }

                    """
                + calling(
                    """
                        await v1.vendor.close()  // no session needs it any more
                        try await makeEveryCall()

                    """
                )
                + "  }\n}\n"
    }
}

#if Staged
    import MenagerieService
    import Testing

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The app with both SDKs, as it is used from a terminal.
    @Suite(.timeLimit(.minutes(5)))
    struct StagedCommandTests {
        private let sanctuary = BuiltCommand.sanctuary

        /// A stage, and by which major of the vendor's API the animals come then.
        static let stages: [(stage: String, answering: Major, inTheShadow: Major?)] = [
            ("legacyOnly", .v1, nil), ("shadow(10000)", .v1, .v2), ("canary(0)", .v1, .v2), ("canary(10000)", .v2, nil),
            ("candidateWithFallback", .v2, nil), ("candidateShadowed(10000)", .v2, .v1), ("candidateOnly", .v2, nil),
        ]

        @Test(arguments: stages)
        func `Each command works at each stage, and is answered by its side`(
            stage: String,
            answering: Major,
            inTheShadow: Major?
        ) async throws {
            try await ServiceFixture.with { fixture in
                let environment = ["COFFERDAM_STAGE": stage]
                func run(_ arguments: String..., input: String = "") async throws -> Finished {
                    try await sanctuary.run(arguments + fixture.options, environment: environment, input: input)
                }
                let animals = try await run("animals", "--json")
                #expect(animals.code == 0, "\(animals.error)")
                #expect(try animals.json([AnimalDocument].self).count > 100)
                let control = fixture.service.control
                #expect(control.calls(of: .listAnimals, via: answering) > 0)
                let other: Major = answering == .v1 ? .v2 : .v1
                if inTheShadow == nil { #expect(control.calls(of: .listAnimals, via: other) == 0) }

                let signedIn = try await run("account", "sign-in", "amara", input: "sandbox\n")
                #expect(signedIn.code == 0, "\(signedIn.error)")
                #expect(try await run("orders", "--json").json([OrderDocument].self).count == 3)
                let signedOut = try await run("account", "sign-out")
                #expect(signedOut.code == 0, "\(signedOut.error)")
                #expect(try await run("orders").code == 77)
                #expect(control.calls(of: .telemetry) == 0)
                // Nothing listens on when the command has ended.
                #expect(control.subscribers(of: .messages) == 0)
            }
        }

        @Test(arguments: ["legacyOnly", "shadow(10000)", "candidateShadowed(10000)", "candidateOnly"])
        func `The sandbox inside the command serves both`(stage: String) async throws {
            let finished = try await sanctuary.run(["animals", "--json"], environment: ["COFFERDAM_STAGE": stage])
            #expect(finished.code == 0, "\(finished.error)")
            #expect(try finished.json([AnimalDocument].self).map(\.name).contains("kerberos"))
        }

        @Test
        func `A stage that is none is refused, and the stages are named`() async throws {
            let finished = try await sanctuary.run(["animals"], environment: ["COFFERDAM_STAGE": "canary(20000)"])
            #expect(finished.code == 65)
            #expect(finished.output == "")
            #expect(finished.error.contains("COFFERDAM_STAGE"))
            #expect(finished.error.contains("candidateWithFallback"))
        }

        @Test
        func
            `A kill switch that lies in the upgrade's directory is obeyed, and with a damaged one the app is on V1 and says why`()
            async throws
        {
            try await ServiceFixture.with { fixture in
                let state = fixture.state + "/upgrade"
                let environment = ["COFFERDAM_UPGRADE_STATE": state]
                let control = fixture.service.control
                #expect(try await sanctuary.run(["animals"] + fixture.options, environment: environment).code == 0)
                #expect(control.calls(of: .listAnimals, via: .v2) == 0)
                let folder = URL(filePath: state + "/sanctuary")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try Data(#"{"target": "candidate"}"#.utf8).write(to: folder.appending(path: "kill.json"))
                #expect(try await sanctuary.run(["animals"] + fixture.options, environment: environment).code == 0)
                let calls = control.calls(of: .listAnimals, via: .v2)
                #expect(calls > 0)
                try Data("{".utf8).write(to: folder.appending(path: "kill.json"))
                let damaged = try await sanctuary.run(["animals"] + fixture.options, environment: environment)
                #expect(damaged.code == 0)
                #expect(damaged.error.contains("kill.json"))
                #expect(control.calls(of: .listAnimals, via: .v2) == calls)
            }
        }
    }
#endif

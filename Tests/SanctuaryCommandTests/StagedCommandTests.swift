#if Staged
import CommandTestSupport
import MenagerieService
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Checks the app with both SDKs, used from a terminal.
@Suite(.timeLimit(.minutes(5)))
struct StagedCommandTests {
    private let sanctuary = BuiltCommand.sanctuary
    private let vendorctl = BuiltCommand.vendorctl

    /// The stages, each with the major of the vendor's API that returns the animals.
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
            // No listener remains after the command has ended.
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
    func `An invalid stage is refused, and the valid ones are listed`() async throws {
        let finished = try await sanctuary.run(["animals"], environment: ["COFFERDAM_STAGE": "canary(20000)"])
        #expect(finished.code == 65)
        #expect(finished.output == "")
        #expect(finished.error.contains("COFFERDAM_STAGE"))
        #expect(finished.error.contains("candidateWithFallback"))
    }

    @Test
    func
        `A kill switch that lies in the upgrade's directory is obeyed, and with a damaged one the app stays where it was and says why`()
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
            #expect(control.calls(of: .listAnimals, via: .v2) > calls)
        }
    }

    // MARK: Evidence

    @Test
    func `What the app's runs have compared is what the upgrade's status shows, each installation once`()
        async throws
    {
        try await ServiceFixture.with { fixture in
            try await advance(fixture, times: 1)
            // Each directory is an installation. All run concurrently, twice.
            for _ in 1...2 {
                try await withThrowingTaskGroup(of: Finished.self) { group in
                    for number in 1...3 {
                        group.addTask {
                            try await sanctuary.run(
                                // Lists of animals differ as expected, so they are no evidence about V2.
                                ["photo", "1", "--output", "\(fixture.state)/\(number).bmp"]
                                    + options(fixture, of: number),
                                environment: environment(fixture)
                            )
                        }
                    }
                    for try await finished in group { #expect(finished.code == 0, "\(finished.error)") }
                }
            }
            let status = try await status(fixture)
            #expect(status.stage == "shadow(10000)")
            #expect(status.gate.units == 3)
            #expect(status.gate.failures == 0)
            #expect(status.gate.verdict == "hold")
        }
    }

    @Test
    func `A run that is killed while V2 is asked counts against V2, and three of them end the upgrade`()
        async throws
    {
        try await ServiceFixture.with { fixture in
            // Moves all users to V2.
            try await advance(fixture, times: 3)
            for number in 1...3 {
                try await killInTheMiddle(fixture)
                guard number < 3 else { break }
                let after = try await run(fixture)
                #expect(after.code == 0, "\(after.error)")
                let status = try await status(fixture)
                #expect(status.stage == "canary(10000)")
                #expect(status.gate.failures == number)
                #expect(status.gate.units == number + 1)
            }
            let control = fixture.service.control
            let calls = control.calls(of: .listAnimals, via: .v2)
            #expect(try await run(fixture).code == 0)
            #expect(control.calls(of: .listAnimals, via: .v2) == calls)
            #expect(try await status(fixture).stage == "legacyOnly")
        }
    }

    private func environment(_ fixture: ServiceFixture) -> [String: String] {
        ["COFFERDAM_UPGRADE_STATE": fixture.state + "/upgrade"]
    }

    private func options(_ fixture: ServiceFixture, of installation: Int) -> [String] {
        ["--service", fixture.service.url, "--state", "\(fixture.state)/\(installation)"]
    }

    private func run(_ fixture: ServiceFixture) async throws -> Finished {
        try await sanctuary.run(["animals"] + fixture.options, environment: environment(fixture))
    }

    private func advance(_ fixture: ServiceFixture, times: Int) async throws {
        for _ in 0..<times {
            let finished = try await vendorctl.run(
                ["upgrade", "advance", "--despite-gate", "--by", "amara", "--reason", "a test"],
                environment: environment(fixture)
            )
            try #require(finished.code == 0, "\(finished.error)")
        }
    }

    private func status(_ fixture: ServiceFixture) async throws -> StatusDocument {
        let finished = try await vendorctl.run(["upgrade", "status", "--json"], environment: environment(fixture))
        return try #require(try finished.json([StatusDocument].self).first, "\(finished.error)")
    }

    /// Kills the app after the service has received its V2 call and before it answers.
    private func killInTheMiddle(_ fixture: ServiceFixture) async throws {
        let control = fixture.service.control
        let calls = control.calls(of: .listAnimals)
        control.inject(.hold, on: .listAnimals, via: .v2, times: 1)
        let gate = "\(fixture.state)/gate"
        let line = """
            mkfifo '\(gate)' && export COFFERDAM_UPGRADE_STATE='\(fixture.state)/upgrade'
            sanctuary animals --service \(fixture.service.url) --state '\(fixture.state)' >/dev/null 2>&1 & app=$!
            read now <'\(gate)'; kill -KILL $app; wait $app 2>/dev/null; echo $?; rm '\(gate)'
            """
        async let killed = BuiltCommand.shell(line)
        await control.waitForCalls(of: .listAnimals, atLeast: calls + 1)
        // This waits until the shell reads.
        try Data("now\n".utf8).write(to: URL(filePath: gate))
        #expect(try await killed.output == "137\n")
        control.releaseHeld()
        control.clearFaults()
    }
}

/// The fields of `vendorctl upgrade status --json` that these tests check.
private struct StatusDocument: Decodable {
    struct Gate: Decodable {
        let verdict: String?
        let failures: Int?
        let units: Int?
    }

    let stage: String
    let gate: Gate
}
#endif

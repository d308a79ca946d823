#if Staged
import Cofferdam
import Foundation
import SanctuaryDomain
import SanctuarySDK
import Testing

@testable import MenagerieService

/// Checks by the service's own record that messages that one SDK could not send before its user cuts over to the
/// other are sent once.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct UnsentMessagesTests {
    @Test(arguments: Crossing.allCases)
    func `What could not be sent is sent once after a start on the other side, and there and back`(
        crossing: Crossing
    ) async throws {
        try await StagedApp.with(.unsteady()) { app in
            try await app.signUp()
            try await app.network.offline { try await app.run(crossing.from) { try await $0.keep("one", "two") } }
            try await app.network.offline { try await app.run(crossing.to) { try await $0.keep("three") } }
            try await app.run(crossing.from) { try await $0.say("four") }
            try await app.run(crossing.to) { try await $0.say("five") }
            #expect(app.recorded() == ["one", "two", "three", "four", "five"])
            #expect(app.issues.all == [])
        }
    }

    /// V1 refuses the key of a message that it has sent already.
    @Test(arguments: Crossing.allCases)
    func `What could not be sent, and is sent again under its key, is one message`(crossing: Crossing) async throws {
        try await StagedApp.with(.unsteady()) { app in
            try await app.signUp()
            let drafts = ["one", "two"].map { MessageDraft(text: $0, key: UUID().uuidString) }
            func send(_ isOnline: Bool) async throws {
                try await app.run(crossing.from) { services in
                    for draft in drafts {
                        do {
                            let message = try await services.messages.send(draft)
                            #expect(isOnline && message.text == draft.text)
                        } catch let error as SanctuaryError {
                            #expect(error.code == (isOnline ? .conflict : .unreachable))
                            #expect(!isOnline || crossing == .over)
                        }
                    }
                }
            }
            try await app.network.offline { try await send(false) }
            // The first delivers both.
            try await send(true)
            try await send(true)
            #expect(app.recorded() == ["one", "two"])
        }
    }

    @Test(arguments: Crossing.allCases)
    func `What could not be sent is sent once when its user is moved while the app is open, and moved back`(
        crossing: Crossing
    ) async throws {
        try await StagedApp.with(.unsteady()) { app in
            try await app.signUp()
            try app.kill(crossing.from)
            try await app.run(upgrade: app.upgrade) { services in
                try await app.network.offline { try await services.keep("one") }
                try await app.move(services, to: crossing.to)
                try await services.say("two")
                try await app.network.offline { try await services.keep("three") }
                try await app.move(services, to: crossing.from)
                try await services.say("four")
                try await app.network.offline { try await services.keep("five") }
                try await app.move(services, to: crossing.to)
                try await services.say("six")
            }
            #expect(app.recorded() == ["one", "two", "three", "four", "five", "six"])
            #expect(app.issues.all == [])
        }
    }

    @Test(arguments: ["shadow(10000)", "canary(0)"])
    func `V2 in the shadow sends nothing of what V1 could not send`(stage: String) async throws {
        try await StagedApp.with(.unsteady()) { app in
            try await app.signUp()
            try await app.network.offline { try await app.run("legacyOnly") { try await $0.keep("one") } }
            try await app.run(stage) { services in
                _ = try await services.messages.messages(PageRequest())
                await app.control.waitForCalls(of: .listMessages, atLeast: 2)
                #expect(app.calls(.listMessages, by: .v2) == 1)
                try await services.say("two")
            }
            #expect(app.calls(.deliverOutbox, by: .v2) + app.calls(.sendMessage, by: .v2) == 0)
            #expect(app.recorded() == ["one", "two"])
        }
    }

    @Test
    func `V1 in V2's shadow, and standing in for it, leaves V2 what it could not send`() async throws {
        try await StagedApp.with(.unsteady()) { app in
            try await app.signUp()
            try await app.network.offline {
                try await app.run("candidateShadowed(10000)") { services in
                    try await services.keep("one")
                    // V1 is opened as a fallback.
                    await #expect(throws: SanctuaryError.self) { try await services.firstOrders() }
                }
            }
            try await app.run("candidateShadowed(10000)") { services in
                _ = try await services.messages.messages(PageRequest())
                await app.control.waitForCalls(of: .listMessages, atLeast: 2)
                try await services.say("two")
            }
            #expect(app.calls(.sendMessage, by: .v1) == 0)
            #expect(app.recorded() == ["one", "two"])
        }
    }

    @Test(arguments: Crossing.allCases)
    func `The other side sends no message with an unknown outcome, and reports it`(
        crossing: Crossing
    ) async throws {
        try await StagedApp.with(.unsteady()) { app in
            try await app.signUp()
            try await app.network.offline { try await app.run(crossing.from) { try await $0.keep("one") } }
            try await app.run(crossing.from) { services in
                app.control.inject(.commitThenCut, on: crossing.sending.operation, times: crossing.sending.attempts)
                try await services.say("two")
                app.control.clearFaults()
            }
            try await app.run(crossing.to) { try await $0.say("three") }
            #expect(app.recorded() == ["one", "two", "three"])
            #expect(app.issues.all.filter { $0.contains("it is unknown whether") }.count == 1)
            // The side that sent it can find out.
            try await app.run(crossing.from) { try await $0.say("four") }
            try await app.run(crossing.to) { try await $0.say("five") }
            #expect(app.recorded() == ["one", "two", "three", "four", "five"])
            #expect(app.issues.all.filter { $0.contains("it is unknown whether") }.count == 1)
        }
    }

    @Test(arguments: Crossing.allCases)
    func `Killed while it sends what could not be sent before, the other side does not send it again`(
        crossing: Crossing
    ) async throws {
        try await StagedApp.with(.unsteady()) { app in
            try await app.signUp()
            try await app.network.offline { try await app.run(crossing.from) { try await $0.keep("one") } }
            app.control.inject(.hold, on: crossing.sending.operation)
            let (url, directory, stage) = (app.service.url, app.directory, crossing.from)
            async let _: Void = app.killChild { await $0.waitForHeld(exactly: 1) }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = url as String, directory = directory as String, stage = stage as String] in
                let configuration = SDKConfiguration(
                    service: url,
                    stateDirectory: directory,
                    language: "en",
                    issues: IssueSink { _, _ in },
                    environment: ["COFFERDAM_STAGE": stage]
                )
                try "\(getpid())".write(toFile: directory + "/child", atomically: true, encoding: .utf8)
                try await LinkedSDK.open(configuration).services.say("never")
            }
            // No process is left to receive the answer.
            await app.control.waitForHeld(exactly: 0)
            app.control.clearFaults()
            try await app.run(crossing.to) { try await $0.say("two") }
            #expect(app.recorded().count { $0 == "one" } <= 1)
            try await app.run(crossing.from) { try await $0.say("three") }
            #expect(app.recorded().sorted() == ["one", "three", "two"])
        }
    }

    @Test
    func `Another user's unsent messages on V2 return to V1, as that user's`() async throws {
        try await StagedApp.with(.unsteady()) { app in
            try await app.run("candidateOnly") { services in
                try await services.signIn("noor")
                try await app.network.offline { try await services.keep("noor's") }
                try await services.signIn("amara")
                try await app.network.offline { try await services.keep("amara's") }
            }
            try await app.run("legacyOnly") { services in
                for user in ["amara", "noor"] {
                    try await services.signIn(user)
                    try await services.say("\(user) on V1")
                }
            }
            #expect(app.recorded() == ["amara's", "amara on V1"])
            #expect(app.recorded(by: "noor") == ["noor's", "noor on V1"])
        }
    }
}

/// A move from one SDK to the other, to the stage in which the latter answers alone.
enum Crossing: CaseIterable, CustomTestStringConvertible {
    case over, back

    var from: String { self == .over ? "legacyOnly" : "candidateOnly" }
    var to: String { self == .over ? "candidateOnly" : "legacyOnly" }
    /// How the previous side sends its unsent messages. V2's reused connection is closed, so libcurl retries
    /// automatically.
    var sending: (operation: MenagerieService.Operation, attempts: Int) {
        self == .over ? (.sendMessage, 1) : (.deliverOutbox, 2)
    }

    var testDescription: String { self == .over ? "V1 to V2" : "V2 to V1" }
}

extension StagedApp {
    fileprivate var upgrade: String { directory + "/upgrade" }

    /// Both SDKs know amara from then on.
    fileprivate func signUp() async throws { try await run("legacyOnly") { _ = try await $0.signIn() } }

    /// The messages of this user that the service has, without its initial ones.
    fileprivate func recorded(by user: String = "amara") -> [String] {
        control.sandbox.world.read { world in
            world.messages.messages.filter { $0.author == user }.map(\.text).filter { $0.count < 12 }
        }
    }

    /// Kills the child process when the moment has come; it has left its id in the directory.
    fileprivate func killChild(when moment: @Sendable (SandboxControl) async -> Void) async throws {
        await moment(control)
        try Task.checkCancellation()
        _ = Foundation.kill(
            try #require(pid_t(try String(contentsOfFile: directory + "/child", encoding: .utf8))),
            SIGKILL
        )
    }

    /// Sets the kill switch to the side that answers alone at that stage.
    fileprivate func kill(_ stage: String) throws {
        let folder = URL(filePath: upgrade + "/sanctuary")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let target = stage == "legacyOnly" ? "legacy" : "candidate"
        try Data(#"{"target": "\#(target)"}"#.utf8).write(to: folder.appending(path: "kill.json"), options: .atomic)
    }

    /// Sets the kill switch, and returns when the open app obeys.
    fileprivate func move(_ services: SanctuaryServices, to stage: String) async throws {
        try kill(stage)
        let major: Major = stage == "legacyOnly" ? .v1 : .v2
        let before = calls(.listOrders, by: major)
        // It ends by the suite's time limit.
        while calls(.listOrders, by: major) == before { _ = try await services.firstOrders() }
    }
}

extension SanctuaryServices {
    /// Sends the messages, which fails because no server is listening.
    fileprivate func keep(_ texts: String...) async throws {
        for text in texts {
            let error = await #expect(throws: SanctuaryError.self) { try await say(text) }
            #expect(error?.code == .unreachable)
        }
    }

    fileprivate func say(_ text: String) async throws {
        _ = try await messages.send(MessageDraft(text: text, key: UUID().uuidString))
    }
}
#endif

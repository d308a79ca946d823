#if Staged
import CofferdamUpgrade
import Foundation
import MenagerieService
import SanctuaryDomain
import Testing

@testable import SanctuarySDK

/// The tests run one after the other, because V1 can be open only once in a process.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct StagedSessionTests {
    static let stages = [
        "legacyOnly", "shadow(10000)", "canary(0)", "canary(10000)", "candidateWithFallback",
        "candidateShadowed(10000)", "candidateOnly",
    ]

    @Test(arguments: stages)
    func `At each stage the app signs in, reads, writes and signs out`(stage: String) async throws {
        try await StagedApp.with { app in
            try await app.run(stage) { services in
                try await expect(nil, isSignedInTo: services)
                try await services.signIn()
                try await expect("amara", isSignedInTo: services)
                let animals = try await services.catalogue.animals(AnimalsRequest())
                #expect(animals.items.count > 1)
                let before = app.control.orderCount(of: "amara")
                let placed = try await services.orders.place(.hay(key: "one"))
                #expect(try await services.firstOrders().contains(placed.id))
                #expect(app.control.orderCount(of: "amara") == before + 1)
            }
            try await app.run(stage) { services in
                try await expect("amara", isSignedInTo: services)
                try await services.accounts.signOut()
                try await expect(nil, isSignedInTo: services)
                await #expect(throws: SanctuaryError.self) { try await services.firstOrders() }
            }
            try await app.run(stage) { try await expect(nil, isSignedInTo: $0) }
            #expect(app.control.calls(of: .telemetry) == 0)
            #expect(app.issues.all == [])
        }
    }

    @Test
    func `At legacyOnly V2 is not asked, and keeps nothing`() async throws {
        try await StagedApp.with { app in
            try await app.run("legacyOnly") { services in
                try await services.signIn()
                _ = try await services.firstOrders()
            }
            #expect(app.calls(.listOrders, by: .v1) == 1)
            #expect(app.control.calls(of: .exchange) == 0)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: app.directory).allSatisfy {
                    !$0.hasPrefix("com.")
                }
            )
        }
    }

    @Test
    func `In the shadow V2 is asked beside V1, uses up no session, and V1 stays as it was`() async throws {
        try await StagedApp.with { app in
            try await app.run("legacyOnly") { _ = try await $0.signIn() }
            let before = try app.filesOfV1()
            try await app.run("shadow(10000)") { services in
                let orders = try await services.firstOrders()
                await app.control.waitForCalls(of: .listOrders, atLeast: 2)
                #expect(orders.count == 3)
            }
            #expect(app.calls(.listOrders, by: .v2) == 1)
            #expect(try app.filesOfV1() == before)
            #expect(app.control.calls(of: .telemetry) == 0)
            #expect(app.control.calls(of: .refresh) == 0)
            // All users cut over: the session is taken over, and was exchanged once in total.
            try await app.run("candidateOnly") { services in
                try await expect("amara", isSignedInTo: services)
                #expect(try await services.firstOrders().count == 3)
            }
            #expect(app.control.exchangedTokens == 1)
            let orders = try await app.run("legacyOnly") { try await $0.firstOrders() }
            #expect(orders.count == 3)
        }
    }

    @Test
    func `A user who cuts over stays signed in, also on the way back`() async throws {
        try await StagedApp.with { app in
            try await app.run("canary(0)") { _ = try await $0.signIn() }
            try await app.run("canary(10000)") { services in
                try await expect("amara", isSignedInTo: services)
                _ = try await services.firstOrders()
            }
            #expect(app.calls(.listOrders, by: .v2) == 1)
            #expect(app.has("menagerie.session"))
            try await app.run("canary(0)") { try await expect("amara", isSignedInTo: $0) }
        }
    }

    @Test
    func `A user signs in on the user's own side, wherever the installation was`() async throws {
        try await StagedApp.with { app in
            let canary = try SplitCanary()
            try await app.run(canary.stage) { services in
                for (user, major) in [(canary.inside, Major.v2), (canary.outside, .v1), (canary.inside, .v2)] {
                    let before = app.calls(.signIn, by: major)
                    let account = try await services.signIn(user)
                    #expect(app.calls(.signIn, by: major) == before + 1)
                    try await expect(user, isSignedInTo: services)
                    // A write, which is not repeated in the shadow.
                    let orders = app.calls(.placeOrder, by: major)
                    _ = try await services.orders.place(
                        .hay(key: "\(user) \(before)", currency: account.currency)
                    )
                    #expect(app.calls(.placeOrder, by: major) == orders + 1)
                }
            }
            try await app.run(canary.stage) { try await expect(canary.inside, isSignedInTo: $0) }
        }
    }

    @Test
    func `Where V2 fails, V1 answers its own user, never the one before`() async throws {
        try await StagedApp.with { app in
            let canary = try SplitCanary()
            try await app.run(canary.stage) { services in
                try await services.signIn(canary.outside)
                _ = try await services.firstOrders()
                try await services.signIn(canary.inside)
                app.control.inject(.status(503), on: .listOrders, via: .v2, times: 5)
                // V1 does not know the new user: it returns no orders rather than the other user's.
                await #expect(throws: SanctuaryError.self) { try await services.firstOrders() }
                app.control.clearFaults()
            }
        }
    }

    @Test
    func `A refused sign-in changes no session, on either side`() async throws {
        try await StagedApp.with { app in
            let canary = try SplitCanary()
            try await app.run(canary.stage) { services in
                try await services.signIn(canary.outside)
                let error = await #expect(throws: SanctuaryError.self) {
                    try await services.signIn(canary.inside, password: "wrong")
                }
                #expect(error?.code == .authenticationRequired)
                try await expect(canary.outside, isSignedInTo: services)
                _ = try await services.firstOrders()
            }
            try await app.run(canary.stage) { try await expect(canary.outside, isSignedInTo: $0) }
        }
    }

    @Test
    func `What V2 cannot take over is reported before it opens, once`() async throws {
        try await StagedApp.with { app in
            app.control.inject(.commitThenCut, on: .placeOrder, via: .v1, times: 2)
            try await app.run("legacyOnly") { services in
                try await services.signIn()
                await #expect(throws: SanctuaryError.self) {
                    try await services.orders.place(.hay(key: "lost"))
                }
            }
            app.control.clearFaults()
            for _ in 1...2 { try await app.run("candidateOnly") { _ = try await $0.user } }
            #expect(app.issues.all.filter { $0.hasPrefix("over to V2: order: ") }.count == 1)
        }
    }

    @Test
    func `A user known only to V2 is told that V1 does not know the session`() async throws {
        try await StagedApp.with { app in
            try await app.run("candidateOnly") { _ = try await $0.signIn() }
            try await app.run("legacyOnly") { try await expect(nil, isSignedInTo: $0) }
            #expect(app.issues.all.filter { $0.hasPrefix("back to V1: session: ") }.count == 1)
            try await app.run("candidateOnly") { try await expect("amara", isSignedInTo: $0) }
        }
    }

    @Test
    func `A kill switch that is set while the app is open is obeyed, to either side`() async throws {
        try await StagedApp.with { app in
            let upgrade = app.directory + "/upgrade"
            let folder = URL(filePath: upgrade + "/sanctuary")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await app.run(upgrade: upgrade) { services in
                _ = try await services.signIn()
                for (target, major) in [("candidate", Major.v2), ("legacy", .v1)] {
                    let kill = Data(#"{"target": "\#(target)"}"#.utf8)
                    try kill.write(to: folder.appending(path: "kill.json"), options: .atomic)
                    let before = app.calls(.listOrders, by: major)
                    // It ends by the suite's time limit.
                    while app.calls(.listOrders, by: major) == before { _ = try await services.firstOrders() }
                    try await expect("amara", isSignedInTo: services)
                }
            }
        }
    }

    @Test
    func `With an upgrade that cannot be read the app is on V1, says so, and follows it as soon as it can be`()
        async throws
    {
        try await StagedApp.with { app in
            let upgrade = app.directory + "/upgrade"
            try FileManager.default.createDirectory(atPath: app.directory, withIntermediateDirectories: true)
            try Data("no directory".utf8).write(to: URL(filePath: upgrade))
            try await app.run(upgrade: upgrade) { services in
                #expect(
                    app.issues.all.contains { $0.contains("all users are on V1 here") && $0.contains("UPGRADE_STATE") }
                )
                _ = try await services.signIn()
                _ = try await services.firstOrders()
                #expect(app.control.calls(of: .exchange) == 0)
                try FileManager.default.removeItem(atPath: upgrade)
                let folder = URL(filePath: upgrade + "/sanctuary")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try Data(#"{"target": "candidate"}"#.utf8).write(to: folder.appending(path: "kill.json"))
                // It ends by the suite's time limit.
                while app.calls(.listOrders, by: .v2) == 0 { _ = try await services.firstOrders() }
            }
        }
    }

    @Test
    func `With an upgrade that cannot be read any more the app stays on V2, where its data is, and says so`()
        async throws
    {
        try await StagedApp.with { app in
            let (upgrade, away) = (app.directory + "/upgrade", app.directory + "/upgrade away")
            try await raise(upgrade)
            try await app.run(upgrade: upgrade) { services in
                _ = try await services.signIn()
                #expect(try await services.firstOrders().count == 3)
            }
            // The test began it with a plan of two stages.
            #expect(app.issues.all.allSatisfy { $0.contains("the plan that it began with") })
            try FileManager.default.moveItem(atPath: upgrade, toPath: away)
            try Data("no directory".utf8).write(to: URL(filePath: upgrade))
            let before = app.calls(.listOrders, by: .v2)
            try await app.run(upgrade: upgrade) { services in
                try await expect("amara", isSignedInTo: services)
                #expect(try await services.firstOrders().count == 3)
            }
            #expect(app.calls(.listOrders, by: .v2) == before + 1)
            #expect(app.control.calls(of: .listOrders) == before + 1)
            #expect(app.issues.all.contains { $0.contains("UPGRADE_STATE") && $0.contains("cannot be made") })
            try FileManager.default.removeItem(atPath: upgrade)
            try FileManager.default.moveItem(atPath: away, toPath: upgrade)
            try await app.run(upgrade: upgrade) { try await expect("amara", isSignedInTo: $0) }
        }
    }

    /// Raises the stored upgrade to `candidateOnly`.
    private func raise(_ directory: String) async throws {
        let request = UpgradeRequest(.advance(despiteGate: true), by: "amara", reason: "a test", at: 1, id: "1")
        _ = try await FileUpgradeStore(directory: directory)
            .carryOut(request, for: "sanctuary", plan: try UpgradePlan([.legacyOnly, .candidateOnly]))
    }

    @Test
    func `A wrong stage is an error that names the variable, and opens nothing`() async throws {
        try await StagedApp.with { app in
            let error = await #expect(throws: SanctuaryError.self) { try await app.run("canary(x)") { _ in } }
            #expect(error?.code == .invalidRequest)
            #expect(error?.subject == "COFFERDAM_STAGE")
            #expect(app.control.totalCalls == 0)
            #expect(!app.has("menagerie.device"))
        }
    }

    private func expect(
        _ user: String?,
        isSignedInTo services: SanctuaryServices,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await services.user
        #expect(found == user, sourceLocation: sourceLocation)
    }
}
#endif
